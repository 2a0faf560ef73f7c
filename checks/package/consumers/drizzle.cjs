// Uses every export of hardware-aes-gcm/drizzle once, as Drizzle and a caller would: drizzle(entry, columns and keyring). CommonJS, since Jest
// requires this file.
const assert = require('node:assert/strict')

module.exports = function drizzle(entry, { encryptedColumns, Keyring, BlindIndex }) {
  assert.deepEqual(Object.keys(entry).sort(), ['encryptedTable', 'guarded', 'opened'])
  const { encryptedTable, opened } = entry
  const encrypted = encryptedTable(
    encryptedColumns('users', {
      keyring: Keyring.generate(),
      rowKey: 'id',
      indexKey: BlindIndex.generateKey(),
      columns: { email: { type: 'text', index: 'emailIndex' } },
    }),
  )
  const [email, index] = [encrypted.column('email'), encrypted.index('email')]
  const [values] = encrypted.seal([{ id: 17, email: 'ada@example.org' }])
  assert.equal(email.dataType(), 'text')
  const [term] = encrypted.lookup('email', 'ada@example.org')
  assert.equal(index.toDriver(term), index.toDriver(values.emailIndex))
  const row = { id: 17, email: email.fromDriver(email.toDriver(values.email)) }
  assert.deepEqual(opened([{ users: row }]), [{ users: { id: 17, email: 'ada@example.org' } }])
  assert.throws(() => opened({ ...row, id: 18 }))
  assert.throws(() => email.toDriver('ada@example.org'), TypeError)
}
