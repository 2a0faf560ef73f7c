// Batches that a server writes in parts, each while the next one is sealed: statements in the order in which the connection gets them.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { mysqlRows, postgresqlRows, rotateColumns } from 'hardware-aes-gcm/rotation'
import { expect, test } from 'vitest'
import { Random } from '../../tools/support.js'
import { keyringOf, staleOf } from './memory.js'

const random = new Random('parts of a batch')
const keyring = keyringOf(2)
const indexKey = random.bytes(32)
/** Called for each row that is renewed. */
let onRow = () => {}
const usersOf = (keys: typeof keyring) =>
  encryptedColumns('users', {
    keyring: keys,
    rowKey: 'id',
    indexKey,
    columns: {
      email: {
        type: 'text',
        index: 'email_index',
        normalizer: email => {
          onRow()
          return email
        },
      },
    },
  })
const users = usersOf(keyring)
const stale = usersOf(staleOf(keyring))

type Row = Record<string, unknown>
type Parameters = readonly (readonly string[])[]

/** Statements by what they have: the last is the one that reads a batch. */
const STATEMENTS =
  /^(BEGIN|COMMIT|ROLLBACK|UPDATE|SELECT v\.i)|pg_index|pg_attribute|GROUP BY|OVER|LIMIT (?=\d+(?: FOR UPDATE SKIP LOCKED)?$)/

/** A table in memory behind a connection that answers the statements of the source, one after the other. */
class Server {
  readonly rows = new Map<string, string>()
  readonly log: string[] = []
  /** Called before each UPDATE with its number; an error is that of the statement. */
  onUpdate: (n: number) => void = () => {}
  onRead: () => void = () => {}
  /** Called when an UPDATE arrives. */
  onArrival: () => void = () => {}
  /** Whether a ROLLBACK came while another statement was on its way. */
  isOvertaken = false
  #updates = 0
  #open = 0
  #before = new Map<string, string>()
  #queue: Promise<unknown> = Promise.resolve()

  query = (sql: string, values: unknown[] = []): Promise<{ rows: Row[]; rowCount: number }> => {
    this.isOvertaken ||= sql === 'ROLLBACK' && this.#open > 0
    this.#open++
    if (sql.startsWith('UPDATE')) this.onArrival()
    const answer = this.#queue.then(async () => {
      await new Promise(setImmediate)
      this.#open--
      const rows = this.#answer(sql, values as never)
      return { rows, rowCount: rows.length }
    })
    this.#queue = answer.catch(() => {})
    return answer
  }

  #answer(sql: string, values: Parameters): Row[] {
    const kind = STATEMENTS.exec(sql)?.[0]
    if (kind !== undefined && (sql === kind || kind === 'BEGIN')) this.log.push(kind)
    switch (kind) {
      case 'pg_index':
        return [{ isIndexed: true }]
      case 'pg_attribute':
        return ['id', 'email', 'email_index'].map(name => ({ name, type: 'text' }))
      case 'BEGIN':
        this.#before = new Map(this.rows)
        return []
      case 'ROLLBACK':
        for (const [id, email] of this.#before) this.rows.set(id, email)
        return []
      case 'UPDATE':
        this.log.push('UPDATE')
        this.onUpdate(++this.#updates)
        return this.#swapped(values)
      case 'SELECT v.i':
        return this.#stored(values)
      case 'GROUP BY':
        return [...this.rows.values()].map(email => ({ prefix: email.slice(0, 7), n: 1 }))
      case 'OVER':
        return values.length > 0 ? [] : [{ 'n of the window': this.rows.size, id: 'last' }]
      case 'LIMIT ':
        this.onRead()
        return [...this.rows].map(([id, email]) => ({ id, email, email_index: indexes.get(id) }))
      default:
        return []
    }
  }

  #swapped([now = [], ids = [], old = []]: Parameters): Row[] {
    return ids.flatMap((id, i) => {
      if (this.rows.get(id) !== old[i]) return []
      this.rows.set(id, now[i] as string)
      return [{}]
    })
  }

  #stored([ids = [], now = []]: Parameters): Row[] {
    return ids.flatMap((id, i) => (this.rows.get(id) === now[i] ? [{ i: `${i + 1}` }] : []))
  }
}

/** The indexes of the rows, by their keys. */
const indexes = new Map<string, unknown>()

function filled(count: number): Server {
  const server = new Server()
  onRow = () => {}
  for (let i = 0; i < count; i++) {
    const row = stale.seal({ id: `${i}`, email: `${i}@example.org` })
    server.rows.set(`${i}`, row.email as string)
    indexes.set(`${i}`, row.email_index)
  }
  return server
}

const run = (server: Server, batchSize = 1000) =>
  rotateColumns(users, postgresqlRows({ query: server.query }, { table: 'users', key: 'id' }), { batchSize })

function expectRotated({ rows }: Server): void {
  for (const [id, email] of rows) {
    expect(users.open({ id, email }).email).toBe(`${id}@example.org`)
    expect(keyring.needsRotation(email)).toBe(false)
  }
}

test('the parts of a batch are one transaction, and one is written while the next is sealed', async () => {
  const server = filled(999)
  const renewed: number[] = []
  const arrived: number[] = []
  let count = 0
  server.onArrival = () => void arrived.push(count)
  server.onUpdate = () => void renewed.push(count)
  server.onRead = () => {
    count = 0
    onRow = () => void count++
  }
  expect(await run(server)).toMatchObject({ done: true, changed: 999, conflicts: 0, retries: 0 })
  expect(server.log.slice(0, 4)).toEqual(['BEGIN', 'UPDATE', 'UPDATE', 'COMMIT'])
  expect(server.log.filter(statement => statement === 'UPDATE')).toHaveLength(2)
  // The server gets a statement before the rows after it are sealed, and answers it afterwards.
  expect(arrived).toEqual([500, 999])
  expect(renewed).toEqual([999, 999])
  expectRotated(server)
})

test('a caller who replaced write gets the whole batch', async () => {
  const server = filled(400)
  const source = postgresqlRows({ query: server.query }, { table: 'users', key: 'id' })
  const lengths: number[] = []
  const write = source.write.bind(source)
  source.write = changes => {
    lengths.push(changes.length)
    return write(changes)
  }
  expect(await rotateColumns(users, source)).toMatchObject({ done: true, changed: 400 })
  expect(lengths[0]).toBe(400)
  expect(server.log.filter(statement => statement === 'UPDATE')).toHaveLength(1)
})

test('a batch without a transaction is written at once', async () => {
  const server = filled(400)
  const source = postgresqlRows({ query: server.query }, { table: 'users', key: 'id' })
  const read = source.read.bind(source)
  source.read = request => read({ ...request, write: false })
  expect(await rotateColumns(users, source)).toMatchObject({ changed: 400 })
  // The count has a transaction.
  expect(server.log).toEqual(['UPDATE', 'BEGIN', 'COMMIT'])
})

test('a small batch is written at once', async () => {
  const server = filled(100)
  expect(await run(server)).toMatchObject({ done: true, changed: 100 })
  expect(server.log.slice(0, 3)).toEqual(['BEGIN', 'UPDATE', 'COMMIT'])
})

test('a batch of which any part meets a deadlock is rolled back, and counted once', async () => {
  for (let n = 1; n <= 2; n++) {
    const server = filled(400)
    server.onUpdate = update => {
      if (update === n) throw Object.assign(new Error('deadlock'), { code: '40P01' })
    }
    const { done, changed, conflicts, retries, renewed } = await run(server)
    expect({ done, changed, conflicts, retries, sealed: renewed.sealed }).toEqual({
      done: true,
      changed: 400,
      conflicts: 0,
      retries: 1,
      sealed: 400,
    })
    expect(server.log.slice(n, n + 3)).toContain('ROLLBACK')
    expectRotated(server)
  }
})

test('a row that the database did not write is a failure in its part, and the next run finds it', async () => {
  const server = filled(400)
  const { email: other, email_index } = stale.seal({ id: '250', email: 'other@example.org' })
  server.onUpdate = update => {
    if (update !== 2) return
    server.rows.set('250', other as string)
    indexes.set('250', email_index)
  }
  expect(await run(server)).toMatchObject({ done: false, changed: 399, conflicts: 0, failed: 1 })
  expect(await run(server)).toMatchObject({ done: true, changed: 1, failed: 0 })
  const email = server.rows.get('250') as string
  expect([users.open({ id: '250', email }).email, keyring.needsRotation(email)]).toEqual([
    'other@example.org',
    false,
  ])
})

test('an error of the caller while a part is written ends the run with that error', async () => {
  const server = filled(400)
  let count = 0
  server.onRead = () => {
    onRow = () => {
      if (++count === 250) throw new Error('of the normalizer')
    }
  }
  server.onUpdate = () => {
    throw Object.assign(new Error('deadlock'), { code: '40P01' })
  }
  await expect(run(server)).rejects.toThrow('of the normalizer')
  expect(server.log).toEqual(['BEGIN', 'UPDATE', 'ROLLBACK'])
  expect(server.isOvertaken).toBe(false)
  onRow = () => {}
})

test('MySQL: an error of the caller while a part is written gives the connection back to its pool', async () => {
  const { rows } = filled(400)
  const log: string[] = []
  let [open, isOvertaken] = [0, false]
  const answers: [RegExp, (values: unknown[]) => unknown][] = [
    [/information_schema/, () => ['id', 'email', 'email_index'].map(name => ({ name, type: 'text' }))],
    [/VERSION\(\)|@@SESSION/, () => [{ version: '8.4.0', t: 5, l: 50 }]],
    [/OFFSET/, () => []],
    [/OVER/, () => [{ 'n of the window': rows.size, id: 'last' }]],
    [
      /SKIP LOCKED$/,
      () => {
        let count = 0
        onRow = () => {
          if (++count === 250) throw new Error('of the normalizer')
        }
        return [...rows].map(([id, email]) => ({ id, email, email_index: indexes.get(id) }))
      },
    ],
    [/^UPDATE/, ([json]) => ({ affectedRows: JSON.parse(json as string).length })],
    [/./, () => []],
  ]
  const connection = {
    query: (sql: string) => connection.execute(sql),
    execute: async (sql: string, values: unknown[] = []) => {
      isOvertaken ||= sql === 'ROLLBACK' && open > 0
      log.push(sql.split(' ', 1)[0] as string)
      open++
      await new Promise(setImmediate)
      open--
      return [answers.find(([kind]) => kind.test(sql))?.[1](values), []] as never
    },
    release: () => void log.push('released'),
    destroy: () => void log.push('destroyed'),
  }
  const source = mysqlRows({ getConnection: async () => connection }, { table: 'users', key: 'id' })
  await expect(rotateColumns(users, source, { batchSize: 1000 })).rejects.toThrow('of the normalizer')
  onRow = () => {}
  expect(log.slice(-4)).toEqual(['SELECT', 'ROLLBACK', 'SET', 'released'])
  expect(isOvertaken).toBe(false)
})
