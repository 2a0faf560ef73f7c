// Uses every export of hardware-aes-gcm/prisma once, on a client with the structure of Prisma's: prisma(entry, columns and keyring).
// CommonJS, since Jest requires this file.
const assert = require('node:assert/strict')

module.exports = function prisma(entry, { encryptedColumns, BlindIndex, Keyring }) {
  assert.deepEqual(Object.keys(entry).sort(), ['encryptedModels', 'fieldValue'])
  const { encryptedModels, fieldValue } = entry
  const users = encryptedColumns('User', {
    keyring: Keyring.generate(),
    rowKey: 'id',
    indexKey: BlindIndex.generateKey(),
    columns: { email: { type: 'text', index: 'emailIndex' }, notes: 'json' },
  })
  const fields = ['id', 'email', 'emailIndex', 'notes'].map(name => ({
    name,
    kind: 'scalar',
    type: 'String',
  }))
  const client = { _runtimeDataModel: { models: { User: { fields } } }, $extends: extension => extension }
  const { query, result } = encryptedModels({ User: users }, { newKey: { User: () => 'ada' } })(client)
  const data = { email: 'ada@example.org', notes: fieldValue({ likes: ['maths'] }) }
  const run = (operation, args) =>
    query.$allModels.$allOperations({ model: 'User', operation, args, query: sent => sent })
  return run('create', { data }).then(({ data: row }) => {
    assert.deepEqual(users.open(row), { id: 'ada', ...data })
    assert.equal(result.user.email.compute(row), data.email)
    return run('findMany', { where: { email: data.email } }).then(({ where }) =>
      assert.deepEqual(where, { emailIndex: { in: [row.emailIndex] } }),
    )
  })
}
