// Several processes that change one keyset at once: no change is lost, and no process removes the lock of another one.
import { spawn } from 'node:child_process'
import { lstatSync, mkdirSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Folder, MAIN, nodeArguments, WINDOWS } from './program.js'

const LOCK = '.hardware-aes-gcm-keys.lock'
/** A clock that goes on by half a second with each look at it, so that a busy machine has as many looks as another. */
const FAST = 'let clock = 0; performance.now = () => (clock += 500); '
/** Changes the file in another process, at the moment at which this one takes the lock. */
const MEANWHILE = `
  const { execFileSync } = process.getBuiltinModule('node:child_process')
  const link = fs.linkSync
  let changed = false
  fs.linkSync = (from, to) => {
    if (!changed) {
      changed = true
      const env = { ...process.env, NODE_OPTIONS: '' }
      execFileSync(process.execPath, [${JSON.stringify(MAIN)}, 'keyset', 'add', 'keys'], { env })
    }
    return link(from, to)
  }; `

async function withKeyset(): Promise<Folder> {
  const folder = new Folder()
  await folder.succeed(['keyset', 'new', 'keys'])
  return folder
}

const idsIn = (folder: Folder) => Keyring.parse(folder.read('keys')).keys.map(({ id }) => id)

/** Runs `rounds` rotations in one process: a key is added, promoted, and the one before it deleted. Gives the ids that were added. */
function rotating(folder: Folder, rounds: number, before = ''): Promise<number[]> {
  const script = `
    const { main } = process.getBuiltinModule('node:module').createRequire(${JSON.stringify(MAIN)})('./program.cjs')
    const { Writable } = process.getBuiltinModule('node:stream')
    async function run(...args) {
      let out = '', err = ''
      const sink = take => new Writable({ write(chunk, _, taken) { take(String(chunk)); taken() } })
      const streams = { stdout: sink(text => (out += text)), stderr: sink(text => (err += text)) }
      const status = await main(['keyset', ...args], streams)
      if (status !== 0) throw new Error(err)
      return out.trim()
    }
    const ids = []
    for (let i = 0; i < ${rounds}; i++) {
      const id = await run('add', 'keys')
      await run('promote', 'keys', '--id', id)
      if (ids.length > 0 && i % 2) {
        // The key of the round before may be the primary one again, by the other process.
        await run('delete', 'keys', '--id', ids.at(-1)).catch(error => { if (!/primary/.test(error.message)) throw error })
      }
      ids.push(id)
    }
    console.log(ids.join())`
  const flags = [...nodeArguments([], before, '').slice(0, -1), '--input-type=module', '-e', script]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, flags, {
      cwd: folder.path,
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    let [out, err] = ['', '']
    child.stdout.on('data', text => (out += text))
    child.stderr.on('data', text => (err += text))
    child.on('close', code =>
      code === 0 ? resolve(out.trim().split(',').map(Number)) : reject(new Error(err)),
    )
  })
}

describe('two processes that rotate one keyset', () => {
  // On file systems without hard links, such as FAT, the lock is a copy.
  const NO_LINKS = `fs.linkSync = () => { throw Object.assign(new Error('planted'), { code: 'EPERM' }) }`
  test.each([
    ['', ''],
    [', without hard links', NO_LINKS],
  ])('no change is lost%s', async (_, before) => {
    const folder = await withKeyset()
    const first = idsIn(folder)
    const rounds = 12
    const added = (
      await Promise.all([rotating(folder, rounds, before), rotating(folder, rounds, before)])
    ).flat()
    const left = idsIn(folder)
    expect(new Set(added).size).toBe(2 * rounds)
    expect([folder.names, left.slice(0, 1)]).toEqual([['keys'], first])
    // The last key of each process, and those that no process deleted, are there; and no other ones.
    for (const id of left.slice(1)) expect(added).toContain(id)
    expect(left).toEqual(expect.arrayContaining([added[rounds - 1], added.at(-1)]))
    expect(left.length).toBeGreaterThanOrEqual(1 + rounds)
  })

  test('a change that comes between reading and replacing is kept', async () => {
    const folder = await withKeyset()
    const added = await folder.succeed(['keyset', 'add', 'keys'], { before: MEANWHILE })
    const ids = idsIn(folder)
    expect([ids.length, ids[2], folder.names]).toEqual([3, Number(added), ['keys']])
  })

  test('without the comparison under the lock, that change would be lost', async () => {
    const folder = await withKeyset()
    // The clock stands still, since the other process may take its time.
    const blind = 'Buffer.prototype.equals = () => true; performance.now = () => 0; '
    const added = await folder.succeed(['keyset', 'add', 'keys'], { before: blind + MEANWHILE })
    const ids = idsIn(folder)
    expect([ids.length, ids[1]]).toEqual([2, Number(added)])
  })
})

describe('patience', () => {
  test('ends if the file is another one each time', async () => {
    const folder = await withKeyset()
    const before = `${FAST} const link = fs.linkSync; fs.linkSync = (...args) => {
      fs.appendFileSync('keys', '\\n')
      return link(...args)
    }`
    expect(await folder.fail(1, ['keyset', 'add', 'keys'], { before })).toBe(
      'keys: other processes keep changing it',
    )
    expect([idsIn(folder).length, folder.names]).toEqual([1, ['keys']])
  })

  test('does not matter to a change that was made', async () => {
    const folder = await withKeyset()
    // The content is on the disk before it gets the name.
    const before = `
      const rename = fs.renameSync, flush = fs.fsyncSync
      let flushed = false
      fs.fsyncSync = (...args) => {
        flushed = true
        return flush(...args)
      }
      fs.renameSync = (...args) => {
        if (!flushed) process.exit(9)
        rename(...args)
        performance.now = () => 1e9
      }`
    await folder.succeed(['keyset', 'add', 'keys'], { before })
    expect(idsIn(folder)).toHaveLength(2)
  })
})

describe('locks', () => {
  const LEFT = `${LOCK} is the lock of a killed process: delete it if no other process is changing keys`

  test('that of a process that was killed ends the command, which names it', async () => {
    const folder = await withKeyset()
    const killed = `fs.renameSync = () => process.kill(process.pid, 'SIGKILL')`
    const outcome = folder.start(['keyset', 'add', 'keys'], { before: killed })
    expect(outcome).toMatchObject({ stdout: '', status: WINDOWS ? 1 : 'SIGKILL' })
    expect(folder.names).toContain(LOCK)
    expect(idsIn(folder)).toHaveLength(1)
    expect(await folder.fail(1, ['keyset', 'add', 'keys'], { before: FAST })).toBe(LEFT)
    const json = await folder.run(['keyset', 'add', 'keys', '--json'], { before: FAST })
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'EBUSY', files: [LOCK] })
    expect([idsIn(folder).length, folder.names.includes(LOCK)]).toEqual([1, true])
    unlinkSync(folder.in(LOCK))
    const added = await folder.succeed(['keyset', 'add', 'keys'])
    expect(idsIn(folder)[1]).toBe(Number(added))
    // The name of the new content that never came to be, which a killed process cannot remove.
    expect(folder.names).toEqual([expect.stringMatching(/^\.hardware-aes-gcm-\w+\.part$/), 'keys'])
  })

  // Of two processes that found a lock old, the slower one removed the lock that the other had taken since.
  test('a stale lock made a process remove the live lock of another one', async () => {
    const folder = await withKeyset()
    folder.write(LOCK, 'of a process that was killed')
    // A process that removed this lock would say so.
    const before = `${FAST} for (const name of ['unlinkSync', 'renameSync', 'rmSync']) {
      const real = fs[name]
      fs[name] = (...args) => {
        if (String(args[0]).endsWith('.lock')) fs.writeFileSync('touched', '')
        return real(...args)
      }
    }`
    const crowd = Array.from({ length: 4 }, () => rotating(folder, 1, before).catch(error => String(error)))
    for (const outcome of await Promise.all(crowd)) expect(outcome).toContain(LEFT)
    expect([idsIn(folder).length, folder.names, folder.read(LOCK)]).toEqual([
      1,
      [LOCK, 'keys'],
      'of a process that was killed',
    ])
    // Once a person has removed it, all of them come through.
    // Their clock stands still, so that their patience does not end on a busy machine.
    const waiting = Array.from({ length: 4 }, () => rotating(folder, 2, 'performance.now = () => 0; '))
    await setTimeout(300)
    unlinkSync(folder.in(LOCK))
    const added = (await Promise.all(waiting)).flat()
    expect(new Set(added).size).toBe(8)
    expect(folder.names).toEqual(['keys'])
    for (const id of idsIn(folder).slice(1)) expect(added).toContain(id)
  })

  test('that of a process that works is left alone, however long this process has run', async () => {
    const folder = await withKeyset()
    folder.write(LOCK, 'of another process')
    // The lock has gone before the first look at it; a lock comes, stays for two looks, and goes.
    const before = `
      performance.now = () => 1e6
      const { linkSync: link, unlinkSync: unlink } = fs
      fs.unlinkSync = path => (String(path).endsWith('.lock') ? process.exit(9) : unlink(path))
      let calls = 0
      fs.linkSync = (from, to) => {
        calls++
        if (calls === 2) fs.writeFileSync(to, 'of another process')
        if (calls === 4) unlink(to)
        try {
          link(from, to)
        } catch (error) {
          if (calls === 1) unlink(to)
          throw error
        }
      }`
    await folder.succeed(['keyset', 'add', 'keys'], { before })
    expect([idsIn(folder).length, folder.names]).toEqual([2, ['keys']])
  })

  test('a lock that comes and goes all the time ends the patience', async () => {
    const folder = await withKeyset()
    folder.write(LOCK, 'of another process')
    const busy = setInterval(() => utimesSync(folder.in(LOCK), Math.random() * 1e9, Math.random() * 1e9), 1)
    try {
      const before = `${FAST} setInterval(() => fs.utimesSync('${LOCK}', Math.random() * 1e9, Math.random() * 1e9), 1).unref()`
      expect(await folder.fail(1, ['keyset', 'add', 'keys'], { before })).toBe(
        'keys: other processes keep changing it',
      )
      const json = await folder.run(['keyset', 'add', 'keys', '--json'], { before })
      expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'EBUSY', files: ['keys'] })
    } finally {
      clearInterval(busy)
    }
    expect([idsIn(folder).length, folder.names]).toEqual([1, [LOCK, 'keys']])
  })

  test('a process that was stopped while it had the lock does not trust the lock', async () => {
    const folder = await withKeyset()
    // It stops for five seconds under the lock; meanwhile the lock becomes that of another process, which ends soon.
    const stopped = `
      const read = fs.readFileSync
      let late = 0
      performance.now = () => late
      fs.readFileSync = (...args) => {
        const content = read(...args)
        if (args[0] !== 'keys' || late > 0) return content
        late = 5000
        fs.unlinkSync('${LOCK}')
        fs.writeFileSync('${LOCK}', 'of another process')
        setTimeout(() => { fs.writeFileSync('seen', read('${LOCK}')); fs.unlinkSync('${LOCK}') }, 100)
        return content
      }`
    const added = await folder.succeed(['keyset', 'add', 'keys'], { before: stopped })
    expect([idsIn(folder)[1], folder.read('seen')]).toEqual([Number(added), 'of another process'])
    expect(folder.names).toEqual(['keys', 'seen'])
  })

  test('a file by the name of the lock is not read, and neither it nor a folder is removed', async () => {
    const folder = await withKeyset()
    writeFileSync(folder.in(LOCK), 'x')
    await folder.succeed(['keyset', 'list', 'keys'])
    expect(lstatSync(folder.in(LOCK)).size).toBe(1)
    unlinkSync(folder.in(LOCK))
    mkdirSync(folder.in(LOCK))
    expect(await folder.fail(1, ['keyset', 'add', 'keys'], { before: FAST })).toBe(LEFT)
    expect(folder.names).toEqual([LOCK, 'keys'])
  })

  test.skipIf(WINDOWS).each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    '%s while it waits leaves the file, and no other one',
    async signal => {
      const folder = await withKeyset()
      folder.write(LOCK, 'of another process')
      const before = `setTimeout(() => process.kill(process.pid, '${signal}'), 300)`
      const outcome = await folder.run(['keyset', 'add', 'keys'], { before })
      expect([outcome.status, outcome.stdout]).toEqual([signal, ''])
      expect([idsIn(folder).length, folder.names]).toEqual([1, [LOCK, 'keys']])
    },
  )
})
