#!/usr/bin/env node
// Proves that a built addon holds no software AES and no test's switches, and does hold the instructions:
// check.mjs [--self-test] FILE.node
//
// Software AES is known by its tables: an S-box, or an S-box mixed with the columns of MixColumns. No table of it,
// not even a piece, may be in the file. A bit-sliced cipher has no table: checks/dependencies.mjs keeps those out.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { argv, env, exit } from 'node:process'

/** Product in GF(2^8), modulo AES's polynomial. */
function multiply(a, b) {
  let product = 0
  for (; b !== 0; b >>= 1) {
    if (b & 1) product ^= a
    a = (a << 1) ^ (a & 0x80 ? 0x11b : 0)
  }
  return product
}

// The S-box is computed and not pasted, so that this file is not itself a place where a typing error hides.
const SBOX = Array.from({ length: 256 }, (_, x) => {
  let inverse = 1
  for (let i = 0; i < 254; i++) inverse = multiply(inverse, x) // x^254 is 1/x, and 0 for 0
  const twice = inverse | (inverse << 8)
  return (inverse ^ (twice >> 4) ^ (twice >> 5) ^ (twice >> 6) ^ (twice >> 7) ^ 0x63) & 0xff
})
const INVERSE = SBOX.map((_, x) => SBOX.indexOf(x))

/** Every shape a table of software AES has: its bytes, the size of an entry, and how many entries in a row give it away. */
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
    const mixed = box.map(s => column.map(factor => multiply(s, factor)))
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

/** Where in `file`, at any alignment, are pieces of which table; runs that overlap are one piece. */
function findTables(file) {
  const pieces = []
  const last = new Map()
  for (let at = 0; at + 16 <= file.length; at++) {
    for (const { name, bytes } of RUNS.get(file.readInt32LE(at)) ?? []) {
      if (!bytes.every((byte, i) => byte === file[at + i])) continue
      const end = at + bytes.length
      if (last.get(name)?.end > at) {
        last.get(name).end = end
      } else {
        const piece = { name, at, end }
        pieces.push(piece)
        last.set(name, piece)
      }
    }
  }
  return pieces
}

/**
 * The names of the switches that break a promise for tests, and of the variable that caps the backends, which builds with
 * the feature `faults` know (src/faults.rs). Such a build leaves keys unwiped when it is told to: it must not be published.
 */
const FAULTS = readFileSync(new URL('../../src/faults.rs', import.meta.url), 'utf8')
const CAPS = FAULTS.matchAll(/const CAP: &str = "(.+)"/g)
const SWITCHES = [...FAULTS.matchAll(/Switch::named\("(.+)"\)/g), ...CAPS].map(([, name]) => name)

/** Which switches a file knows. */
const findSwitches = file => SWITCHES.filter(name => file.includes(name))

/**
 * The instructions each architecture must show: one AES round and one carry-less multiply for each register width.
 * None for macOS: binutils cannot read its binaries, and needs.mjs counts in them itself.
 */
function required(file) {
  if (file.readUInt32LE(0) === 0xfeedfacf && file.readUInt32LE(4) === 0x0100000c) return {}
  if (file.readUInt32BE(0) !== 0x7f454c46) throw new Error('neither a Linux nor an arm64 macOS library')
  const machine = file.readUInt16LE(18)
  if (machine === 0xb7) return { aese: /\taese\t/, pmull: /\tpmull2?\t/ }
  if (machine !== 0x3e) throw new Error('neither x86-64 nor arm64')
  return Object.fromEntries(
    ['x', 'y', 'z'].flatMap(width => [
      [`aesenc ${width}mm`, new RegExp(`\\tv?aesenc .*%${width}mm`)],
      [`pclmulqdq ${width}mm`, new RegExp(`\\tv?pclmul[a-z]*qdq .*%${width}mm`)],
    ]),
  )
}

/** How often each pattern occurs in a disassembly. */
function count(patterns, disassembly) {
  const counts = Object.fromEntries(Object.keys(patterns).map(name => [name, 0]))
  for (const line of disassembly.split('\n')) {
    for (const name in patterns) if (patterns[name].test(line)) counts[name]++
  }
  return counts
}

/** The disassembly, from the first objdump that understands the file; null where there is none. */
function disassemble(path) {
  for (const tool of ['objdump', 'aarch64-linux-gnu-objdump']) {
    const { status, stdout } = spawnSync(tool, ['-d', path], { encoding: 'utf8', maxBuffer: 2 ** 30 })
    if (status === 0) return stdout
  }
  return null
}

const absent = counts => Object.keys(counts).filter(name => counts[name] === 0)

/** A check that never fails proves nothing: plants every table, whole and in pieces, and an empty disassembly. */
function selfTest(file) {
  // Three values of FIPS 197's S-box, because every table here stands on the one computed above.
  if (SBOX[0x00] !== 0x63 || SBOX[0x53] !== 0xed || SBOX[0xff] !== 0x16)
    throw new Error('self-test: not the S-box')
  for (const { name, size, run, bytes } of TABLES) {
    const entry = randomInt(257 - run)
    for (const planted of [bytes, bytes.subarray(entry * size, (entry + run) * size)]) {
      const at = 2 * randomInt(file.length / 2) + 1
      const pieces = findTables(Buffer.concat([file.subarray(0, at), planted, file.subarray(at)]))
      // The file's own bytes may happen to continue a piece: it is found where it covers what was planted.
      if (!pieces.some(piece => piece.name === name && piece.at <= at && piece.end >= at + planted.length)) {
        throw new Error(`self-test: ${planted.length} bytes of ${name}, planted at ${at}, not found`)
      }
    }
  }
  for (const known of ['keep-keys', 'AESGCM_CAP'])
    if (!SWITCHES.includes(known)) throw new Error(`self-test: src/faults.rs has no ${known}`)
  for (const name of SWITCHES) {
    const at = randomInt(file.length)
    const planted = Buffer.concat([file.subarray(0, at), Buffer.from(name), file.subarray(at)])
    if (!findSwitches(planted).includes(name))
      throw new Error(`self-test: ${name}, planted at ${at}, not found`)
  }
  const patterns = required(file)
  if (absent(count(patterns, '')).length !== Object.keys(patterns).length) {
    throw new Error('self-test: instructions counted where there are none')
  }
  console.log(
    `self-test: ${TABLES.length} planted tables and a piece of each found, and planted ${SWITCHES.join(', ')}`,
  )
}

const flags = argv.slice(2).filter(argument => argument.startsWith('-'))
const [path, ...rest] = argv.slice(2).filter(argument => !argument.startsWith('-'))
if (path === undefined || rest.length > 0 || flags.some(flag => flag !== '--self-test')) {
  console.error('usage: check.mjs [--self-test] FILE.node')
  exit(2)
}

try {
  const file = readFileSync(path)
  const patterns = required(file)
  if (flags.length > 0) selfTest(file)

  const pieces = findTables(file)
  for (const { name, at, end } of pieces)
    console.error(`byte 0x${at.toString(16)}: ${end - at} bytes of ${name}`)
  if (pieces.length > 0) throw new Error('holds tables of software AES')
  const switches = findSwitches(file)
  if (switches.length > 0) throw new Error(`was built with the feature faults: knows ${switches.join(', ')}`)
  console.log(`no table of software AES and no switch of a test in ${file.length} bytes`)

  const disassembly = Object.keys(patterns).length === 0 ? '' : disassemble(path)
  if (disassembly === null) {
    const missing = 'no objdump that reads this file: instructions not counted (Debian: binutils)'
    if (env.CI) throw new Error(missing)
    console.warn(missing)
  } else {
    const counts = count(patterns, disassembly)
    console.log(
      Object.entries(counts)
        .map(([name, n]) => `${name}: ${n}`)
        .join(', '),
    )
    if (absent(counts).length > 0) throw new Error(`no instruction of: ${absent(counts).join(', ')}`)
  }
} catch (error) {
  console.error(`${path}: ${error.message}`)
  exit(1)
}
