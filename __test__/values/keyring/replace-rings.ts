// Keyrings of numbered keys, for the tests of Keyring.replace.
import { type KeyEntry, Keyring } from 'hardware-aes-gcm/keyring'

export const bytesOf = (id: number, others = 0) => Buffer.alloc(32, id % 251).fill(others, 0, 1)

/** A keyring of these keys, from the oldest to the newest; a negative id is that of a disabled key. */
export function ringOf(ids: readonly number[], primary: number): Keyring {
  const entries: KeyEntry[] = ids.map(id => ({
    id: Math.abs(id),
    key: bytesOf(Math.abs(id)),
    status: id < 0 ? 'disabled' : 'enabled',
  }))
  return new Keyring(entries.reverse(), { primary })
}

export const shapeOf = (keyring: Keyring) =>
  keyring.keys.map(({ id, status }) => (status === 'enabled' ? id : -id))
export const primaryOf = (keyring: Keyring) => keyring.keys.find(({ primary }) => primary)?.id
