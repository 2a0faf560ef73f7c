// Uses every export of hardware-aes-gcm/sequelize once: models(entry, columns and keyring). CommonJS, since Jest requires this file.
const assert = require('node:assert')

module.exports = function models(entry, { encryptedColumns, Keyring }) {
  assert.deepEqual(Object.keys(entry), ['encryptedSequelize'])
  const users = encryptedColumns('users', {
    keyring: Keyring.generate(),
    rowKey: 'id',
    columns: { email: 'text' },
  })
  const rawAttributes = { id: { type: { key: 'UUID' } }, email: { type: { key: 'TEXT' } } }
  const User = {
    name: 'User',
    tableName: 'users',
    rawAttributes,
    uniqueKeys: {},
    _indexes: [],
    refreshAttributes() {},
  }
  const sent = []
  const statements = { insert: (_, __, values) => sent.push(values) }
  const sequelize = { models: { User }, getDialect: () => 'postgres', getQueryInterface: () => statements }
  assert.equal(entry.encryptedSequelize(sequelize, { User: users }), sequelize)
  const row = { id: 'a', email: 'ada@example.org' }
  statements.insert(null, 'users', row)
  assert.deepEqual(users.open(sent[0]), row)
  assert.throws(() => entry.encryptedSequelize(sequelize, { Note: users }), { code: 'ERR_INVALID_ARG_VALUE' })
}
