// The methods of Keyring as functions, as they were when this file was loaded.
import { uncurried } from '../../cipher/base/builtins.cjs'
import { mustBe } from '../../cipher/base/errors.cjs'
import { Keyring } from './keyring.cjs'

const { prototype } = Keyring
export const keyIdOf = uncurried(prototype.keyIdOf)
export const needsRotation = uncurried(prototype.needsRotation)
export const open = uncurried(prototype.open)
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
    throw mustBe('options.keyring', 'a Keyring', keyring)
  }
  return keyring as Keyring
}
