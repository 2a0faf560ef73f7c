// Keysets as Protocol Buffers, the form that Tink encrypts.
//
// Keyset: primary_key_id = 1, key = 2. Key: key_data = 1, status = 2, key_id = 3,
// output_prefix_type = 4. KeyData: type_url = 1, value = 2, key_material_type = 3.
import type { Buffer } from 'node:buffer'
import { positionOf } from '../../../cipher/base/builtins.cjs'
import { copied, lengthOf } from '../../../cipher/base/bytes.cjs'
import { shared } from '../../../cipher/base/errors.cjs'
import { bytesOfText, textOfBytes } from '../../../cipher/base/utf8.cjs'
import { byteLength, isShared, wipe } from '../../../cipher/base/views.cjs'
import { buildKeyset, type KeyAdder, type RawKeyEntry } from './builder.cjs'
import { invalidKeyset } from './errors.cjs'
import type { KeyForm, KeysetForm } from './form.cjs'
import {
  isKnown,
  type Keyset,
  type KnownKey,
  MAX_BYTES,
  MAX_MATERIAL,
  OUR_PREFIXES,
  OUR_STATUSES,
  type UnsupportedKey,
} from './model.cjs'
import { partOf } from './value.cjs'
import { type FieldType, readMessage, sizeOfBytes, sizeOfMessage, sizeOfNumber, Writer } from './wire.cjs'

// Numbers of fields, the positions in the messages' lists of types.
const PRIMARY = 1
const KEYS = 2
const DATA = 1
const STATUS = 2
const ID = 3
const PREFIX = 4
const URL = 1
const VALUE = 2
const MATERIAL = 3
/** The tag of the field `value`, which follows the name of a key's type, as a character. */
export const TAG_OF_VALUE = '\x12'
const KEYSET: readonly (FieldType | undefined)[] = [undefined, 'number', 'repeated']
const KEY: readonly (FieldType | undefined)[] = [undefined, 'bytes', 'number', 'number', 'number']
const KEY_DATA: readonly (FieldType | undefined)[] = [undefined, 'bytes', 'bytes', 'number']

/** The key data of a key, if it has any. */
type Data = Pick<RawKeyEntry, 'typeUrl' | 'value' | 'material'>

/** Reads a keyset. Copies the bytes first, and wipes the copy. */
export function decodeKeyset<Type extends KeyForm>(form: KeysetForm<Type>, bytes: Uint8Array): Keyset<Type> {
  const length = lengthOf('keyset', bytes)
  if (isShared(bytes)) throw shared('keyset')
  if (length > MAX_BYTES) throw invalidKeyset('', `must have at most ${MAX_BYTES} bytes, got ${length}`)
  const message = copied(bytes, length)
  try {
    return buildKeyset(form, builder => readAll(builder, message))
  } finally {
    wipe(message, 0)
  }
}

function readAll(builder: KeyAdder, message: Uint8Array): number {
  let primary = 0
  let count = 0
  const keepPrimary = (_: number, value: number) => {
    primary = value
  }
  readMessage(message, 0, byteLength(message), '', KEYSET, keepPrimary, (_, start, end) => {
    builder.refuseIfFull()
    builder.add(keyIn(message, start, end, `key[${count++}]`))
  })
  return primary
}

function keyIn(message: Uint8Array, start: number, end: number, place: string): RawKeyEntry {
  let status = 0
  let id = 0
  let prefix = 0
  let from = -1
  let to = 0
  const keepNumber = (field: number, value: number) => {
    if (field === STATUS) status = value
    else if (field === ID) id = value
    else prefix = value
  }
  readMessage(message, start, end, place, KEY, keepNumber, (_, dataStart, dataEnd) => {
    from = dataStart
    to = dataEnd
  })
  // Read last, so no error follows the copy of its value.
  const none = { typeUrl: null, value: null, material: 0 }
  return { id, status, prefix, ...(from < 0 ? none : dataIn(message, from, to, `${place}.keyData`)) }
}

function dataIn(message: Uint8Array, start: number, end: number, place: string): Data {
  let material = 0
  let url = partOf(message, 0, 0)
  let from = 0
  let size = 0
  const keepMaterial = (_: number, value: number) => {
    material = value
  }
  readMessage(message, start, end, place, KEY_DATA, keepMaterial, (field, begin, stop) => {
    if (field === URL) {
      url = partOf(message, begin, stop - begin)
      return
    }
    from = begin
    size = stop - begin
  })
  if (material > MAX_MATERIAL) throw invalidKeyset(`${place}.keyMaterialType`, 'is unknown')
  const typeUrl = textOfBytes(url)
  if (typeUrl === undefined) throw invalidKeyset(`${place}.typeUrl`, 'must be UTF-8')
  return { typeUrl, value: partOf(message, from, size), material }
}

/** A keyset as Protocol Buffers, in its own memory, which the caller wipes. */
export function encodeKeyset<Type extends KeyForm>(
  form: KeysetForm<Type>,
  { primary, keys }: Keyset<Type>,
): Buffer<ArrayBuffer> {
  let size = sizeOfNumber(primary)
  for (let i = 0; i < keys.length; i++) {
    size += withData(form, keys[i] as Key<Type>, (_, __, whole) => sizeOfMessage(whole))
  }
  const writer = new Writer(size)
  writer.number(PRIMARY, primary)
  for (let i = 0; i < keys.length; i++) {
    withData(form, keys[i] as Key<Type>, (data, length, whole) => {
      const { id, status, prefix } = keys[i] as Key<Type>
      writer.begin(KEYS, whole)
      if (data !== undefined) {
        writer.begin(DATA, length)
        writer.bytes(URL, data.url)
        writer.bytes(VALUE, data.value)
        writer.number(MATERIAL, data.material)
      }
      writer.number(STATUS, positionOf(OUR_STATUSES, status))
      writer.number(ID, id)
      writer.number(PREFIX, positionOf(OUR_PREFIXES, prefix))
    })
  }
  return writer.memory
}

type Key<Type extends KeyForm> = KnownKey<Type> | UnsupportedKey

/** Lends `use` a key's data, if any, with the lengths of the messages KeyData and Key. */
function withData<Type extends KeyForm, Result>(
  form: KeysetForm<Type>,
  key: Key<Type>,
  use: (
    data: { url: Uint8Array; value: Uint8Array; material: number } | undefined,
    length: number,
    whole: number,
  ) => Result,
): Result {
  const facts =
    sizeOfNumber(positionOf(OUR_STATUSES, key.status)) +
    sizeOfNumber(key.id) +
    sizeOfNumber(positionOf(OUR_PREFIXES, key.prefix))
  const known = isKnown(key)
  const typeUrl = known ? key.type.typeUrl : key.typeUrl
  const value = known ? form.write(key) : key.value
  if (typeUrl === null || value === null) return use(undefined, 0, facts)
  try {
    const url = bytesOfText(typeUrl)
    const material = known ? form.material : key.material
    const length = sizeOfBytes(byteLength(url)) + sizeOfBytes(byteLength(value)) + sizeOfNumber(material)
    return use({ url, value, material }, length, sizeOfMessage(length) + facts)
  } finally {
    if (known) wipe(value, 0)
  }
}
