// Rows with code of the caller in them: each property is read once, errors of the caller pass, and no value in clear is overlooked.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { describe, expect, test } from 'vitest'
import { refuses, run, thrown } from '../../tools/support.js'
import { INDEX_KEY, keyring, users } from './tables.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'

const revoked = (target: object) => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy as never
}
const calls = ['seal', 'open', 'tryOpen'] as const
const called = (method: (typeof calls)[number], row: unknown) =>
  (users[method] as (row: unknown) => unknown).call(users, row)

describe('what is no row', () => {
  test.each(calls)('%s', method => {
    for (const row of [undefined, null]) {
      const { message } = refuses(() => called(method, row), TYPE)
      expect(message).toBe(`"row" must be an object, got ${row}: the query found no row`)
    }
    for (const row of [
      7,
      'row',
      true,
      7n,
      Symbol('x'),
      () => 1,
      Buffer.alloc(3),
      new DataView(new ArrayBuffer(1)),
    ])
      refuses(() => called(method, row), TYPE)
    expect(refuses(() => called(method, [{}]), TYPE).message).toContain('openAll opens an array of rows')
    for (const row of [revoked({}), Object.create(revoked({})), revoked([])])
      expect(refuses(() => called(method, row), TYPE).message).toContain('is a Proxy that was revoked')
  })

  test('openAll', () => {
    for (const rows of [undefined, null, {}, 'rows', 7, new Set()])
      expect(refuses(() => users.openAll(rows as never), TYPE).message).toContain(
        '"rows" must be an array, got',
      )
    for (const rows of [[undefined], [{}, null], new Array(1), [{}, revoked({})]])
      expect(refuses(() => users.openAll(rows as never), TYPE).message).toMatch(/^"rows\[\d\]" /)
    refuses(() => users.openAll(revoked([])), TYPE)
    refuses(() => users.openAll(new Proxy([], { get: () => 2 ** 40 }) as never), 'ERR_OUT_OF_RANGE')
    const rows = [users.seal({ id: 1, email: 'a' })]
    expect(users.openAll(new Proxy(rows, {}))).toEqual([{ id: 1, email: 'a' }])
    class Rows extends Array {}
    const opened = users.openAll(Rows.from(rows) as object[])
    expect(Object.getPrototypeOf(opened)).toBe(Array.prototype)
    expect(rows).toHaveLength(1)
  })
})

test('getters and Proxies are read once, and what they return then counts', () => {
  let reads = 0
  const answers = ['ada@example.org', 7, 'eve@example.org']
  const row = {
    id: 1,
    get email() {
      return answers[reads++] as string
    },
  }
  const stored = users.seal(row)
  expect(reads).toBe(1)
  expect(users.open(stored).email).toBe('ada@example.org')
  expect(users.lookup('email', 'ada@example.org')).toEqual([stored.email_index])
  const seen: string[] = []
  const proxy = new Proxy(
    { ...stored },
    {
      get(target, name, receiver) {
        seen.push(String(name))
        return Reflect.get(target, name, receiver)
      },
    },
  )
  expect(users.open(proxy).email).toBe('ada@example.org')
  expect(seen.filter(name => name === 'email')).toHaveLength(1)
  let members = 0
  const address = {
    get city() {
      return members++ === 0 ? 'Köln' : new Date()
    },
  }
  expect(users.open(users.seal({ id: 1, address })).address).toEqual({ city: 'Köln' })
  expect(
    users.open(users.seal({ id: 1, address: new Proxy({ a: new Proxy([1], {}) }, {}) })).address,
  ).toEqual({ a: [1] })
  refuses(() => users.seal({ id: 1, address: { a: revoked({}) } }), TYPE)
  refuses(() => users.seal({ id: 1, address: revoked([]) }), TYPE)
})

test('errors of the caller pass unchanged', () => {
  const error = new Error('of the caller')
  const fails = () => {
    throw error
  }
  const table = encryptedColumns('t', {
    keyring,
    rowKey: 'id',
    indexKey: INDEX_KEY,
    columns: { a: { type: 'text', index: 'ix', normalizer: fails }, j: 'json' },
  })
  const row = Object.defineProperty({ id: 1 }, 'a', { get: fails, enumerable: true }) as never
  for (const call of [
    () => table.seal(row),
    () => table.open(row),
    () => table.seal({ id: 1, a: 'x' }),
    () => table.lookup('a', 'x'),
    () => table.seal({ id: 1, j: new Proxy({}, { ownKeys: fails }) }),
    () => table.open(new Proxy({}, { ownKeys: fails })),
  ])
    expect(thrown(call)).toBe(error)
  for (const wrong of [undefined, null, 7, {}, '\ud800']) {
    const { message } = thrown(() =>
      encryptedColumns('t', {
        keyring,
        rowKey: 'id',
        indexKey: INDEX_KEY,
        columns: { a: { type: 'text', index: 'ix', normalizer: (() => wrong) as never } },
      }).seal({ id: 1, a: 'x' }),
    )
    expect(message).toContain('"options.columns.a.normalizer()" ')
  }
})

test('symbols pass, and a column called __proto__ is a column', () => {
  const symbol = Symbol('of an ORM')
  const stored = users.seal({ id: 1, email: 'a', [symbol]: 1 })
  expect(stored[symbol]).toBe(1)
  expect(users.open(stored)[symbol]).toBe(1)
  const row = JSON.parse('{"id":1,"__proto__":{"email":"eve"},"age":7}')
  const sealed = users.seal(row)
  expect(Object.keys(sealed)).toEqual(['id', '__proto__', 'age', 'age_index'])
  expect(Object.getPrototypeOf(sealed)).toBe(Object.prototype)
  expect(users.open(sealed)).toStrictEqual(row)
})

describe('a value that would be overlooked', () => {
  test.each('Email EMAIL e_mail _email e-mail emailIndex EMAIL_INDEX emailindex PHOTO'.split(' '))(
    '%s',
    name => {
      for (const method of calls) {
        const { message } = refuses(() => called(method, { id: 1, [name]: 'ada@example.org' }), VALUE)
        expect(message).toMatch(`"row" has '${name}', and the declared column is '`)
        expect(message).not.toContain('ada@')
      }
    },
  )

  test('other names are columns in clear', () => {
    const row = {
      id: 1,
      emails: 'a',
      email2: 'b',
      mail: 'c',
      'e.mail': 'd',
      ID: 2,
      '': 'e',
      constructor: 'f',
    }
    expect(users.seal(row)).toEqual(row)
    for (let i = 0; i < 3000; i++) expect(users.open({ [`column ${i}`]: i })).toEqual({ [`column ${i}`]: i })
    refuses(() => users.open({ Age: 1 }), VALUE)
    refuses(() => users.open({ A_g_e: 1 }), VALUE)
  })

  test('columns that are getters of a class, as in models of an ORM', () => {
    class Model {
      dataValues = { id: 1, email: 'ada@example.org' }
      get email() {
        return this.dataValues.email
      }
    }
    class User extends Model {}
    for (const row of [new Model(), new User(), new Proxy(new User(), {})])
      for (const method of calls)
        expect(refuses(() => called(method, row), VALUE).message).toContain(
          `"row.email" is a property of the row's class: pass a plain object with the columns`,
        )
    // Entities with columns of their own are rows.
    class Entity {
      id = 1
      email = 'ada@example.org'
      greet() {}
    }
    expect(users.open(users.seal(new Entity()))).toEqual({ id: 1, email: 'ada@example.org' })
  })
})

test('a polluted Object.prototype and Array.prototype change no row', () => {
  const { status, stdout, stderr } = run(`
    import { encryptedColumns } from 'hardware-aes-gcm/columns'
    import { Keyring } from 'hardware-aes-gcm/keyring'
    const keyring = Keyring.generate(), indexKey = Buffer.alloc(32)
    let hits = 0
    for (const name of ['email', 'email_index', 'id', 'fallback', 'index', 'normalizer', 'type', 'get', 'set', 'value', 'rowKey', 'toJSON'])
      Object.defineProperty(Object.prototype, name, { __proto__: null, configurable: true, get: () => name === 'id' || name === 'email' ? 'polluted' : undefined, set() { hits++ } })
    for (const i of [0, 1, 2, 3])
      Object.defineProperty(Array.prototype, i, { __proto__: null, configurable: true, get() {}, set() { hits++ } })
    const own = (...pairs) => { const row = Object.create(null); for (const [k, v] of pairs) row[k] = v; return row }
    const columns = own(['email', own(['type', 'text'], ['index', 'email_index'])], ['note', 'json'], ['tags', 'json'])
    const table = encryptedColumns('users', own(['keyring', keyring], ['rowKey', own(['x', 'id']).x], ['indexKey', indexKey], ['columns', columns]))
    const stored = table.seal(own(['id', 1], ['email', 'ada@example.org'], ['note', own(['a', 1])]))
    const opened = table.open(stored)
    const lacking = table.seal(own(['id', 2]))
    const all = table.openAll(Array.from({ length: 2 }, () => stored))
    let code
    try { table.seal(own(['email', 'x'])) } catch (error) { code = error.code }
    const { length } = all, seen = hits
    const found = table.lookup('email', 'ada@example.org')
    for (const name of ['email', 'email_index', 'id', 'fallback', 'index', 'normalizer', 'type', 'get', 'set', 'value', 'rowKey', 'toJSON']) delete Object.prototype[name]
    for (const i of [0, 1, 2, 3]) delete Array.prototype[i]
    console.log(JSON.stringify([opened, Object.keys(lacking), length, all[1].email, code, found[0] === stored.email_index, seen]))`)
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: `${JSON.stringify([
      { id: 1, email: 'ada@example.org', note: { a: 1 } },
      ['id'],
      2,
      'ada@example.org',
      VALUE,
      true,
      0,
    ])}\n`,
    stderr: '',
  })
})
