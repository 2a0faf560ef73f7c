// Runs Rust tests of the core under sanitizers of the compiler: checks/run.mjs sanitizers [address] [thread] [addon]
//
// address: the tests of the cipher, keys, arenas, shares, packets, chunks and the generator, under AddressSanitizer. thread: those with
// threads, of jobs, arenas and generators, under ThreadSanitizer. addon: AddressSanitizer in the addon, in a Node that makes 20 000 random
// calls of every function; needs the library of gcc. Without an argument, all of them. First, each must report a fault that is planted in
// a call of the core: a text longer than its memory, and two jobs on one frame.
//
// Most sweeps take one length in 16; AESGCM_SAMPLE=1 has all of them. For x64 Linux.
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { env, execPath } from 'node:process'
import { compile } from '../../scripts/compile.mjs'
import { prepare } from '../../scripts/setup.mjs'
import { root, run } from '../../scripts/tools.mjs'
import { ADDRESS, cargo, OPTIONS, THREAD } from '../tools/instrumented.mjs'

const ALL = ['address', 'thread', 'addon']
const KINDS = {
  address: {
    flags: ADDRESS,
    /** Programs of tests/, each with the tests that run: all tests, if there is no name. */
    programs: { cipher: [], generator: [] },
    planted: {
      name: 'planted::a_text_longer_than_its_memory',
      report: /AddressSanitizer: heap-buffer-overflow/,
    },
    // A test reads a forbidden page on purpose, and expects the system's signal.
    environment: { ASAN_OPTIONS: `${OPTIONS.ASAN_OPTIONS}:handle_segv=0` },
  },
  thread: {
    flags: THREAD,
    programs: { cipher: ['jobs::', 'arena::', 'xaes::jobs', 'siv::jobs'], generator: [] },
    planted: { name: 'planted::two_jobs_on_one_frame', report: /ThreadSanitizer: data race/ },
    environment: {
      TSAN_OPTIONS: `suppressions=${join(root, 'checks', 'sanitizers', 'std.supp')}:halt_on_error=0:exitcode=66`,
    },
  },
}
const PROFILE = 'sanitizers'
const CALLS = 20_000
/** Encrypts a Buffer that the sanitizer forbids. */
const CONTROL = `
  const { AesGcm } = require('hardware-aes-gcm')
  const key = new AesGcm(AesGcm.generateKey())
  const frame = Buffer.alloc(65536)
  require('./poison.node')(frame)
  key.encryptInPlace(frame)`

export default {
  about: 'The core and the addon touch no memory but their own, and share none between threads without order',
  on: 'x64 Linux',
  operands: [0, ALL.length],
  among: ALL,
  *prove({ operands }) {
    for (const kind of operands.length > 0 ? operands : ALL)
      yield `${kind}: ${kind === 'addon' ? addon() : tests(KINDS[kind])}`
  },
}

function tests({ flags, programs, planted, environment }) {
  const names = Object.keys(programs).flatMap(name => ['--test', name])
  const made = cargo(['test', '--no-run', '--profile', PROFILE, '--features', 'faults', ...names], {
    flags,
    instrumented: ['hardware-aes-gcm'],
    profile: PROFILE,
    folder: 'sanitizers',
  })
  const path = name => made.find(({ target, executable }) => target.name === name && executable).executable
  const start = (name, args) =>
    spawnSync(path(name), args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { AESGCM_SAMPLE: '17', ...env, ...environment, RUST_MIN_STACK: String(8 << 20) },
    })
  const control = start('cipher', ['--ignored', '--exact', planted.name])
  const said = control.stdout + control.stderr
  // The report names a function of the core.
  if (control.status === 0 || !planted.report.test(said) || !/hardware_aes_gcm/.test(said))
    throw new Error(`planted, and not reported: ${planted.name}, which ended with ${control.status}: ${said}`)
  let passed = 0
  for (const [name, wanted] of Object.entries(programs)) {
    const { status, signal, stdout, stderr } = start(name, wanted)
    const [, count] = /^test result: ok\. (\d+) passed/m.exec(stdout) ?? []
    if (status !== 0 || !(count > 0) || /Sanitizer/.test(stderr))
      throw new Error(
        `${name} ended with ${signal ?? status}:\n${stdout.slice(-4000)}\n${stderr.slice(0, 3000)}`,
      )
    passed += Number(count)
  }
  return `${passed} tests without a report; the planted fault was reported`
}

/** Random calls in a Node whose addon has AddressSanitizer. The sanitizer's library must be the first that is loaded. */
function addon() {
  const library = spawnSync('cc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout?.trim()
  if (!library || !isAbsolute(library)) throw new Error('there is no libasan.so: install gcc')
  prepare()
  compile()
  const made = cargo(['build', '--lib', '--profile', PROFILE, '--features', 'node'], {
    flags: ADDRESS,
    instrumented: ['hardware-aes-gcm'],
    profile: PROFILE,
    folder: 'sanitizers',
  })
  const built = made.flatMap(({ filenames }) => filenames).findLast(name => name.endsWith('.so'))
  // The package in a folder of its own, with that addon.
  const folder = mkdtempSync(join(tmpdir(), 'aesgcm-sanitizers-'))
  try {
    const within = name => join(folder, name)
    for (const name of ['dist', '__test__', 'package.json'])
      cpSync(join(root, name), within(name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), within('node_modules'))
    mkdirSync(within('npm/linux-x64-gnu'), { recursive: true })
    copyFileSync(built, within('npm/linux-x64-gnu/hardware-aes-gcm.linux-x64-gnu.node'))
    const source = join(root, 'checks', 'sanitizers', 'poison.c')
    run('cc', ['-shared', '-fPIC', '-o', within('poison.node'), source])
    const node = args =>
      spawnSync(execPath, ['--no-warnings', ...args], {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
        env: { ...env, ...OPTIONS, LD_PRELOAD: library },
      })
    const control = node(['--eval', CONTROL])
    if (control.status === 0 || !/use-after-poison[\s\S]*hardware_aes_gcm/.test(control.stderr))
      throw new Error(`addon: planted, and not reported: ${control.stdout}${control.stderr}`)
    const { status, signal, stdout, stderr } = node(['__test__/calls/program.mjs', String(CALLS)])
    if (status !== 0 || /Sanitizer/.test(stderr))
      throw new Error(`addon: Node ended with ${signal ?? status}: ${stdout}${stderr.slice(0, 3000)}`)
    const { node: version, seed } = JSON.parse(stdout)
    return `${CALLS} random calls on Node ${version} without a report, AESGCM_SEED=${seed}; the planted fault was reported`
  } finally {
    rmSync(folder, { recursive: true })
  }
}
