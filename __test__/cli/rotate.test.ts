// The command rotate on a database of SQLite: what it writes, reports and leaves, its exit codes, and its end at a signal.
import { createCipheriv } from 'node:crypto'
import { Readable } from 'node:stream'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test, vi } from 'vitest'
import {
  avatarOf,
  emailOf,
  IDS,
  keyringOf,
  prepared,
  project,
  rotate,
  rowsIn,
  tableUnder,
  withSqlite,
  writeKeys,
} from './database.js'
import { type Folder, FULL, hurry, OWNER_ALONE, runHere, Sink } from './program.js'

const users = tableUnder(IDS.primary)
const keyIds = (folder: Folder, column = 'email') => [
  ...new Set(rowsIn(folder).map(row => keyringOf(IDS.primary).keyIdOf(row[column] as string))),
]
const set = (folder: Folder, sql: string, ...values: unknown[]) =>
  withSqlite(folder, database => database.run(sql, values))
/** The rows as they were sealed. */
const expectOpen = (folder: Folder, count = 25) => {
  for (const [i, row] of rowsIn(folder).entries()) {
    const id = i + 1
    expect(users.open(row)).toEqual({ id, email: emailOf(id), avatar: id % 5 === 0 ? null : avatarOf(id) })
  }
  expect(rowsIn(folder)).toHaveLength(count)
}

test('takes every value to the primary key, counts, and then names the key that is no longer needed', async () => {
  const folder = prepared()
  const lines = [
    'column  key  status   values',
    'email   16   enabled       0',
    'email   32   primary      25',
    'email   48   enabled       0',
    'avatar  16   enabled       0',
    'avatar  32   primary      20',
    'avatar  48   enabled       0',
    'avatar       NULL          5',
    'users: 25 rows written',
    'No value of users needs these keys now. Once that is so of every table and every program has the new keyset:',
    '  hardware-aes-gcm keyset disable keys --id 16',
    '  hardware-aes-gcm keyset disable keys --id 48',
    '',
  ]
  expect((await folder.succeed(rotate('--batch', '4'))).split('\n')).toEqual(lines)
  expectOpen(folder)
  expect(keyIds(folder)).toEqual([IDS.primary])
  // Again, it finds nothing to do.
  const again = JSON.parse(await folder.succeed(rotate('--json')))
  expect(again).toMatchObject({
    table: 'users',
    dryRun: false,
    done: true,
    changed: 0,
    failed: 0,
    reasons: [],
  })
  expect(again.unneededKeys).toEqual([IDS.old, IDS.newer])
})

test('--dry-run writes nothing, and names no key to disable', async () => {
  const folder = prepared()
  const before = rowsIn(folder)
  const output = await folder.succeed(rotate('--dry-run'))
  expect(output).toMatch(/^email +16 +enabled +25$/m)
  expect(output).toMatch(/\nusers: 25 rows to write\n$/)
  expect(JSON.parse(await folder.succeed(rotate('--dry-run', '--json')))).toMatchObject({
    dryRun: true,
    done: false,
    changed: 25,
    unneededKeys: [],
  })
  expect(rowsIn(folder)).toEqual(before)
})

test('values that do not open are left, counted and listed without their contents, and end it with 3', async () => {
  const folder = prepared()
  const clear = 'ada@example.org, in clear'
  const moved = rowsIn(folder)[3]?.email
  set(folder, 'UPDATE users SET email = ? WHERE id = 2', clear)
  set(folder, 'UPDATE users SET email = ? WHERE id = 9', moved)
  const outcome = await folder.run(rotate('--failures', 'left'))
  expect(outcome).toMatchObject({
    status: 3,
    stderr:
      'hardware-aes-gcm: users: 2 values were left unchanged (not-sealed, authentication-failed): left lists the rows\n',
  })
  expect(outcome.stdout).toMatch(/^email +not sealed +1$/m)
  expect(outcome.stdout).not.toContain('disable')
  expect(folder.mode('left')).toBe(OWNER_ALONE)
  expect(
    folder
      .read('left')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual([
    { id: { id: 2 }, column: 'email', reason: 'not-sealed' },
    { id: { id: 9 }, column: 'email', reason: 'authentication-failed' },
  ])
  const [, second] = rowsIn(folder)
  expect([second?.email, rowsIn(folder)[8]?.email]).toEqual([clear, moved])
  for (const text of [outcome.stdout, outcome.stderr, folder.read('left')]) expect(text).not.toContain(clear)
  // The file is not replaced without --force, and --json prints both the result and the error.
  expect(await folder.fail(1, rotate('--failures', 'left'))).toBe(
    'left: already exists; use --force to replace it',
  )
  const json = await folder.run(rotate('--json', '--failures', 'left', '--force', '--dry-run'))
  expect([json.status, JSON.parse(json.stdout)]).toMatchObject([3, { failed: 2, failures: 'left' }])
  expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'ERR_ROWS_LEFT' })
})

test('a table and columns of other names than the declaration, a composite key, and values bound to no row', async () => {
  const folder = project('better-sqlite3')
  writeKeys(folder)
  const declared = tableUnder(IDS.old, 'User', ['tenant', 'number'])
  const unbound = tableUnder(IDS.old, 'Note', false)
  withSqlite(folder, database => {
    database.exec(
      'CREATE TABLE `order "of\' users` (tenant TEXT, number INTEGER, e_mail TEXT, PRIMARY KEY (tenant, number))',
    )
    database.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, email TEXT)')
    for (let number = 0; number < 7; number++) {
      const { tenant, email } = declared.seal({ tenant: 'ab'[number % 2], number, email: emailOf(number) })
      database.run('INSERT INTO `order "of\' users` VALUES (?, ?, ?)', [tenant, number, email])
      database.run('INSERT INTO notes VALUES (?, ?)', [number, unbound.seal({ email: 'a note' }).email])
    }
  })
  const keys = ['--keyset', 'keys', '--json']
  const named = ['rotate', 'app.db', '--table', 'order "of\' users', '--as', 'User', '--id', 'tenant,number']
  const result = JSON.parse(await folder.succeed([...named, '--column', 'e_mail=email', ...keys]))
  expect(result).toMatchObject({ done: true, changed: 7, columns: [{ column: 'e_mail' }] })
  const notes = [
    'rotate',
    'sqlite:app.db',
    '--table',
    'notes',
    '--as',
    'Note',
    '--id',
    'id',
    '--column',
    'email',
    ...keys,
  ]
  expect(JSON.parse((await folder.run(notes)).stdout)).toMatchObject({ changed: 0, failed: 7 })
  expect(JSON.parse(await folder.succeed([...notes, '--unbound']))).toMatchObject({ done: true, changed: 7 })
})

describe('rotation-two-keysets: --where', () => {
  /** Rows of two tenants, of which the second has other keys. */
  const tenants = () => {
    const folder = prepared(10)
    withSqlite(folder, database => {
      database.exec('ALTER TABLE users ADD COLUMN tenant TEXT')
      database.exec(`UPDATE users SET tenant = CASE WHEN id <= 6 THEN 'a=1' ELSE 'b' END`)
      const other = encryptedColumns('users', {
        keyring: Keyring.generate(),
        rowKey: 'id',
        columns: { email: 'text', avatar: 'bytes' },
      })
      for (let id = 7; id <= 10; id++) {
        const { email, avatar } = other.seal({ id, email: emailOf(id), avatar: avatarOf(id) })
        database.run('UPDATE users SET email = ?, avatar = ? WHERE id = ?', [email, avatar, id])
      }
    })
    return folder
  }

  test('takes the rows of one tenant to its keyset, and says that the advice is of these rows', async () => {
    const folder = tenants()
    const before = rowsIn(folder).slice(6)
    expect((await folder.run(rotate())).status).toBe(3)
    const output = await folder.succeed(rotate('--where', 'tenant=a=1'))
    expect(output).toMatch(/^email +32 +primary +6$/m)
    expect(output).toContain(
      'No value of users in these rows needs these keys now. Once that is so of all rows, of every table, and every',
    )
    const json = JSON.parse(await folder.succeed(rotate('--where', 'tenant=a=1', 'id=2', '--json')))
    expect(json).toMatchObject({ where: { tenant: 'a=1', id: '2' }, done: true, changed: 0 })
    expect(json.columns[0].keys[1].values).toBe(1)
    expect(rowsIn(folder).slice(6)).toEqual(before)
  })

  test('a value that no row has is an error, and no advice', async () => {
    const folder = tenants()
    for (const value of ['c', "' OR ''='"]) {
      const { status, stdout, stderr } = await folder.run(rotate('--where', `tenant=${value}`))
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toBe('hardware-aes-gcm: users: no row matches --where\n')
    }
    expect((await folder.run(rotate('--where', 'nothing=1'))).stderr).toContain('cannot find a column')
  })

  test.each([
    [['--where', 'tenant'], /^--where must be COLUMN=VALUE, got 6 characters /],
    [['--where', '=b'], /^--where must be COLUMN=VALUE, got 2 characters /],
    [['--where', 'a=1', 'a=2'], /^--where names a column twice /],
    [
      ['--column', 'a=b', '--where', 'b=1'],
      /^--where names a column by a name that --column declares for another /,
    ],
  ])('%j', async (words, line) => {
    expect(await prepared(1).fail(2, rotate(...words))).toMatch(line)
  })
})

describe.skipIf(!FULL)('rotate-full-output: exit code 4 after rows were written', () => {
  test.each([[[]], [['--json']]])('%j', async more => {
    const folder = prepared(4)
    const shell = 'exec >/dev/full'
    const { status, stderr } = await folder.run(rotate(...more), { shell })
    expect(status).toBe(4)
    expect(stderr).toContain('but 4 rows were written: run the command again to count')
    // Then nothing is changed, and it fails as any command.
    expect((await folder.run(rotate(...more), { shell })).status).toBe(1)
    expect((await folder.run(rotate('--dry-run', ...more), { shell })).status).toBe(1)
    await folder.succeed(rotate(...more))
  })
})

test('values of a newer key stay until --back', async () => {
  const folder = prepared(3)
  const { email } = tableUnder(IDS.newer).seal({ id: 2, email: emailOf(2) })
  set(folder, 'UPDATE users SET email = ? WHERE id = 2', email)
  expect(await folder.run(rotate())).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(
      /^hardware-aes-gcm: users: 1 value is under a newer key: promote it, or pass --back\n$/,
    ),
  })
  expect(keyIds(folder)).toEqual([IDS.primary, IDS.newer])
  await folder.succeed(rotate('--back'))
  expectOpen(folder, 3)
  expect(keyIds(folder)).toEqual([IDS.primary])
})

test('a column of bytes that is not named as one is left', async () => {
  const folder = prepared(3)
  const words = rotate('--json').map(word => word.replace(':bytes', ''))
  const { status, stdout } = await folder.run(words)
  expect([status, JSON.parse(stdout)]).toMatchObject([3, { failed: 3, reasons: ['wrong-type'] }])
})

describe('from elsewhere, and back', () => {
  test('clear text is sealed only with --from-clear, and comes back only with --to clear and its words', async () => {
    const folder = prepared(4)
    set(folder, "UPDATE users SET email = 'clear' WHERE id = 1")
    expect((await folder.run(rotate())).status).toBe(3)
    await folder.succeed(rotate('--from-clear'))
    expect(users.open(rowsIn(folder)[0] as object)).toMatchObject({ email: 'clear' })
    const words = ['--to', 'clear', '--confirm', 'store values in clear text']
    expect(await folder.succeed(rotate(...words))).not.toContain('disable')
    const [first, second] = rowsIn(folder)
    expect([first?.email, second?.email, second?.avatar]).toEqual([
      'clear',
      emailOf(2),
      avatarOf(2).toString('base64'),
    ])
  })

  test("values in another program's layout, and those of cloak", async () => {
    const folder = prepared(3)
    const key = Buffer.alloc(32, 9)
    folder.write('old.key', key.toString('hex'))
    const layout = (text: string, tag = true) => {
      const iv = Buffer.alloc(12, 1)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const ct = Buffer.concat([cipher.update(text), cipher.final()])
      return { iv, ct, tag: tag ? cipher.getAuthTag() : Buffer.alloc(16) }
    }
    const hex = ({ iv, ct, tag }: ReturnType<typeof layout>) =>
      [iv, tag, ct].map(part => part.toString('hex')).join(':')
    set(folder, 'UPDATE users SET email = ? WHERE id = 1', hex(layout(emailOf(1))))
    set(folder, 'UPDATE users SET email = ? WHERE id = 2', hex(layout(emailOf(2), false)))
    const old = ['--old-layout', '{iv}:{tag}:{ct}', '--old-encoding', 'hex', '--old-key', 'old.key']
    const { status, stdout } = await folder.run(rotate(...old, '--json'))
    expect([status, JSON.parse(stdout)]).toMatchObject([
      3,
      { renewed: { fallback: 1 }, reasons: ['authentication-failed'] },
    ])
    expect(users.open(rowsIn(folder)[0] as object)).toMatchObject({ email: emailOf(1) })
    folder.write('cloak', 'no key')
    expect(await folder.fail(1, rotate('--old-cloak', 'cloak'))).toBe(
      'cloak: must contain cloak keys (k1.aesgcm256.…), one per line'.replace('…', '\u00e2\u0080\u00a6'),
    )
  })
})

describe('an end before the end', () => {
  /** Runs the command, and sends this process the signal's event once a batch is written. */
  const interrupted = async (folder: Folder, signal: NodeJS.Signals, more: string[], stderr = new Sink()) => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    const cwd = process.cwd()
    process.chdir(folder.path)
    try {
      const before = process.listeners(signal)
      const running = runHere(
        rotate('--batch', '1', '--pause', '20', ...more),
        Readable.from([]),
        new Sink(),
        stderr,
      )
      const listens = () => expect(process.listeners(signal).length).toBeGreaterThan(before.length)
      await vi.waitFor(listens, { timeout: 20_000 })
      // As many turns of the event loop, in which batches are done.
      for (let i = 0; i < 20; i++) await new Promise(resolve => setTimeout(resolve, 5))
      process.listeners(signal).at(-1)?.(signal)
      const outcome = await running
      return { ...outcome, killed: kill.mock.calls.map(([, signal]) => signal) }
    } finally {
      process.chdir(cwd)
      kill.mockRestore()
    }
  }

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: after the batch, with the rest for the next run',
    async signal => {
      const folder = prepared(60)
      set(folder, "UPDATE users SET email = 'clear' WHERE id = 1")
      const { stdout, stderr, killed } = await interrupted(folder, signal, ['--failures', 'left'])
      expect([stdout, killed]).toEqual(['', [signal]])
      const [, written] =
        /^hardware-aes-gcm: stopped after writing (\d+) rows: run the same command to continue\n$/.exec(
          stderr,
        ) ?? []
      expect(JSON.parse(folder.read('left'))).toEqual({
        id: { id: 1 },
        column: 'email',
        reason: 'not-sealed',
      })
      const done = rowsIn(folder).filter(
        ({ email }) => keyringOf(IDS.primary).keyIdOf(String(email)) === IDS.primary,
      )
      // Of the first row, the other column was written.
      expect(`${done.length + 1}`).toBe(written)
      expect(done.length).toBeLessThan(59)
      set(folder, 'UPDATE users SET email = ? WHERE id = 1', users.seal({ id: 1, email: emailOf(1) }).email)
      await folder.succeed(rotate())
      expectOpen(folder, 60)
    },
  )

  test('an error of the database after some batches says that they stay', async () => {
    const folder = prepared(10)
    // A trigger refuses the seventh row, in words that contain a value.
    set(
      folder,
      "CREATE TRIGGER t BEFORE UPDATE ON users WHEN NEW.id = 7 BEGIN SELECT RAISE(ABORT, 'secret value'); END",
    )
    const line = await folder.fail(1, rotate('--batch', '2'))
    expect(line).toMatch(
      /^app\.db: the write failed.*; 6 rows were written: run the same command to continue$/,
    )
    expect(line).not.toContain('secret value')
    set(folder, 'DROP TRIGGER t')
    await folder.succeed(rotate())
    expectOpen(folder, 10)
  })
})

test('the line at a terminal counts rows', async () => {
  const folder = prepared(25)
  hurry()
  const cwd = process.cwd()
  process.chdir(folder.path)
  const stderr = Object.assign(new Sink(), { isTTY: true })
  try {
    expect(await runHere(rotate('--batch', '5'), Readable.from([]), new Sink(), stderr)).toMatchObject({
      status: 0,
    })
  } finally {
    process.chdir(cwd)
    vi.restoreAllMocks()
  }
  expect(stderr.text.split('\r\u001b[K').at(-2)).toMatch(/^100%, 25 of 25 rows, [\d ]+ rows\/s, 0 s left$/)
})
