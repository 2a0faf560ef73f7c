// Uses every export of hardware-aes-gcm/typeorm once: entities(entry, columns and keyring). CommonJS, since Jest requires this file.
const assert = require('node:assert')

module.exports = function entities(entry, { encryptedColumns, Keyring }) {
  assert.deepEqual(Object.keys(entry), ['encryptedEntities'])
  const users = encryptedColumns('users', {
    keyring: Keyring.generate(),
    rowKey: 'id',
    columns: { email: 'text' },
  })
  const get = name => ({
    getEntityValue: entity => entity[name],
    setEntityValue: (entity, v) => (entity[name] = v),
  })
  const columns = ['id', 'email'].map(name => ({
    databaseName: name,
    propertyPath: name,
    type: 'text',
    ...get(name),
  }))
  const metadata = { name: 'User', tablePath: 'users', columns, indices: [], uniques: [] }
  class Builder {}
  class Insert extends Builder {}
  class Update extends Builder {}
  class SoftDelete extends Builder {}
  class Select extends Builder {
    insert = () => new Insert()
    update = () => new Update()
    softDelete = () => new SoftDelete()
  }
  const source = {
    options: { type: 'postgres' },
    isInitialized: true,
    entityMetadatas: [metadata],
    subscribers: [],
    driver: { escapeQueryWithParameters: (sql, { email }) => [sql, [email]] },
    buildMetadatas: async () => {},
    createQueryBuilder: () => new Select(),
  }
  assert.equal(entry.encryptedEntities(source, { User: users }), source)
  const [subscriber] = source.subscribers
  const entity = { id: 'a', email: 'ada@example.org' }
  subscriber.beforeInsert({ entity, metadata, queryRunner: {} })
  const value = source.driver.preparePersistentValue(entity.email, columns[1])
  const [, [email]] = source.driver.escapeQueryWithParameters('INSERT', { email: value })
  assert.equal(entity.email, 'ada@example.org')
  assert.deepEqual(users.open({ id: 'a', email }), entity)
  assert.throws(() => source.driver.preparePersistentValue('clear', columns[1]), {
    code: 'ERR_INVALID_ARG_VALUE',
  })
}
