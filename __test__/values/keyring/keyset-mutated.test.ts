// Keysets with random faults, as JSON, on one line and as Protocol Buffers: typed errors only, which show no byte of a key.
import { deepStrictEqual } from 'node:assert'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { must, Random } from '../../tools/support.js'
import { count, randomTest } from '../../tools/whole.js'
import {
  decodeKeyset,
  encodeKeyset,
  INVALID,
  type Keyset,
  type KnownKey,
  readEncrypted,
  readKeyset,
  writeEncrypted,
  writeKeyset,
} from './internals.js'
import { randomKeyset, tracesOf } from './keysets.js'

const KEYSETS = count(60, 250)
const EACH = 20

/** Values that take the place of one in JSON. */
const VALUES = [
  ...'null true -1 1.5 1e400 1e-400 4294967296 "" "1" [] {} [[[[]]]] {"a":{}}'.split(' '),
  ...String.raw`"\ud800" "\u0000" "RAW" "ENABLED" "DESTROYED" 3 "__proto__" "=" "AAAA" -0 01`.split(' '),
]
const CHARACTERS = [...'"\\{}[],:=-_\u0000\ud800é 0A']

/** A text with a character or a range changed, or, in JSON, a value. */
function changedText(random: Random, text: string): string {
  const at = random.below(text.length)
  const end = Math.min(text.length, at + 1 + random.below(random.pick([1, 8, 200])))
  switch (random.below(7)) {
    case 0:
      return text.slice(0, at) + random.pick(CHARACTERS) + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + text.slice(end)
    case 2:
      return text.slice(0, end) + text.slice(at)
    case 3:
      return text.slice(0, at) + random.pick(CHARACTERS) + text.slice(at)
    case 4:
      return text.slice(0, at)
    case 5: {
      const code = text.charCodeAt(at) ^ (1 << random.below(7))
      return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
    }
    default: {
      const values = [...text.matchAll(/(?<=:)("(?:[^"\\]|\\.)*"|\d+)|(?<=[:,])(?=[{[])/g)]
      if (values.length === 0) return `${text}${text}`
      const value = random.pick(values)
      return text.slice(0, value.index) + random.pick(VALUES) + text.slice(value.index + value[0].length)
    }
  }
}

function changedBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length)
  const end = Math.min(bytes.length, at + 1 + random.below(20))
  const copy = Buffer.from(bytes)
  switch (random.below(6)) {
    case 0:
      copy[at] = (copy[at] as number) ^ (1 << random.below(8))
      return copy
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
    case 2:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)])
    case 3:
      return bytes.subarray(0, at)
    case 4:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(4)), bytes.subarray(at)])
    default:
      // Tags and small lengths, where most faults of a form are.
      copy[at] = random.pick([0x00, 0x08, 0x0a, 0x10, 0x12, 0x18, 0x1a, 0x20, 0x7f, 0x80, 0xff])
      return copy
  }
}

const line = (random: Random, { keys }: Keyset) =>
  keys
    .filter((key): key is KnownKey => key.type?.name.endsWith('-GCM') === true)
    .map(
      ({ id, bytes }) => `${id}:${Buffer.from(bytes).toString(random.pick(['hex', 'base64', 'base64url']))}`,
    )
    .join()

randomTest(`${4 * KEYSETS * EACH} keysets with faults`, () => {
  const random = new Random('mutated keysets')
  const counts: Record<string, { read: number; refused: number; messages: Set<string> }> = {}
  for (let i = 0; i < KEYSETS; i++) {
    const set = randomKeyset(random)
    const traces = tracesOf(set)
    const bytes = encodeKeyset(set)
    const short = line(random, set) || '1:AAAAAAAAAAAAAAAAAAAAAA'
    const forms: Record<string, () => unknown> = {
      json: () => readAgain(readKeyset(several(changedText, random, writeKeyset(set)))),
      line: () => readAgain(readKeyset(several(changedText, random, short))),
      protobuf: () => readAgain(decodeKeyset(several(changedBytes, random, bytes))),
      encrypted: () => readEncrypted(several(changedText, random, writeEncrypted(bytes, set))),
    }
    for (const [form, run] of Object.entries(forms)) {
      counts[form] ??= { read: 0, refused: 0, messages: new Set() }
      for (let n = 0; n < EACH; n++) {
        try {
          run()
          counts[form].read++
        } catch (error) {
          const { code, name } = error as Error & { code?: string }
          must(code === INVALID && name === 'AesGcmError', () => `${form}: ${inspect(error)}`)
          // Without the names of functions, which take most of the time.
          const shown = `${inspect(error)}${JSON.stringify(error)}`.replace(/^ {4}at .*$/gm, '')
          must(!traces.some(trace => shown.includes(trace)), () => `${form} shows a key: ${shown}`)
          counts[form].refused++
          counts[form].messages.add((error as Error).message.replace(/\d+/g, 'N'))
        }
      }
    }
  }
  // Each form is refused for many reasons, and sometimes stays a keyset.
  for (const [form, { read, refused, messages }] of Object.entries(counts)) {
    console.log(`${form}: ${read} read, ${refused} refused with ${messages.size} messages`)
    expect(read + refused, form).toBe(KEYSETS * EACH)
    expect(read, form).toBeGreaterThan(0.004 * KEYSETS * EACH)
    expect(refused, form).toBeGreaterThan(0.4 * KEYSETS * EACH)
    expect(messages.size, form).toBeGreaterThan(form === 'line' ? 4 : 15)
  }
})

/** Mostly one fault, sometimes a few. */
function several<Form>(change: (random: Random, form: Form) => Form, random: Random, form: Form): Form {
  let changed = change(random, form)
  while (random.below(5) === 0 && (changed as { length: number }).length > 0)
    changed = change(random, changed)
  return changed
}

/** A keyset that is read in spite of its fault is a keyset like any other. */
function readAgain(keyset: Keyset): void {
  deepStrictEqual(readKeyset(writeKeyset(keyset)), keyset)
  deepStrictEqual(decodeKeyset(encodeKeyset(keyset)), keyset)
}

test('planted: a message with six bytes of a key would be noticed', () => {
  const random = new Random('planted')
  const set = randomKeyset(random, 1)
  const [{ bytes }] = set.keys as [KnownKey]
  const traces = tracesOf(set)
  const isNoticed = (text: string) =>
    traces.some(trace => `"key[0]" of the keyset is ${text}.`.includes(trace))
  for (let at = 0; at <= bytes.length - 6; at++) {
    const part = Buffer.from(bytes.subarray(at, at + 6))
    expect(isNoticed(part.toString('hex'))).toBe(true)
    expect(isNoticed(part.toString('latin1'))).toBe(true)
    expect(isNoticed(part.toString('hex').toUpperCase())).toBe(true)
  }
  const { value } = JSON.parse(writeKeyset(set)).key[0].keyData
  for (let at = 8; at < value.length - 9; at++) expect(isNoticed(value.slice(at, at + 8))).toBe(true)
  expect(isNoticed('wrong')).toBe(false)
})
