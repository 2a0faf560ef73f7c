// `encrypt --out`, killed at random moments: the name never holds a part, and what is left does not disturb later runs.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { decryptBuffer } from 'hardware-aes-gcm/stream'
import { root } from '../../scripts/tools.mjs'
import { bytes, number } from '../tools/random.mjs'

const KILLS = 50
/** Enough that most of a run is work on data. */
const DATA = Buffer.alloc(48 * 2 ** 20, bytes(4096, 'data'))
const KEY = bytes(32, 'key')
const MAIN = join(root, 'dist/cli/main.cjs')
const ENCRYPT = [MAIN, 'encrypt', 'data', '--key', 'key', '--out', 'new']
/** Writes under the name itself, as a program does that knows nothing of parts. */
const NAIVE = ['-e', `fs.writeFileSync('new', Buffer.concat([fs.readFileSync('data'), Buffer.alloc(100)]))`]

/** Runs all kills, and gives a line about them. */
export async function killed() {
  const begin = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'killed-'))
  try {
    writeFileSync(join(folder, 'data'), DATA)
    writeFileSync(join(folder, 'key'), KEY)
    if ((await series(folder, NAIVE, 1)).partial === 0)
      throw new Error('planted: a partial file, and it was not seen')
    const { partial, whole, parts } = await series(folder, ENCRYPT)
    if (partial > 0) throw new Error(`${partial} of ${KILLS} killed runs left a partial file under the name`)
    // With everything there that was left behind.
    for (const args of [ENCRYPT, [...ENCRYPT, '--force']])
      if ((await run(folder, args)) !== 0 || stateOf(folder) !== 'whole')
        throw new Error('a later run failed')
    const seconds = ((performance.now() - begin) / 1000).toFixed(1)
    return `killed ${KILLS} times, after which a file was there ${whole} times, always whole; ${parts} temporary ones were left; ${seconds} s`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Kills runs of a program at random moments of the time that it takes, until so many of them left a partial file. */
async function series(folder, args, enough = Number.POSITIVE_INFINITY) {
  const name = join(folder, 'new')
  const begin = performance.now()
  if ((await run(folder, args)) !== 0) throw new Error(`${args.join(' ')} failed`)
  const duration = performance.now() - begin
  const states = []
  const count = state => states.filter(one => one === state).length
  for (let i = 0; i < KILLS && count('partial') < enough; i++) {
    rmSync(name, { force: true })
    await run(folder, args, (duration * number(1000, `kill ${i}`)) / 1000)
    states.push(stateOf(folder))
  }
  rmSync(name, { force: true })
  const left = readdirSync(folder).filter(one => !['data', 'key'].includes(one))
  const strange = left.filter(one => !/^\.hardware-aes-gcm-[0-9a-f]{16}\.part$/.test(one))
  if (strange.length > 0) throw new Error(`files are left: ${strange.join(', ')}`)
  return { partial: count('partial'), whole: count('whole'), parts: left.length }
}

/** Runs a program, and kills it after some milliseconds; gives its exit code. */
async function run(folder, args, milliseconds) {
  const child = spawn(execPath, args, { cwd: folder, stdio: 'ignore' })
  const ended = new Promise(resolve => child.on('close', resolve))
  if (milliseconds !== undefined) {
    await Promise.race([pause(milliseconds), ended])
    child.kill('SIGKILL')
  }
  return ended
}

function stateOf(folder) {
  const name = join(folder, 'new')
  if (!existsSync(name)) return 'absent'
  try {
    return decryptBuffer(readFileSync(name), KEY).equals(DATA) ? 'whole' : 'partial'
  } catch {
    return 'partial'
  }
}
