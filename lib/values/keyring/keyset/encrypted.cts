// Tink's encrypted keyset as JSON: a keyset as Protocol Buffers, encrypted under another key, with
// facts about its keys in the clear.
//
// The facts are not authenticated. They serve display, and nothing else.
import type { Buffer } from 'node:buffer'
import type { KeyPrefix } from '../../../../types/keyring.d.ts'
import { define, hasOwn } from '../../../cipher/base/builtins.cjs'
import { Cursor, type Name } from './cursor.cjs'
import { decodeBase64, encodeBase64 } from './encoding.cjs'
import { invalidKeyset } from './errors.cjs'
import type { KeyForm } from './form.cjs'
import { quoted, textFrom, textOfFacts } from './json.cjs'
import {
  type Keyset,
  type KnownKey,
  MAX_ID,
  MAX_KEYS,
  OUR_PREFIXES,
  OUR_STATUSES,
  PREFIXES,
  STATUSES,
  type Status,
  type UnsupportedKey,
} from './model.cjs'

/** The facts of a keyset in the clear. */
interface KeysetInfo {
  readonly primary: number
  readonly keys: readonly KeyFacts[]
}

export interface KeyFacts {
  readonly id: number
  readonly status: Status
  readonly prefix: KeyPrefix
  /** Empty for a destroyed key without key data. */
  readonly typeUrl: string
}

const NAMES: readonly Name[] = [
  ['encryptedKeyset', 'encrypted_keyset'],
  ['keysetInfo', 'keyset_info'],
  ['primaryKeyId', 'primary_key_id'],
  ['key', 'key'],
]
const NAMES_OF_INFO: readonly Name[] = [
  ['primaryKeyId', 'primary_key_id'],
  ['keyInfo', 'key_info'],
]
const NAMES_OF_KEY: readonly Name[] = [
  ['typeUrl', 'type_url'],
  ['status', 'status'],
  ['keyId', 'key_id'],
  ['outputPrefixType', 'output_prefix_type'],
]

/** Reads an encrypted keyset. Its facts are null if it has none. */
export function readEncrypted(
  given: string,
  reader = 'Keyring',
): { ciphertext: Buffer<ArrayBuffer>; info: KeysetInfo | null } {
  const text = textFrom('encrypted', given)
  const cursor = new Cursor(text)
  let ciphertext: Buffer<ArrayBuffer> | undefined
  let info: KeysetInfo | null = null
  cursor.object('', NAMES, member => {
    if (member === 0) ciphertext = decodeBase64('encryptedKeyset', cursor.string('encryptedKeyset'))
    else if (member === 1) info = readInfo(cursor)
    else throw invalidKeyset('', `is not encrypted: ${reader}.parse reads it`)
  })
  cursor.end()
  if (ciphertext === undefined) throw invalidKeyset('encryptedKeyset', 'must be there')
  return { ciphertext, info }
}

function readInfo(cursor: Cursor): KeysetInfo {
  let primary = 0
  const keys: KeyFacts[] = []
  cursor.object('keysetInfo', NAMES_OF_INFO, member => {
    if (member === 0) primary = cursor.number('keysetInfo.primaryKeyId', MAX_ID)
    else
      cursor.array('keysetInfo.keyInfo', i => {
        if (i >= MAX_KEYS) throw invalidKeyset('keysetInfo.keyInfo', `must have at most ${MAX_KEYS} keys`)
        define(keys, `${i}`, readFacts(cursor, `keysetInfo.keyInfo[${i}]`), true)
      })
  })
  return { primary, keys }
}

function readFacts(cursor: Cursor, place: string): KeyFacts {
  let id = 0
  let typeUrl = ''
  let state = 0
  let form = 0
  cursor.object(place, NAMES_OF_KEY, member => {
    if (member === 0) typeUrl = cursor.string(`${place}.typeUrl`)
    else if (member === 1) state = cursor.choice(`${place}.status`, STATUSES)
    else if (member === 2) id = cursor.number(`${place}.keyId`, MAX_ID)
    else form = cursor.choice(`${place}.outputPrefixType`, PREFIXES)
  })
  const status = OUR_STATUSES[state]
  const prefix = OUR_PREFIXES[form]
  if (status === undefined) throw invalidKeyset(`${place}.status`, 'must be ENABLED, DISABLED or DESTROYED')
  if (prefix === undefined)
    throw invalidKeyset(`${place}.outputPrefixType`, 'must be TINK, RAW, CRUNCHY or LEGACY')
  return { id, status, prefix, typeUrl }
}

/** An encrypted keyset as Tink's JSON, on one line. Takes facts from `keyset`, but no keys. */
export function writeEncrypted(
  ciphertext: Uint8Array,
  { primary, keys }: KeysetInfo | Keyset<KeyForm>,
): string {
  let facts = ''
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as KnownKey<KeyForm> | UnsupportedKey | KeyFacts
    const typeUrl = hasOwn(key, 'type')
      ? urlOfKey(key as KnownKey<KeyForm> | UnsupportedKey)
      : (key as KeyFacts).typeUrl
    facts += `${i > 0 ? ',' : ''}{"typeUrl":${quoted(typeUrl)},${textOfFacts(key)}}`
  }
  const info = `{"primaryKeyId":${primary},"keyInfo":[${facts}]}`
  return `{"encryptedKeyset":"${encodeBase64(ciphertext)}","keysetInfo":${info}}`
}

function urlOfKey(key: KnownKey<KeyForm> | UnsupportedKey): string {
  return key.type === null ? (key.typeUrl ?? '') : key.type.typeUrl
}
