// Uses every export of hardware-aes-gcm/rotation once, as a caller would: await rotations(entry, columns and keyring). CommonJS, since Jest
// requires this file.
const assert = require('node:assert/strict')

module.exports = async function rotations(entry, { encryptedColumns, Keyring }) {
  const functions = ['countColumns', 'mysqlRows', 'postgresqlRows', 'rotateColumns', 'sqliteRows']
  assert.deepEqual(Object.keys(entry).sort(), functions)
  const { countColumns, mysqlRows, postgresqlRows, rotateColumns, sqliteRows } = entry
  const keyring = Keyring.generate()
  const users = encryptedColumns('users', { keyring, rowKey: 'id', columns: { email: 'text' } })
  const row = { ...users.seal({ id: 17, email: 'ada@example.org' }) }
  keyring.promote(keyring.add({ key: Buffer.alloc(32, 1) }))
  const source = {
    read: ({ after }) => ({
      rows: after === undefined ? [{ ...row }] : [],
      next: after === undefined ? 1 : undefined,
    }),
    write: changes =>
      changes.map(({ old, now }) => {
        if (row.email !== old.email) return false
        Object.assign(row, now)
        return true
      }),
    count: () => [{ prefix: row.email.slice(0, 7), values: 1 }],
  }
  const [{ rest }] = await countColumns(users, source)
  assert.equal(rest, 1)
  const { done, changed } = await rotateColumns(users, source)
  assert.deepEqual([done, changed, users.open(row).email], [true, 1, 'ada@example.org'])
  const query = async () => [[], []]
  const options = { table: 'users', key: 'id' }
  for (const made of [mysqlRows({ query, execute: query }, options), postgresqlRows({ query }, options)])
    assert.equal(typeof made.read, 'function')
  assert.equal(typeof sqliteRows({ exec() {}, prepare() {} }, options).write, 'function')
}
