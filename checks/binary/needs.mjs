#!/usr/bin/env node
// Proves that built binaries load wherever they should, without loading them: needs.mjs [--self-test] FILE.node...
//
// A file's name tells its platform. --self-test first plants every fault it knows in a copy and must find each.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { binaryOf, PLATFORMS } from '../../scripts/dist/platforms.mjs'
import { root, stop } from '../../scripts/tools.mjs'
import { elfFaults, highestGlibc, readElf } from './elf.mjs'
import { machoFaults, readMacho } from './macho.mjs'
import { planted } from './plant.mjs'

const LIMIT = 700 * 1024
const ENTRY = 'napi_register_module_v1'

/** Pieces of paths that only a building machine has. */
const FOLDERS = [root, homedir(), '/root/', '/home/', '/Users/', '/tmp/', '/.cargo/', '/.cache/'].filter(
  folder => folder.length > 1,
)

/** Instructions of arm64 that an addon of any use has: a mask, and the bits under it. */
const INSTRUCTIONS = {
  aese: [0xfffffc00, 0x4e284800],
  pmull: [0xbfe0fc00, 0x0ee0e000],
  eor3: [0xffe08000, 0xce000000],
}

/** Checks the binary of a platform, prints what it is in a line or two, and stops the process if anything is wrong. */
export function checkBinary(name, path) {
  const file = readFileSync(path)
  const { facts, counts, faults } = examine(name, file)
  for (const fault of faults) console.error(`${path}: ${fault}`)
  if (faults.length > 0)
    stop(`${path} must not be published: ${faults.length} of its facts are wrong, as above.`)
  const { glibc, minimumOs } = PLATFORMS[name]
  const system = glibc
    ? `glibc ${highestGlibc(facts)}`
    : minimumOs
      ? `macOS ${minimumOs}, all pages signed`
      : 'musl'
  const instructions = Object.entries(counts).map(([word, count]) => `, ${count} ${word}`)
  console.log(
    `${binaryOf(name)}: ${file.length} bytes, ${system}, ${facts.needs.join(' ')}${instructions.join('')}`,
  )
}

/** The facts of a binary, and what is wrong with them. */
function examine(name, file) {
  const platform = PLATFORMS[name]
  const macho = platform.minimumOs !== undefined
  const facts = macho ? readMacho(file) : readElf(file)
  const counts = platform.target.startsWith('aarch64') ? count(facts.code) : {}
  const faults = [
    ...(macho ? machoFaults(facts, platform, binaryOf(name)) : elfFaults(facts, platform)),
    ...commonFaults(file, facts, platform),
    ...Object.keys(counts)
      .filter(word => counts[word] === 0)
      .map(word => `it holds no ${word} instruction`),
  ]
  return { facts, counts, faults }
}

/** What is wrong with a binary whatever its format. */
function* commonFaults(file, facts, platform) {
  if (file.length > LIMIT) yield `it has ${file.length} bytes and may have ${LIMIT}`
  if (facts.exports.join() !== ENTRY)
    yield `it exports ${facts.exports.join(', ') || 'nothing'}, not ${ENTRY} alone`
  for (const name of facts.imports)
    if (/^_?napi_/.test(name))
      yield `it imports ${name}, which a runtime other than Node may not offer by name`
  for (const library of facts.needs)
    if (!platform.needs.includes(library)) yield `it needs ${library}, which not every system has`
  for (const folder of FOLDERS) {
    const at = file.indexOf(folder)
    if (at >= 0) yield `it names a folder of the machine that built it: ${printable(file, at)}`
  }
}

/** The text around a place in a file. */
const printable = (file, at) => file.toString('latin1', at, at + 100).replace(/[^ -~].*/s, '')

/** How often each instruction occurs in machine code of arm64, where every instruction is a word. */
function count(code) {
  const counts = Object.fromEntries(Object.keys(INSTRUCTIONS).map(name => [name, 0]))
  for (const part of code) {
    for (let at = 0; at + 4 <= part.length; at += 4) {
      const word = part.readUInt32LE(at)
      for (const [name, [mask, bits]] of Object.entries(INSTRUCTIONS)) {
        if ((word & mask) >>> 0 === bits) counts[name]++
      }
    }
  }
  return counts
}

/** A check that never fails proves nothing: plants every fault in a copy of the file, and must find each. */
function selfTest(name, file) {
  const platform = PLATFORMS[name]
  const faults = planted(platform.minimumOs ? readMacho : readElf, file, platform, LIMIT)
  for (const { what, expected, file: spoiled } of faults) {
    const found = examine(name, spoiled).faults
    if (!found.some(fault => expected.test(fault)))
      stop(`self-test: ${what} was planted and not found; what was: ${found.join('; ') || 'nothing'}`)
  }
  console.log(`${binaryOf(name)}: ${faults.length} planted faults found`)
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const paths = argv.slice(2).filter(argument => argument !== '--self-test')
  if (paths.length === 0) stop('usage: needs.mjs [--self-test] FILE.node...')
  for (const path of paths) {
    const name = Object.keys(PLATFORMS).find(platform => basename(path) === binaryOf(platform))
    if (name === undefined)
      stop(`${path}: no platform has a binary of this name, see scripts/dist/platforms.mjs.`)
    if (argv.includes('--self-test')) selfTest(name, readFileSync(path))
    checkBinary(name, path)
  }
}
