// Proves that built binaries load wherever they should and hold what they should:
// checks/run.mjs binary [--self-test] [FILE.node]...
//
// A file's name tells its platform; without a file, the binaries in artifacts/ that `npm run dist` made. --self-test first plants every
// known fault in a copy and must find each. `npm run dist` and the release check in this way what they build and publish.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { env } from 'node:process'
import { binaryOf, PLATFORMS } from '../../scripts/dist/platforms.mjs'
import { pypi } from '../../scripts/pypi.mjs'
import { root } from '../../scripts/tools.mjs'
import { contentFaults, plantContents } from './contents.mjs'

/** The path of the binary of a platform that `npm run dist` made. */
const published = name => join(root, 'artifacts', name, binaryOf(name))

/** Checks the binary of a platform, prints its size and system, and throws if anything is wrong. */
function checkBinary(name, path, selfTest) {
  const file = readFileSync(path)
  if (selfTest) console.log(`${binaryOf(name)}: ${plantContents(file)}`)
  const faults = [...contentFaults(file), ...(/-x64\b/.test(name) ? instructionFaults(name, path) : [])]
  for (const fault of faults) console.error(`${path}: ${fault}`)
  if (!needsHold(name, path, selfTest) || faults.length > 0)
    throw new Error(`${path} must not be published, for the reasons above`)
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

export default {
  about: 'Published binaries load wherever they should and contain what they should',
  needs: ['python3'],
  flags: ['self-test'],
  operands: [0, Number.POSITIVE_INFINITY],
  prove({ flags, operands }) {
    const selfTest = flags['self-test']
    if (selfTest && missingIn('', WIDTHS).length !== 6)
      throw new Error('self-test: found instructions where there are none')
    const paths = operands.length > 0 ? operands : Object.keys(PLATFORMS).map(published).filter(existsSync)
    if (paths.length === 0) throw new Error('there is no binary in artifacts/: run npm run dist first')
    for (const path of paths) {
      const name = Object.keys(PLATFORMS).find(platform => basename(path) === binaryOf(platform))
      if (name === undefined)
        throw new Error(`${path}: no platform has a binary of this name, see scripts/dist/platforms.mjs`)
      checkBinary(name, path, selfTest)
    }
    return [`${paths.length} binaries`]
  },
}
