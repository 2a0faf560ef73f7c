// The options of `followKeyset`, parsed.
import type { FollowOptions, Keyring, KeyringOptions } from '../../../types/keyring.d.ts'
import { define, types, urls } from '../../cipher/base/builtins.cjs'
import { mustBe, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { count, optionsOf } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'

const NAMES = [
  'file',
  'load',
  'unwrap',
  'interval',
  'timeout',
  'onChange',
  'onError',
  'arena',
  'backend',
  'maxMessages',
] as const satisfies (keyof FollowOptions)[]
const OF_KEYRING = ['arena', 'backend', 'maxMessages'] as const
/** The longest time of a timer of Node. */
export const MAX_MILLISECONDS = 2 ** 31 - 1

export interface Settings {
  readonly file: string | URL | undefined
  readonly load: ((context: { readonly signal: AbortSignal }) => unknown) | undefined
  readonly unwrap: ((wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array>) | undefined
  readonly interval: number
  readonly timeout: number
  readonly onChange: ((keyring: Keyring) => void) | undefined
  readonly onError: ((error: Error) => void) | undefined
  readonly keyring: Omit<KeyringOptions, 'primary'>
}

export function followSettings(options: unknown): Settings {
  const own = optionsOf(options, NAMES)
  const file = own('file')
  const load = functionOf('load', own('load'))
  if ((file === undefined) === (load === undefined))
    throw wrongValue('"options" must have either "file" or "load", the source of the keyset')
  const keyring = {}
  for (let i = 0; i < OF_KEYRING.length; i++) {
    const name = OF_KEYRING[i] as (typeof OF_KEYRING)[number]
    const value = own(name)
    if (value !== undefined) define(keyring, name, value, true)
  }
  return {
    file: file === undefined ? undefined : pathOf(file),
    load: load as Settings['load'],
    unwrap: functionOf('unwrap', own('unwrap')) as Settings['unwrap'],
    interval: count('options.interval', own('interval', 60_000), 0, MAX_MILLISECONDS),
    timeout: count('options.timeout', own('timeout', 30_000), 1, MAX_MILLISECONDS),
    onChange: functionOf('onChange', own('onChange')) as Settings['onChange'],
    onError: functionOf('onError', own('onError')) as Settings['onError'],
    keyring,
  }
}

function functionOf(name: string, value: unknown): unknown {
  if (value === undefined || typeof value === 'function') return value
  throw mustBe(`options.${name}`, 'a function', value)
}

/** A path or the URL of a file. A relative path is resolved at each call, as Node does. */
function pathOf(file: unknown): string {
  if (typeof file === 'string' && file !== '') return file
  if (typeof file === 'object' && file !== null && !types.isProxy(file) && file instanceof urls.URL)
    return urls.fileURLToPath(file)
  throw wrongType(`"options.file" must be a path or a URL, got ${file === '' ? "''" : kindOf(file)}`)
}
