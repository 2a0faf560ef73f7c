// Parses caller-supplied keys and options of a keyring. types/keyring.d.ts documents them.
import type { KeyEntry, KeyPrefix, KeyringOptions } from '../../../types/keyring.d.ts'
import { bytesOfKey, copied } from '../../cipher/aead/key.cjs'
import { placementOf } from '../../cipher/aead/options.cjs'
import { aeadRefusal } from '../../cipher/aead/refusal.cjs'
import { join, positionOf } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { warnIfText, wrongKeyLength } from '../../cipher/base/key-text.cjs'
import { count, optionsOf, shown } from '../../cipher/base/parse.cjs'
import { byteLength, wipe } from '../../cipher/base/views.cjs'
import { load } from '../../cipher/native/binary.cjs'
import { BEST_BACKEND, create, destroy } from '../../cipher/native/calls.cjs'
import { sealingNumbersOf } from '../../cipher/native/slate.cjs'
import { bytesOf, refuseOtherCipher } from './key-reuse.cjs'
import {
  AeadTable,
  type AnyKey,
  freshId,
  type Key,
  type KeyringKind,
  type KeyTable,
  refuseRawKey,
  refuseTaken,
  type Settings,
} from './key-table.cjs'
import type { KeyForm } from './keyset/form.cjs'
import { type KeyTypeSpec, keyTypeOf, keyTypeOfLength } from './keyset/key-types.cjs'
import { type KnownKey, MAX_ID } from './keyset/model.cjs'
import { AEAD_KEYSETS } from './keyset/value.cjs'
import { NO_PREFIX, PREFIX_BYTES, prefixOf } from './prefix.cjs'

const NAMES = ['id', 'key', 'type', 'prefix', 'status'] as const satisfies (keyof KeyEntry)[]
const OPTIONS = ['primary', 'arena', 'backend', 'maxMessages'] as const satisfies (keyof KeyringOptions)[]
const PREFIXES: readonly KeyPrefix[] = ['tink', 'raw', 'crunchy', 'legacy']
const STATUSES = ['enabled', 'disabled']
const MAX_MESSAGES = 2 ** 32
/** Failures are limited by GCM's own bound alone, as in the classes of keys. */
const MAX_FAILURES = 2 ** 32
// The arguments of `create`, under the names that callers know.
const CREATE = ['algorithm', 'backend', 'key']

/** The options of a keyring, and the id of its primary key, if they name one. */
export function settingsOf(options: unknown): { settings: Settings; primary: number | undefined } {
  const { backendNames } = load()
  const own = optionsOf(options === undefined ? {} : options, OPTIONS)
  const primary = own('primary')
  const most = own('maxMessages')
  const { backend, arena } = placementOf(own, backendNames)
  return {
    primary: primary === undefined ? undefined : idOf('options.primary', primary),
    settings: {
      arena,
      backend: backend === undefined ? BEST_BACKEND : positionOf(backendNames, backend),
      maxMessages: most === undefined ? undefined : count('options.maxMessages', most, 0, MAX_MESSAGES),
    },
  }
}

/** The options of a keyring whose keys name the primary one themselves. */
export function ownSettings(options: unknown): Settings {
  const { settings, primary } = settingsOf(options)
  if (primary === undefined) return settings
  throw wrongValue('"options.primary" is only an option of the constructor: promote the key')
}

/** An id: an unsigned number of 32 bits. */
export function idOf(name: string, id: unknown): number {
  return count(name, id, 0, MAX_ID)
}

/** A key's place in a keyring: the members of every entry, for any kind of key. */
export interface Place {
  readonly id: number | undefined
  readonly prefix: KeyPrefix
  readonly enabled: boolean
}

/** The place of an entry, if it is free. */
export function placeOf<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  name: string,
  own: (name: 'id' | 'prefix' | 'status', fallback?: unknown) => unknown,
): Place {
  const given = own('id')
  const id = given === undefined ? undefined : idOf(`${name}.id`, given)
  if (id !== undefined) refuseTaken(table, `${name}.id`, id)
  const prefix = choice(`${name}.prefix`, own('prefix', 'tink'), PREFIXES)
  const enabled = choice(`${name}.status`, own('status', 'enabled'), STATUSES) === 'enabled'
  if (enabled && prefix === 'raw') refuseRawKey(table)
  return { id, prefix, enabled }
}

/** Refuses a prefix that Tink does not have for keys of this type. */
export function refuseOtherPrefix(name: string, { prefixes, name: type }: KeyForm, prefix: KeyPrefix): void {
  if (positionOf(prefixes, prefix) >= 0) return
  throw wrongValue(`"${name}.prefix" must be '${join(prefixes, "' or '")}' for ${type}, as in Tink`)
}

/** What a key's values begin with: as a number, and how many bytes. */
export function valuePrefixOf(prefix: KeyPrefix, id: number): Pick<Key, 'valuePrefix' | 'prefixBytes'> {
  if (prefix === 'raw') return { valuePrefix: NO_PREFIX, prefixBytes: 0 }
  return { valuePrefix: prefixOf(prefix === 'tink' ? 1 : 0, id), prefixBytes: PREFIX_BYTES }
}

/** A caller's key, in native memory. `name` names the entry. */
export function keyOfEntry(table: AeadTable, name: string, entry: unknown): Key {
  const own = optionsOf(entry, NAMES, name)
  const { id, prefix, enabled } = placeOf(table, name, own)
  const type = own('type')
  const wanted = type === undefined ? undefined : keyTypeOf(`${name}.type`, type)
  if (wanted !== undefined) refuseOtherPrefix(name, wanted, prefix)
  const key = own('key')
  const bytes = bytesOfKey(key, `${name}.key`)
  try {
    const length = byteLength(bytes)
    if (wanted === undefined ? length !== 16 && length !== 32 : length !== wanted.keyBytes) {
      const lengths = wanted === undefined ? '16 or 32 bytes' : `${wanted.keyBytes} bytes for ${wanted.name}`
      throw wrongKeyLength(`${name}.key`, lengths, bytes)
    }
    const its = wanted ?? keyTypeOfLength(length)
    refuseOtherCipher(table, `${name}.key`, its, bytes)
    const made = expandKey(table, its, prefix, id ?? freshId(table), enabled, bytes)
    if (bytes === key) warnIfText(bytes)
    return made
  } finally {
    if (bytes !== key) wipe(bytes, 0)
  }
}

/** Expands `bytes`, which have the length of the type. The caller wipes them. */
export function expandKey(
  table: AeadTable,
  type: KeyTypeSpec,
  prefix: KeyPrefix,
  id: number,
  enabled: boolean,
  bytes: Uint8Array,
): Key {
  const { backend, arena, maxMessages } = table.settings
  const { cipher } = type
  const most = maxMessages ?? cipher.maxMessages
  let passed: Uint8Array | undefined
  try {
    passed = copied(bytes)
    const handle = create(cipher.algorithm, backend, passed, false, false, most, MAX_FAILURES, arena)
    if (typeof handle === 'number')
      throw aeadRefusal(cipher, handle, CREATE, cipher.algorithm, backend, bytes)
    const { valuePrefix, prefixBytes } = valuePrefixOf(prefix, id)
    const numbers = sealingNumbersOf(handle, valuePrefix)
    const mark = table.markFor(valuePrefix)
    const rest = { valuePrefix, prefixBytes, mark, enabled, next: undefined }
    return { id, type, cipher, prefix, handle, numbers, opened: 0, ...rest }
  } finally {
    // Also if the call overflows the stack. A key of the type's length is always copied.
    if (passed !== undefined) wipe(passed, 0)
  }
}

/** The keyrings of class Keyring, whose keys are in native memory. */
const KIND: KeyringKind<Key> = {
  keysets: AEAD_KEYSETS,
  expand: (table, { type, prefix, id, status, bytes }: KnownKey) =>
    expandKey(table as AeadTable, type, prefix, id, status === 'enabled', bytes),
  bytesOf,
  wipe: ({ handle }) => destroy(handle),
}

/** An empty table for a Keyring. */
export function aeadTable(settings: Settings): AeadTable {
  return new AeadTable(KIND, settings)
}

function choice<Name extends string>(name: string, value: unknown, names: readonly Name[]): Name {
  const found = names[positionOf(names, value)]
  if (found !== undefined) return found
  let list = ''
  for (let i = 0; i < names.length; i++) list += `${i > 0 ? ', ' : ''}'${names[i]}'`
  throw wrongValue(`"${name}" must be one of ${list}, got ${shown(value)}`)
}
