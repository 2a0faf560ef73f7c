// The reader of hand-written formats, whose layout the caller describes.
import type { Aad, LayoutOptions, LegacyReader } from '../../../types/legacy.d.ts'
import { positionOf } from '../../cipher/base/builtins.cjs'
import { copied } from '../../cipher/base/bytes.cjs'
import { mustBe, outOfRange } from '../../cipher/base/errors.cjs'
import { count, optionsOf } from '../../cipher/base/parse.cjs'
import { allocateOffHeap } from '../../cipher/base/views.cjs'
import type { Parts } from './cipher.cjs'
import { copyOfKey, secretsOf } from './keys.cjs'
import {
  ENCODINGS,
  encodingOf,
  isBare,
  type Layout,
  type Lengths,
  openPart,
  type Part,
  type PartEncoding,
  wrong,
} from './layout.cjs'
import { type Member, membersOf, partsOf } from './members.cjs'
import { bytesOfAad, type Format, Reader } from './reader.cjs'
import { keyOf } from './text-key.cjs'

const NAMES = ['key', 'layout', 'encoding', 'outerEncoding', 'ivBytes', 'saltBytes', 'aad'] as const
const MAX_SALT = 1024

/** Reads hand-written formats: texts, and bytes or objects where the layout allows them. */
export function layoutReader(options: LayoutOptions): LegacyReader<string | object> {
  const own = optionsOf(options, NAMES)
  const encoding = optional('options.encoding', own('encoding'))
  const outer = optional('options.outerEncoding', own('outerEncoding'))
  const members = membersOf(own('layout'), encoding)
  const lengths = { iv: ivBytes(own('ivBytes')), salt: saltBytes(own('saltBytes')) }
  checkParts(members, lengths)
  const aad = own('aad')
  const key = own('key')
  const format = {
    name: 'layout',
    also: alsoOf(members, outer),
    parts: (sealed: string | object) => partsOf(members, sealed, lengths, outer),
    aad: aadOf(aad),
    inner: undefined,
  }
  if (typeof key === 'function') return derivedReader(format, key as Derive, lengths)
  if (lengths.salt !== undefined)
    throw wrong('options.key', 'must be a function of the salt, because the layout has a salt')
  return new Reader(
    { ...format, key: secret => secret, derives: false },
    secretsOf('options.key', key, keyOf),
  )
}

function optional(name: string, value: unknown): PartEncoding | undefined {
  return value === undefined ? undefined : encodingOf(name, value, ENCODINGS)
}

/** An object for members; bytes for parts with nothing around them. */
function alsoOf(members: readonly Member[], outer: PartEncoding | undefined): Format['also'] {
  const { path, layout } = members[0] as Member
  if (path.length > 0) return 'an object'
  return outer === undefined && isBare(layout) ? 'a Uint8Array' : undefined
}

type Derive = (salt: Uint8Array) => unknown

/** A reader whose caller derives the key of each message. Its one secret is empty. */
function derivedReader(
  format: Omit<Format, 'key' | 'derives'>,
  derive: Derive,
  lengths: Lengths,
): LegacyReader<string | object> {
  if (lengths.salt === undefined)
    throw wrong('options.key', 'must not be a function, because the layout has no salt: derive the key once')
  const key = (_: unknown, { salt }: Parts) => copyOfKey('options.key()', derive(salt as Uint8Array))
  return new Reader({ ...format, key, derives: true }, [allocateOffHeap(0)])
}

function aadOf(aad: unknown): (ofCall: Aad) => Aad | undefined {
  if (typeof aad === 'function') return ofCall => aad(ofCall)
  const bytes = bytesOfAad('options.aad', aad)
  const own = bytes === undefined ? undefined : copied(bytes)
  return () => own
}

function ivBytes(value: unknown): number | undefined {
  if (value === undefined || value === 12 || value === 16) return value
  if (typeof value === 'number') throw outOfRange(`"options.ivBytes" must be 12 or 16, got ${value}`)
  throw mustBe('options.ivBytes', 'a number', value)
}

function saltBytes(value: unknown): number | undefined {
  return value === undefined ? undefined : count('options.saltBytes', value, 1, MAX_SALT)
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
  if ((counts.salt === 1) !== (lengths.salt !== undefined))
    throw wrong('options.saltBytes', "must be the length of '{salt}', and is left out without it")
}
