// Builds a keyset key by key, from any form. The rules are those of Tink for Python and Go; where
// they differ, the stricter.
import { crypto, define, positionOf } from '../../../cipher/base/builtins.cjs'
import { onFailure } from '../../../cipher/base/on-failure.cjs'
import { isWellFormed } from '../../../cipher/base/utf8.cjs'
import { byteLength, wipe } from '../../../cipher/base/views.cjs'
import { invalidKeyset } from './errors.cjs'
import type { KeyForm, KeysetForm } from './form.cjs'
import type { KeyTypeSpec } from './key-types.cjs'
import {
  ASYMMETRIC_PUBLIC,
  type Keyset,
  type KnownKey,
  MATERIALS,
  MAX_RAW_KEYS,
  MAX_URL_CHARACTERS,
  MAX_VALUE_BYTES,
  OUR_PREFIXES,
  OUR_STATUSES,
  type UnsupportedKey,
  wipeKeys,
} from './model.cjs'

const { timingSafeEqual } = crypto

/** A key as read from a keyset. Numbers are Tink's. */
export interface RawKeyEntry {
  readonly id: number
  readonly status: number
  readonly prefix: number
  /** Null if there is no key data. */
  readonly typeUrl: string | null
  readonly value: Uint8Array | null
  readonly material: number
}

/** As much of a builder as its readers need. */
export type KeyAdder = Pick<KeysetBuilder, 'refuseIfFull' | 'add'>

/** A keyset, key by key. */
export class KeysetBuilder<Type extends KeyForm = KeyTypeSpec> {
  readonly #form: KeysetForm<Type>
  readonly #keys: (KnownKey<Type> | UnsupportedKey)[] = []
  #raw = 0
  #bytes = 0

  constructor(form: KeysetForm<Type>) {
    this.#form = form
  }

  /** Refuses another key if there are too many, before it is read. */
  refuseIfFull(): void {
    const { maxKeys } = this.#form
    if (this.#keys.length >= maxKeys) throw invalidKeyset('key', `must have at most ${maxKeys} keys`)
  }

  /** Adds a key, whose `value` now belongs to this builder. */
  add(raw: RawKeyEntry): void {
    const drop = () => {
      if (raw.value !== null) wipe(raw.value, 0)
    }
    onFailure(drop, () => {
      const key = this.#read(`key[${this.#keys.length}]`, raw)
      this.keep(key)
      if (key.type !== null) drop()
    })
  }

  /**
   * Adds a parsed key. Refuses an id that another key has, and the bytes of a key of another
   * cipher. `byHand`: also refuses ids whose texts begin alike, and any bytes that another key has.
   */
  keep(key: KnownKey<Type> | UnsupportedKey, byHand = false): void {
    const keys = this.#keys
    // Not `push`, which could run a setter of Array.prototype.
    define(keys, `${keys.length}`, key, true)
    const place = `key[${keys.length - 1}]`
    for (let i = 0; i < keys.length - 1; i++) {
      const other = keys[i] as KnownKey<Type> | UnsupportedKey
      if (other.id === key.id) throw invalidKeyset(`${place}.keyId`, `must not be that of key[${i}]`)
      if (byHand && other.id >>> 4 === key.id >>> 4) {
        const what = `must be 16 or more apart from that of key[${i}], or their texts would begin alike`
        throw invalidKeyset(`${place}.keyId`, what)
      }
      if ((byHand || other.type !== key.type) && hasSameBytes(other, key)) {
        const what = byHand
          ? `must not be that of key[${i}]`
          : `must not be that of key[${i}], of another cipher`
        throw invalidKeyset(`${place}.keyData.value`, what)
      }
    }
    if (key.prefix === 'raw' && key.status === 'enabled' && ++this.#raw > MAX_RAW_KEYS) {
      throw invalidKeyset(
        `${place}.outputPrefixType`,
        `must not be RAW: there are ${MAX_RAW_KEYS} enabled keys like it already, which is the limit`,
      )
    }
  }

  /** Puts the keys in the order of their ids. */
  sort(): void {
    const keys = this.#keys
    for (let i = 1; i < keys.length; i++) {
      const key = keys[i] as KnownKey<Type>
      let to = i
      for (; to > 0 && (keys[to - 1] as KnownKey<Type>).id > key.id; to--)
        keys[to] = keys[to - 1] as KnownKey<Type>
      keys[to] = key
    }
  }

  /** The whole keyset. The primary must be there and enabled. */
  finish(primary: number): Keyset<Type> {
    const keys = this.#keys
    if (keys.length === 0) throw invalidKeyset('key', 'must have a key')
    for (let i = 0; i < keys.length; i++) {
      const { id, status } = keys[i] as KnownKey<Type>
      if (id !== primary) continue
      if (status === 'enabled') return { primary, keys }
      throw invalidKeyset('primaryKeyId', `must be the id of an enabled key: key[${i}] is ${status}`)
    }
    throw invalidKeyset('primaryKeyId', 'must be the id of one of the keys')
  }

  /** Wipes all keys, after a failure. */
  wipe(): void {
    wipeKeys(this.#keys)
  }

  #read(place: string, { id, status: number, prefix: form, typeUrl, value, material }: RawKeyEntry) {
    // Asked for their length, since a number may be any, and a prototype may have it as a property.
    const status = number < OUR_STATUSES.length ? OUR_STATUSES[number] : undefined
    if (status === undefined) throw invalidKeyset(`${place}.status`, 'must be ENABLED, DISABLED or DESTROYED')
    const prefix = form < OUR_PREFIXES.length ? OUR_PREFIXES[form] : undefined
    if (prefix === undefined)
      throw invalidKeyset(`${place}.outputPrefixType`, 'must be TINK, RAW, CRUNCHY or LEGACY')
    if (typeUrl === null || value === null) {
      // Tink for Java deletes the data of a key that it destroys. Tink for Go then refuses the
      // keyset, Tink for Python does not.
      if (status !== 'destroyed') throw invalidKeyset(`${place}.keyData`, 'must be there')
      return { id, status, prefix, type: null, typeUrl: null, value: null, material: 0 } as const
    }
    const data = `${place}.keyData`
    if (typeUrl.length > MAX_URL_CHARACTERS || !isWellFormed(typeUrl))
      throw invalidKeyset(`${data}.typeUrl`, `must be Unicode, at most ${MAX_URL_CHARACTERS} characters`)
    const known = this.#form.read(`${data}.value`, typeUrl, value, status === 'enabled')
    if (known === undefined) this.#refuseUnknown(data, typeUrl, status, material)
    else {
      const fault = this.#faultOf(place, known.type, prefix, material)
      if (fault !== undefined || status === 'destroyed') wipe(known.bytes, 0)
      if (fault !== undefined) throw fault
      if (status !== 'destroyed') return { id, status, prefix, type: known.type, bytes: known.bytes } as const
    }
    return this.#kept(data, { id, status, prefix, type: null, typeUrl, value, material })
  }

  /** Refuses a key of a type that the form does not know, unless it can be kept unused. */
  #refuseUnknown(data: string, typeUrl: string, status: string, material: number): void {
    const { readerOf, wanted, keepsOthers, material: needed } = this.#form
    const reader = readerOf(typeUrl)
    if (status === 'enabled' || (reader !== undefined && !keepsOthers)) {
      const what = reader === undefined ? '' : `: this is a key for ${reader}`
      throw invalidKeyset(`${data}.typeUrl`, `must be ${wanted}${what}`)
    }
    if (needed !== ASYMMETRIC_PUBLIC || material === needed) return
    const what = `must be ${MATERIALS[needed]}: a public keyset has no secret, even of a key that is not enabled`
    throw invalidKeyset(`${data}.keyMaterialType`, what)
  }

  /** What is wrong with the data around a key of a known type, if anything. */
  #faultOf(place: string, { name, prefixes }: Type, prefix: string, material: number): Error | undefined {
    const needed = this.#form.material
    if (material !== needed)
      return invalidKeyset(`${place}.keyData.keyMaterialType`, `must be ${MATERIALS[needed]}`)
    if (positionOf(prefixes, prefix) >= 0) return undefined
    return invalidKeyset(`${place}.outputPrefixType`, `must be TINK or RAW, for a key of ${name}`)
  }

  /** Values of other keys are short, so a keyset that was read can be written with more of them. */
  #kept(data: string, key: UnsupportedKey & { readonly value: Uint8Array }): UnsupportedKey {
    this.#bytes += byteLength(key.value)
    if (this.#bytes <= MAX_VALUE_BYTES) return key
    const what = `must not bring those of all keys that are kept unused over ${MAX_VALUE_BYTES} bytes`
    throw invalidKeyset(`${data}.value`, what)
  }
}

type AnyKey = KnownKey<KeyForm> | UnsupportedKey

function hasSameBytes(one: AnyKey, other: AnyKey): boolean {
  if (one.type === null || other.type === null || byteLength(one.bytes) !== byteLength(other.bytes))
    return false
  return timingSafeEqual(one.bytes, other.bytes)
}

/** Lends `fill` a builder; returns the keyset with the primary id that it returns. */
export function buildKeyset<Type extends KeyForm>(
  form: KeysetForm<Type>,
  fill: (builder: KeysetBuilder<Type>) => number,
): Keyset<Type> {
  const builder = new KeysetBuilder(form)
  return onFailure(
    () => builder.wipe(),
    () => builder.finish(fill(builder)),
  )
}
