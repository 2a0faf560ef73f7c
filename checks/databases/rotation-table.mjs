// The declaration of the part rotation.
import { Buffer } from 'node:buffer'
import { encryptedColumns } from 'hardware-aes-gcm/columns'

export const usersOf = (keyring, indexKey) =>
  encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    indexKey: Buffer.from(indexKey, 'hex'),
    columns: {
      email: { type: 'text', index: 'email_index', normalizer: email => email.toLowerCase() },
      address: 'json',
    },
  })
