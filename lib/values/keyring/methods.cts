// The methods of Keyring as functions, as they were when this file was loaded.
import { uncurried } from '../../cipher/base/builtins.cjs'
import { nodeError } from '../../cipher/base/errors.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { Keyring } from './keyring.cjs'

const { prototype } = Keyring
export const keyIdOf = uncurried(prototype.keyIdOf)
export const needsRotation = uncurried(prototype.needsRotation)
export const openText = uncurried(prototype.openText)
export const seal = uncurried(prototype.seal)
export const sealText = uncurried(prototype.sealText)
export const tryOpen = uncurried(prototype.tryOpen)
export const tryOpenText = uncurried(prototype.tryOpenText)
const keys = Object.getOwnPropertyDescriptor(prototype, 'keys')?.get
export const keysOf = uncurried(keys as (this: unknown) => Keyring['keys'])

/** The option `keyring` of a declaration. */
export function keyringOf(keyring: unknown): Keyring {
  try {
    keysOf(keyring)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_INVALID_THIS') throw error
    const what = `"options.keyring" must be a Keyring, got ${kindOf(keyring)}`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
  }
  return keyring as Keyring
}
