// Searches a binary for contents that it must not have: software AES, and the switches that break promises for tests.
//
// Software AES is known by its tables: an S-box, or an S-box mixed with the columns of MixColumns. No table of it,
// not even a piece, may be in the file. A bit-sliced cipher has no table: checks/supply/crates.mjs keeps those out.
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SBOX, times } from '../tools/aes.mjs'

const INVERSE = SBOX.map((_, x) => SBOX.indexOf(x))

/** Every shape of a table of software AES: its bytes, the size of an entry, and how many entries in a row are proof. */
function* tables() {
  for (const [name, box, column] of [
    ['S-box', SBOX, [2, 1, 1, 3]],
    ['inverse S-box', INVERSE, [14, 9, 13, 11]],
  ]) {
    yield { name, size: 1, run: 16, bytes: Buffer.from(box) }
    const words = (run, kind, entry) => ({
      name: `${name} ${kind}`,
      size: 4,
      run,
      bytes: Buffer.concat(box.map(entry)),
    })
    yield words(16, 'as little-endian words', s => Buffer.of(s, 0, 0, 0))
    yield words(16, 'as big-endian words', s => Buffer.of(0, 0, 0, s))
    const mixed = box.map(s => column.map(factor => times(s, factor)))
    for (let turn = 0; turn < 4; turn++) {
      const turned = mixed.map(word => [...word.slice(4 - turn), ...word.slice(0, 4 - turn)])
      yield words(4, `T-table ${turn}, big-endian`, (_, x) => Buffer.from(turned[x]))
      yield words(4, `T-table ${turn}, little-endian`, (_, x) => Buffer.from(turned[x]).reverse())
    }
  }
}
const TABLES = [...tables()]

/** Every run of every table, by its first four bytes (signed: small integers to V8). */
const RUNS = new Map()
for (const { name, size, run, bytes } of TABLES) {
  for (let at = 0; at + run * size <= bytes.length; at += size) {
    const key = bytes.readInt32LE(at)
    if (!RUNS.has(key)) RUNS.set(key, [])
    RUNS.get(key).push({ name, bytes: bytes.subarray(at, at + run * size) })
  }
}

/** Which runs of which table are in `file`, and where, at any alignment. */
function findRuns(file) {
  const found = []
  for (let at = 0; at + 16 <= file.length; at++)
    for (const { name, bytes } of RUNS.get(file.readInt32LE(at)) ?? [])
      if (bytes.equals(file.subarray(at, at + bytes.length))) found.push({ name, at })
  return found
}

/**
 * Names that only builds with the feature `faults` hold (src/faults.rs): of the switches that break promises for tests, and
 * of the variable that caps the backends. Such a build leaves keys unwiped on request: it must not be published.
 */
const FAULTS = readFileSync(new URL('../../src/faults.rs', import.meta.url), 'utf8')
const CAPS = FAULTS.matchAll(/const CAP: &str = "(.+)"/g)
const SWITCHES = [...FAULTS.matchAll(/Switch::named\("(.+)"\)/g), ...CAPS].map(([, name]) => name)

/** Which switches a file knows. */
const findSwitches = file => SWITCHES.filter(name => file.includes(name))

/** Every fault of a file, a sentence each. */
export const contentFaults = file => [
  ...findRuns(file).map(
    ({ name, at }) => `it holds a piece of an ${name} of software AES at 0x${at.toString(16)}`,
  ),
  ...findSwitches(file).map(name => `it knows ${name}: it was built with the feature faults`),
]

/** A check that never fails proves nothing: plants every table and every switch. */
export function plantContents(file) {
  const plant = bytes => {
    const at = 2 * randomInt(file.length / 2) + 1
    return { at, planted: Buffer.concat([file.subarray(0, at), bytes, file.subarray(at)]) }
  }
  for (const { name, size, run, bytes } of TABLES) {
    const { at, planted } = plant(bytes)
    const there = new Set(findRuns(planted).flatMap(found => (found.name === name ? [found.at] : [])))
    // A run is found by itself: each stands for a table of which the file has no more.
    for (let piece = 0; piece <= bytes.length - run * size; piece += size)
      if (!there.has(at + piece))
        throw new Error(`self-test: a piece of ${name}, planted at ${at + piece}, not found`)
  }
  for (const known of ['keep-keys', 'AESGCM_CAP'])
    if (!SWITCHES.includes(known)) throw new Error(`self-test: src/faults.rs has no ${known}`)
  for (const name of SWITCHES)
    if (!findSwitches(plant(Buffer.from(name)).planted).includes(name))
      throw new Error(`self-test: ${name} was planted and not found`)
  return `${TABLES.length} planted tables found, every piece of each, and planted ${SWITCHES.join(', ')}`
}
