// Keyrings from keysets and back. Keys are in ordinary memory only in between, and wiped there.
import type { Buffer } from 'node:buffer'
import { codeOf, define, buffer as node, types, uncurried } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf } from '../../cipher/base/bytes.cjs'
import { AesGcmError, mustBe, outOfRange, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { codedIfRevoked } from '../../cipher/base/parse.cjs'
import { isAttached, kindForBytes, wipe } from '../../cipher/base/views.cjs'
import { type AnyKey, isUsable, type KeyTable, type TableKey } from './key-table.cjs'
import { readEncrypted, writeEncrypted } from './keyset/encrypted.cjs'
import type { KeyForm, KeysetForm } from './keyset/form.cjs'
import { readKeyset, writeKeyset } from './keyset/json.cjs'
import {
  isKnown,
  type Keyset,
  type KnownKey,
  MAX_CHARACTERS,
  type UnsupportedKey,
  wipeKeys,
} from './keyset/model.cjs'
import { decodeKeyset, encodeKeyset, TAG_OF_VALUE } from './keyset/protobuf.cjs'
import { setPrimary } from './mutations.cjs'

const { isUint8Array } = types
const indexOf: (bytes: Buffer, text: string, from: number, encoding: 'latin1') => number = uncurried(
  node.Buffer.prototype.indexOf as never,
)

/** Fills an empty table with the keys of a keyset in the clear, as text. */
export function parseKeyset<Usable extends AnyKey<Usable>, Table extends KeyTable<Usable>>(
  table: Table & KeyTable<Usable>,
  keyset: string | undefined,
): Table {
  fillTable(table, readKeyset(table.kind.keysets, keyset))
  return table
}

/** Fills an empty table with the keys of an encrypted keyset, which `decrypt` decrypts. */
export async function unwrapKeyset<Usable extends AnyKey<Usable>, Table extends KeyTable<Usable>>(
  table: Table & KeyTable<Usable>,
  encrypted: string,
  decrypt: unknown,
): Promise<Table> {
  const { keysets } = table.kind
  const call = functionOf('decrypt', decrypt)
  const { ciphertext } = readEncrypted(encrypted, keysets.reader)
  const given = await call(ciphertext)
  let bytes: Uint8Array | undefined
  try {
    bytes = copyOfResult('decrypt', given)
    fillTable(table, decoded(keysets, bytes))
    return table
  } finally {
    wipeWhatIsThere(given)
    wipeWhatIsThere(bytes)
  }
}

/** The decrypted keyset. The file itself was read, so a fault lies with `decrypt` or `encrypt`. */
function decoded<Type extends KeyForm>(keysets: KeysetForm<Type>, bytes: Uint8Array): Keyset<Type> {
  try {
    return decodeKeyset(keysets, bytes)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'ERR_AESGCM_INVALID_KEYSET') throw error
    const what =
      '"decrypt" did not return a keyset that this package reads: it must return the bytes that "encrypt" received'
    throw new AesGcmError(code, what, { cause: error })
  }
}

/** The keyset of a keyring in the clear, as Tink's JSON. */
export function exportKeyset<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>): string {
  const keyset = keysetOf(table)
  try {
    return writeKeyset(table.kind.keysets, keyset)
  } finally {
    wipeKeys(keyset.keys)
  }
}

/**
 * A keyring's keyset as Tink's JSON, encrypted by `encrypt`. While `encrypt` works, its argument is
 * the only copy of the keys in ordinary memory.
 */
export async function wrapKeyset<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  encrypt: unknown,
): Promise<string> {
  const { keysets } = table.kind
  const call = functionOf('encrypt', encrypt)
  const keyset = keysetOf(table)
  let bytes: Uint8Array
  try {
    bytes = encodeKeyset(keysets, keyset)
  } finally {
    wipeKeys(keyset.keys)
  }
  try {
    const ciphertext = copyOfResult('encrypt', await call(bytes))
    if (holdsKeys(keysets, ciphertext))
      throw wrongValue('"encrypt" must encrypt its argument, but returned unencrypted keys')
    const { length } = ciphertext
    // An empty keyset, or one too long to read, would lose every key of the last one.
    const text = length > 0 && length < MAX_CHARACTERS ? writeEncrypted(ciphertext, keyset) : ''
    if (text !== '' && text.length <= MAX_CHARACTERS) return text
    const limit = `be longer than 0 bytes, and make an encrypted keyset of at most ${MAX_CHARACTERS} characters`
    throw outOfRange(`"encrypt()" must ${limit}, got length ${length}`)
  } finally {
    wipeWhatIsThere(bytes)
  }
}

/**
 * Whether bytes contain what precedes a key in every keyset in the clear: the name of its type, and
 * the tag of its value. A ciphertext does at odds below 2^-300. No byte of a key is compared.
 */
function holdsKeys({ typeUrls }: { readonly typeUrls: readonly string[] }, bytes: Buffer): boolean {
  for (let i = 0; i < typeUrls.length; i++) {
    if (indexOf(bytes, `${typeUrls[i]}${TAG_OF_VALUE}`, 0, 'latin1') >= 0) return true
  }
  return false
}

/** Fills a table with the keys of a keyset, whose bytes are then wiped. */
function fillTable<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  { primary, keys }: Keyset<Usable['type']>,
): void {
  type Model = KnownKey<Usable['type']> | UnsupportedKey
  onFailure(
    () => {
      wipeKeys(keys)
      table.destroy()
    },
    () => {
      for (let i = 0; i < keys.length; i++) table.append(tableKeyOf(table, keys[i] as Model))
      // A keyset is read only if its primary key is enabled.
      setPrimary(table, table.find(primary) as Usable)
      // The table keeps the values of unsupported keys.
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as Model
        if (isKnown(key)) wipe(key.bytes, 0)
      }
    },
  )
}

function tableKeyOf<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  key: KnownKey<Usable['type']> | UnsupportedKey,
): TableKey<Usable> {
  return isKnown(key) ? table.kind.expand(table, key) : ({ ...key, next: undefined } as TableKey<Usable>)
}

/** The keyset of a keyring, with bytes of all keys that `wipeKeys` wipes. */
function keysetOf<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>): Keyset<Usable['type']> {
  const keys: (KnownKey<Usable['type']> | UnsupportedKey)[] = []
  let count = 0
  return onFailure(
    () => wipeKeys(keys),
    () => {
      // `define`, because an assignment to an element could run a setter of Array.prototype.
      for (let key = table.first; key !== undefined; key = key.next)
        define(keys, `${count++}`, modelOf(table, key), true)
      return { primary: (table.primary as Usable).id, keys }
    },
  )
}

function modelOf<Usable extends AnyKey<Usable>>(
  { kind }: KeyTable<Usable>,
  key: TableKey<Usable>,
): KnownKey<Usable['type']> | UnsupportedKey {
  const { id, prefix } = key
  if (!isUsable(key)) {
    const { status, typeUrl, value, material } = key
    return { id, status, prefix, type: null, typeUrl, value: value === null ? null : copied(value), material }
  }
  const { type, enabled } = key
  return { id, status: enabled ? 'enabled' : 'disabled', prefix, type, bytes: kind.bytesOf(key) }
}

type Cipher = (bytes: Uint8Array) => unknown

function functionOf(name: string, value: unknown): Cipher {
  if (typeof value === 'function') {
    return bytes => {
      try {
        return (value as Cipher)(bytes)
      } catch (error) {
        throw codedIfRevoked(name, value, error)
      }
    }
  }
  throw mustBe(name, 'a function', value)
}

/** A copy of the bytes that the caller's function returned, which may be of any class. */
function copyOfResult(name: string, result: unknown): Buffer<ArrayBuffer> {
  if (isUint8Array(result)) return copied(result, lengthOf(`${name}()`, result))
  throw wrongType(`"${name}" must return a Uint8Array, or a promise of one, got ${kindForBytes(result)}`)
}

/** Wipes bytes that the caller's function had in its hands, and may have transferred. */
function wipeWhatIsThere(bytes: unknown): void {
  if (isUint8Array(bytes) && isAttached(bytes)) wipe(bytes, 0)
}
