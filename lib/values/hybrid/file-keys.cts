// Keyrings as keys of /stream: seals and opens the key of a message like any message.
import { KEY_BYTES, type Reader, type Recipient, SEALED_FOR } from '../../protocols/stream/recipients.cjs'
import { keyringDestroyed } from '../keyring/key-table.cjs'
import type { PrivateTable, PublicKey, PublicTable } from './keys.cjs'
import { open, seal, Unopened } from './sealing.cjs'

export function recipientOf(table: PublicTable): Recipient {
  const { prefixBytes, type } = table.primary as PublicKey
  return {
    sealedBytes: prefixBytes + type.suite.overhead + KEY_BYTES,
    seal: key => seal(table, key, SEALED_FOR),
  }
}

export function readerOf(table: PrivateTable): Reader {
  const check = () => {
    if (table.destroyed) throw keyringDestroyed()
  }
  return {
    check,
    open(sealed) {
      check()
      const key = open(table, sealed, SEALED_FOR)
      // Without the event of a forgery: the key may be sealed to another recipient.
      return key instanceof Unopened ? undefined : key
    },
  }
}
