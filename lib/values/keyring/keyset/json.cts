// Keysets as texts: Tink's JSON, and one line for an environment variable.
//
// A text with keys stays in JavaScript's memory until it is collected, and cannot be wiped. Keys
// read from it have their own memory, which their owner wipes.
import { positionOf, unitAt } from '../../../cipher/base/builtins.cjs'
import { wrongType } from '../../../cipher/base/errors.cjs'
import { onFailure } from '../../../cipher/base/on-failure.cjs'
import { withoutMark } from '../../../cipher/base/utf8.cjs'
import { kindOf, wipe } from '../../../cipher/base/views.cjs'
import { buildKeyset, type KeyAdder, type RawKeyEntry } from './builder.cjs'
import { Cursor, type Name } from './cursor.cjs'
import { decodeBase64, encodeBase64 } from './encoding.cjs'
import { invalidKeyset } from './errors.cjs'
import type { KeyForm, KeysetForm } from './form.cjs'
import { readLine } from './id-key-list.cjs'
import {
  isKnown,
  type Keyset,
  type KnownKey,
  MATERIALS,
  MAX_CHARACTERS,
  MAX_ID,
  MAX_MATERIAL,
  OUR_PREFIXES,
  OUR_STATUSES,
  PREFIXES,
  STATUSES,
  type UnsupportedKey,
} from './model.cjs'

/** A text as JSON writes it. */
export const { stringify: quoted } = JSON

const NAMES: readonly Name[] = [
  ['primaryKeyId', 'primary_key_id'],
  ['key', 'key'],
  ['encryptedKeyset', 'encrypted_keyset'],
]
const NAMES_OF_KEY: readonly Name[] = [
  ['keyData', 'key_data'],
  ['status', 'status'],
  ['keyId', 'key_id'],
  ['outputPrefixType', 'output_prefix_type'],
]
const NAMES_OF_DATA: readonly Name[] = [
  ['typeUrl', 'type_url'],
  ['value', 'value'],
  ['keyMaterialType', 'key_material_type'],
]

/** Reads a keyset: JSON if the text begins with a brace, otherwise a line. */
export function readKeyset<Type extends KeyForm>(
  form: KeysetForm<Type>,
  given: string | undefined,
): Keyset<Type> {
  const text = textFrom('keyset', given)
  return buildKeyset(form, builder => {
    if (isJson(text)) return readJson(builder, text, form.reader)
    if (!form.isLine) throw invalidKeyset('', "must be Tink's JSON")
    // Only the keys of Keyring may be on a line.
    return readLine(builder as never, text)
  })
}

/**
 * A keyset's text of acceptable length, without the byte order mark with which editors on Windows
 * begin a file. RFC 8259 lets readers of JSON ignore it.
 */
export function textFrom(name: string, text: unknown): string {
  if (typeof text !== 'string') {
    const help = text === undefined ? ': if it comes from an environment variable, set the variable' : ''
    throw wrongType(`"${name}" must be a string, got ${kindOf(text)}${help}`)
  }
  if (text.length > MAX_CHARACTERS)
    throw invalidKeyset('', `must have at most ${MAX_CHARACTERS} characters, got ${text.length}`)
  const keyset = withoutMark(text)
  if (isQuoted(keyset))
    throw invalidKeyset('', 'must not be in quotes: remove them, because docker --env-file does not')
  return keyset
}

/** Whether the first character after white space is a quotation mark, as in no keyset. */
function isQuoted(text: string): boolean {
  const code = unitAt(text, afterSpace(text))
  return code === 0x22 || code === 0x27
}

function afterSpace(text: string): number {
  let at = 0
  while (unitAt(text, at) <= 0x20) at++
  return at
}

/** Whether the first character after white space is a brace or a bracket. */
function isJson(text: string): boolean {
  const code = unitAt(text, afterSpace(text))
  return code === 0x7b || code === 0x5b
}

function readJson(builder: KeyAdder, text: string, reader: string): number {
  const cursor = new Cursor(text)
  let primary = 0
  cursor.object('', NAMES, member => {
    if (member === 0) primary = cursor.number('primaryKeyId', MAX_ID)
    else if (member === 1) cursor.array('key', i => readKey(builder, cursor, `key[${i}]`))
    else throw invalidKeyset('', `is encrypted: ${reader}.unwrap opens it`)
  })
  cursor.end()
  return primary
}

function readKey(builder: KeyAdder, cursor: Cursor, place: string): void {
  builder.refuseIfFull()
  let status = 0
  let id = 0
  let prefix = 0
  let data: Pick<RawKeyEntry, 'typeUrl' | 'value' | 'material'> = { typeUrl: null, value: null, material: 0 }
  const drop = () => {
    if (data.value !== null) wipe(data.value, 0)
  }
  onFailure(drop, () =>
    cursor.object(place, NAMES_OF_KEY, member => {
      if (member === 0) data = readData(cursor, `${place}.keyData`)
      else if (member === 1) status = cursor.choice(`${place}.status`, STATUSES)
      else if (member === 2) id = cursor.number(`${place}.keyId`, MAX_ID)
      else prefix = cursor.choice(`${place}.outputPrefixType`, PREFIXES)
    }),
  )
  builder.add({ id, status, prefix, ...data })
}

function readData(cursor: Cursor, place: string): Pick<RawKeyEntry, 'typeUrl' | 'value' | 'material'> {
  let typeUrl = ''
  let value = decodeBase64('', '')
  let material = 0
  const drop = () => void wipe(value, 0)
  onFailure(drop, () =>
    cursor.object(place, NAMES_OF_DATA, member => {
      if (member === 0) typeUrl = cursor.string(`${place}.typeUrl`)
      else if (member === 1) value = decodeBase64(`${place}.value`, cursor.string(`${place}.value`))
      else material = cursor.choice(`${place}.keyMaterialType`, MATERIALS, MAX_MATERIAL)
    }),
  )
  return { typeUrl, value, material }
}

/** A keyset as Tink's JSON, on one line. The text holds the keys in the clear. */
export function writeKeyset<Type extends KeyForm>(
  form: KeysetForm<Type>,
  { primary, keys }: Keyset<Type>,
): string {
  let texts = ''
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as KnownKey<Type> | UnsupportedKey
    texts += `${i > 0 ? ',' : ''}{${textOfData(form, key)}${textOfFacts(key)}}`
  }
  return `{"primaryKeyId":${primary},"key":[${texts}]}`
}

/** The members common to a keyset and to the clear part of an encrypted keyset. */
export function textOfFacts({ id, status, prefix }: Omit<KnownKey<never>, 'type' | 'bytes'>): string {
  const names = `"status":"${STATUSES[positionOf(OUR_STATUSES, status)]}","keyId":${id}`
  return `${names},"outputPrefixType":"${PREFIXES[positionOf(OUR_PREFIXES, prefix)]}"`
}

function textOfData<Type extends KeyForm>(
  form: KeysetForm<Type>,
  key: KnownKey<Type> | UnsupportedKey,
): string {
  if (!isKnown(key)) {
    const { typeUrl, value, material } = key
    return typeUrl === null || value === null ? '' : textOfFields(typeUrl, value, material)
  }
  const value = form.write(key)
  try {
    return textOfFields(key.type.typeUrl, value, form.material)
  } finally {
    wipe(value, 0)
  }
}

function textOfFields(typeUrl: string, value: Uint8Array, material: number): string {
  const name = material < MATERIALS.length ? `"${MATERIALS[material]}"` : material
  return `"keyData":{"typeUrl":${quoted(typeUrl)},"value":"${encodeBase64(value)}","keyMaterialType":${name}},`
}
