// The reader of hand-written formats, whose layout the caller tells.
import type { Aad, LayoutOptions, LegacyReader } from '../../types/legacy.d.ts'
import { define, hasOwn, keys, parseJson, positionOf, rethrowOverflow } from '../base/builtins.cjs'
import { copied } from '../base/bytes.cjs'
import type { TextEncoding } from '../base/encoded.cjs'
import { mistake } from '../base/errors.cjs'
import { coded, count, optionsOf } from '../base/parse.cjs'
import { allocateApart, kindOf } from '../base/views.cjs'
import type { Parts } from './cipher.cjs'
import { copyOfKey, secretsOf } from './keys.cjs'
import {
  complete,
  encodingOf,
  type Found,
  type Layout,
  type Lengths,
  layoutOf,
  openPart,
  type Part,
  read,
  wrong,
} from './layout.cjs'
import { bytesOfAad, type Format, Reader } from './reader.cjs'

const NAMES = ['key', 'layout', 'encoding', 'ivBytes', 'saltBytes', 'aad'] as const
const MOST_OF_SALT = 1024

/** A layout, and the member of a JSON object whose text has it; without a name, it is that of the whole text. */
interface Member {
  readonly name: string | undefined
  readonly layout: Layout
}

export function layoutReader(options: LayoutOptions): LegacyReader {
  const own = optionsOf(options, NAMES)
  const members = membersOf(own('layout'), encodingOf('options.encoding', own('encoding')))
  const lengths = { iv: ivBytes(own('ivBytes')), salt: saltBytes(own('saltBytes')) }
  checkParts(members, lengths)
  const aad = own('aad')
  const key = own('key')
  const parts = (sealed: string) => partsOf(members, sealed, lengths)
  const format = { name: 'layout', parts, aad: aadOf(aad), inner: undefined }
  if (typeof key === 'function') return derivedReader(format, key as Derive, lengths)
  if (lengths.salt !== undefined) {
    throw wrong('options.key', 'must be a function of the salt, because the layout has a salt')
  }
  const secrets = secretsOf('options.key', key, copyOfKey)
  return new Reader({ ...format, key: secret => secret, derives: false }, secrets)
}

type Derive = (salt: Uint8Array) => unknown

/** A reader whose caller derives the key of each message. Its one secret is empty. */
function derivedReader(
  format: Omit<Format, 'key' | 'derives'>,
  derive: Derive,
  lengths: Lengths,
): LegacyReader {
  if (lengths.salt === undefined) {
    throw wrong('options.key', 'must not be a function, because the layout has no salt: derive the key once')
  }
  const key = (_: unknown, { salt }: Parts) => copyOfKey('options.key()', derive(salt as Uint8Array))
  return new Reader({ ...format, key, derives: true }, [allocateApart(0)])
}

function aadOf(aad: unknown): (ofCall: Aad) => Aad | undefined {
  if (typeof aad === 'function') return ofCall => aad(ofCall)
  const bytes = bytesOfAad('options.aad', aad)
  const own = bytes === undefined ? undefined : copied(bytes)
  return () => own
}

function ivBytes(value: unknown): number | undefined {
  if (value === undefined || value === 12 || value === 16) return value
  if (typeof value === 'number') {
    throw mistake(RangeError, 'ERR_OUT_OF_RANGE', `"options.ivBytes" must be 12 or 16, got ${value}`)
  }
  throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options.ivBytes" must be a number, got ${kindOf(value)}`)
}

function saltBytes(value: unknown): number | undefined {
  return value === undefined ? undefined : count('options.saltBytes', value, 1, MOST_OF_SALT)
}

function membersOf(layout: unknown, encoding: TextEncoding): readonly Member[] {
  if (typeof layout === 'string') {
    return [{ name: undefined, layout: layoutOf('options.layout', layout, encoding) }]
  }
  if (typeof layout !== 'object' || layout === null) {
    const what = `must be a string, or an object for JSON, got ${kindOf(layout)}`
    throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options.layout" ${what}`)
  }
  const names = namesOf(layout)
  const own = optionsOf(layout, names, 'options.layout')
  const members: Member[] = []
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    const argument = `options.layout.${name}`
    const text = own(name)
    if (typeof text !== 'string') {
      throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"${argument}" must be a string, got ${kindOf(text)}`)
    }
    define(members, `${i}`, { name, layout: layoutOf(argument, text, encoding) }, true)
  }
  return members
}

function namesOf(layout: object): readonly string[] {
  try {
    return keys(layout)
  } catch (error) {
    throw coded('options.layout', layout, error)
  }
}

/** Throws unless a layout has each part once, and every end of a part can be found. */
function checkParts(members: readonly Member[], lengths: Lengths): void {
  const counts: Record<Part, number> = { iv: 0, tag: 0, ct: 0, salt: 0 }
  for (let m = 0; m < members.length; m++) {
    const { runs } = (members[m] as Member).layout
    for (let r = 0; r < runs.length; r++) {
      const { parts } = runs[r] as Layout['runs'][number]
      for (let i = 0; i < parts.length; i++) counts[parts[i] as Part]++
      const hasIv = positionOf(parts, 'iv') >= 0
      if (hasIv && lengths.iv === undefined && openPart(parts, lengths) !== 'iv') {
        const what = 'must be 12 or 16, because the layout has the IV beside the ciphertext'
        throw wrong('options.ivBytes', what)
      }
    }
  }
  if (counts.iv !== 1 || counts.tag !== 1 || counts.ct !== 1 || counts.salt > 1) {
    throw wrong(
      'options.layout',
      "must have '{iv}', '{tag}' and '{ct}', each once, and '{salt}' at most once",
    )
  }
  if ((counts.salt === 1) !== (lengths.salt !== undefined)) {
    throw wrong('options.saltBytes', "must be the length of '{salt}', and is left out without it")
  }
}

function partsOf(members: readonly Member[], sealed: string, lengths: Lengths): Parts | undefined {
  const found = { __proto__: null } as Found
  const object = members[0]?.name === undefined ? undefined : objectOf(sealed)
  for (let i = 0; i < members.length; i++) {
    const { name, layout } = members[i] as Member
    const text = name === undefined ? sealed : textAt(object, name)
    if (text === undefined || !read(layout, text, lengths, found)) return undefined
  }
  return complete(found)
}

function objectOf(json: string): object | undefined {
  try {
    const value: unknown = parseJson(json)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

function textAt(object: object | undefined, name: string): string | undefined {
  const value = object !== undefined && hasOwn(object, name) ? object[name as never] : undefined
  return typeof value === 'string' ? value : undefined
}
