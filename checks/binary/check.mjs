#!/usr/bin/env node
// Proves that built binaries load wherever they should and hold what they should: check.mjs [--self-test] FILE.node...
//
// A file's name tells its platform. --self-test first plants every known fault in a copy and must find each. `npm run
// dist` and the release check in the same way what they build and publish.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { argv, env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { commandLine } from '../../scripts/command-line.mjs'
import { binaryOf, PLATFORMS } from '../../scripts/dist/platforms.mjs'
import { pypi } from '../../scripts/pypi.mjs'
import { root, stop } from '../../scripts/tools.mjs'
import { contentFaults, plantContents } from './contents.mjs'

/** Checks the binary of a platform, prints its size and system, and stops the process if anything is wrong. */
export function checkBinary(name, path, selfTest = false) {
  const file = readFileSync(path)
  if (selfTest) console.log(`${binaryOf(name)}: ${plantContents(file)}`)
  const faults = [...contentFaults(file), ...(/-x64\b/.test(name) ? instructionFaults(name, path) : [])]
  for (const fault of faults) console.error(`${path}: ${fault}`)
  if (!needsHold(name, path, selfTest) || faults.length > 0)
    stop(`${path} must not be published, for the reasons above.`)
}

/** Whether what a binary asks of the machine that loads it is right; needs.py prints what is not. */
function needsHold(name, path, selfTest) {
  const platform = JSON.stringify({ ...PLATFORMS[name], binary: binaryOf(name) })
  const program = ['-B', join(root, 'checks/binary/needs.py'), ...(selfTest ? ['--self-test'] : [])]
  const { status } = spawnSync('python3', [...program, platform, path], {
    stdio: 'inherit',
    env: { ...env, PYTHONPATH: pypi('checks/tools/lief.txt') },
  })
  return status === 0
}

/** Where x64 code lacks an AES round or a carry-less multiply of a register width. */
function instructionFaults(name, path) {
  // Debian's objdump does not read Mach-O. In code without its borders, it soon finds the next instruction again.
  const code =
    PLATFORMS[name].format === 'Mach-O' ? ['-D', '--target=binary', '--architecture=i386:x86-64'] : ['-d']
  const { status, stdout } = spawnSync('objdump', [...code, path], { encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (status !== 0) {
    const missing = 'objdump does not read it (Debian: binutils)'
    if (env.CI) return [missing]
    console.warn(`${path}: ${missing}: its instructions are not looked at`)
    return []
  }
  return missingIn(stdout, name.startsWith('darwin') ? ['x', 'y'] : WIDTHS)
}

/** Letters of the registers of each x64 backend. macOS has no backend on AVX-512: src/backend/list.rs. */
const WIDTHS = ['x', 'y', 'z']

const missingIn = (disassembly, widths) =>
  widths
    .flatMap(width => [`aesenc .*%${width}mm`, `pclmul[a-z]*qdq .*%${width}mm`])
    .filter(instruction => !new RegExp(`\\tv?${instruction}`).test(disassembly))
    .map(instruction => `it holds no instruction ${instruction}`)

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { flags, operands: paths } = commandLine(import.meta.url, {
    flags: ['self-test'],
    operands: [1, Number.POSITIVE_INFINITY],
  })
  const selfTest = flags['self-test']
  if (selfTest && missingIn('', WIDTHS).length !== 6)
    stop('self-test: found instructions where there are none')
  for (const path of paths) {
    const name = Object.keys(PLATFORMS).find(platform => basename(path) === binaryOf(platform))
    if (name === undefined)
      stop(`${path}: no platform has a binary of this name, see scripts/dist/platforms.mjs.`)
    checkBinary(name, path, selfTest)
  }
}
