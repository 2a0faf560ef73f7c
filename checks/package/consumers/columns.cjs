// Uses every export of hardware-aes-gcm/columns once, as a caller would: columns(entry, keyring). CommonJS, since Jest requires this file.
const assert = require('node:assert/strict')

module.exports = function columns(entry, { BlindIndex, Keyring }) {
  assert.deepEqual(Object.keys(entry).sort(), ['NotSealedError', 'encryptedColumns'])
  const { encryptedColumns, NotSealedError } = entry
  const keyring = Keyring.generate()
  const users = encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    indexKey: BlindIndex.generateKey(),
    columns: {
      email: { type: 'text', index: 'email_index', normalizer: email => email.toLowerCase() },
      address: 'json',
      photo: 'bytes',
      age: 'number',
    },
  })
  const row = {
    id: 17,
    name: 'Ada',
    email: 'Ada@example.org',
    address: { city: 'Köln' },
    photo: Buffer.of(1),
    age: 36,
  }
  const sealed = users.seal(row)
  assert.deepEqual(users.open(sealed), row)
  assert.deepEqual(users.openAll([sealed, sealed]), [row, row])
  assert.deepEqual(users.lookup('email', 'ADA@example.org'), [sealed.email_index])
  assert.equal(users.tryOpen({ ...sealed, id: 18 }), null)
  assert.throws(() => users.open({ ...sealed, email: row.email }), NotSealedError)
  assert.ok(sealed.email.length <= users.length('email', 15))
  assert.ok(users.condition('email', 'sqlite').includes('GLOB'))
}
