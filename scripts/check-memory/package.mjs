// The package that is examined: the repository's own build, or a copy of it with a binary that has the test faults.
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { report } from 'node:process'
import { needRust, root, stop } from '../tools.mjs'

/** Where the loader looks for the binary of a package in that folder. */
export function binaryIn(folder) {
  const libc = report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'gnu'
  const platform = `linux-${process.arch}-${libc}`
  return join(folder, 'npm', platform, `hardware-aes-gcm.${platform}.node`)
}

/** A package in `folder` whose binary has the faults that a scenario may switch on. No such binary is ever shipped. */
export function faulty(folder) {
  needRust()
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
  mkdirSync(dirname(binaryIn(folder)), { recursive: true })
  copyFileSync(faultyLibrary(), binaryIn(folder))
  return folder
}

/**
 * Builds it, as optimised as what ships, since the compiler decides what is left where, and gives the path that Cargo says
 * it has, which its user's settings may decide.
 */
function faultyLibrary() {
  const options = [
    '--release',
    '--features',
    'node,faults',
    '--lib',
    '--locked',
    '--target-dir',
    'target/faults',
    '--quiet',
  ]
  const { status, stdout } = spawnSync('cargo', ['build', ...options, '--message-format=json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 27,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) stop('The build with test faults failed: cargo build --features node,faults says why.')
  const messages = stdout.trim().split('\n')
  const files = messages.flatMap(message => JSON.parse(message).filenames ?? [])
  return files.findLast(file => file.endsWith('libhardware_aes_gcm.so'))
}
