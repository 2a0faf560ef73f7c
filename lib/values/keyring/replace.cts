// Replaces a keyring's keyset with a newer one, in one step. Refuses older ones and changed keys.
//
// A keyset has no version, but its keys have an order, and operators change it in few ways: they
// add the newest key, promote a newer one, change a status, and delete keys older than the primary.
// A keyset is older if no such steps lead to it from the keyring's.
import { crypto } from '../../cipher/base/builtins.cjs'
import { AesGcmError, wrongType } from '../../cipher/base/errors.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { kindOf, wipe } from '../../cipher/base/views.cjs'
import { bytesOf } from './key-reuse.cjs'
import { type AeadTable, isUsable, type Key, type TableKey } from './key-table.cjs'
import { invalidKeyset } from './keyset/errors.cjs'

const { timingSafeEqual } = crypto

/**
 * Gives `table` the keys of `newer`, which is destroyed with those that are gone. Throws before it
 * changes anything. Returns whether the keyset is another one.
 */
export function replaceKeys(table: AeadTable, newer: AeadTable, back: boolean): boolean {
  if (newer === table) return false
  refuseOtherMaterial(table, newer)
  if (!back) refuseOlder(table, newer)
  const isOther = !isSame(table, newer)
  table.exchange(newer)
  newer.destroy()
  return isOther
}

export function notAKeyring(value: unknown): Error {
  return wrongType(`"newer" must be a Keyring, got ${kindOf(value)}: Keyring.parse reads a keyset`)
}

/** Refuses a key with a known id and other bytes, type or prefix: its values would not open. */
function refuseOtherMaterial(table: AeadTable, newer: AeadTable): void {
  for (let key = newer.first; key !== undefined; key = key.next) {
    const known = table.find(key.id)
    if (!isUsable(key) || !isUsable(known)) continue
    if (key.type === known.type && key.prefix === known.prefix && haveSameBytes(key, known)) continue
    const what = `must not have another key under the id ${key.id}, which a key of this keyring has: add it under a new id`
    throw invalidKeyset('', what)
  }
}

function haveSameBytes(one: Key, other: Key): boolean {
  const bytes = bytesOf(one)
  try {
    const others = bytesOf(other)
    const isSame = orWipe(others, () => timingSafeEqual(bytes, others))
    wipe(others, 0)
    return isSame
  } finally {
    wipe(bytes, 0)
  }
}

function refuseOlder(table: AeadTable, newer: AeadTable): void {
  const primary = table.primary as Key
  const next = newer.primary as Key
  const same = newer.find(primary.id)
  if (!isUsable(same)) throw older(`lacks the primary key ${primary.id}`)
  if (same !== next && isBefore(newer, next, same))
    throw older(`goes back to the key ${next.id} from the newer key ${primary.id}`)
  refuseOtherHistory(table, newer)
}

/** Whether `one` is older than `other` in a table that has both. */
function isBefore(table: AeadTable, one: Key, other: Key): boolean {
  let key = table.first
  while (key !== one && key !== other) key = key?.next
  return key === one
}

/**
 * Refuses keys in another order, unknown ones in front of known ones, the loss of newer ones, and
 * destroyed ones that come back.
 */
function refuseOtherHistory(table: AeadTable, newer: AeadTable): void {
  let at = table.first
  let unknown = -1
  let isPastPrimary = false
  for (let key = newer.first; key !== undefined; key = key.next) {
    if (table.find(key.id) === undefined) {
      unknown = key.id
      continue
    }
    if (unknown >= 0)
      throw older(`has the key ${unknown} before the key ${key.id}: new keys are added at the end`)
    // Keys between the last known one and this one were deleted.
    while (at !== undefined && at.id !== key.id) {
      if (isPastPrimary) throw lacksNewer(at.id)
      at = at.next
    }
    if (at === undefined) throw older(`has the key ${key.id} at another place in the order of its keys`)
    if (isPastPrimary && (isUsable(at) ? !isUsable(key) : isDestroyed(key) && !isDestroyed(at)))
      throw lacksNewer(key.id)
    if (isDestroyed(at) && !isDestroyed(key))
      throw older(`brings back the key ${key.id}, which was destroyed`)
    if (at === table.primary) isPastPrimary = true
    at = at.next
  }
  if (at !== undefined) throw lacksNewer(at.id)
}

/** Unlike a key of another type, which is kept and not usable either. */
function isDestroyed(key: TableKey): boolean {
  return !isUsable(key) && key.status === 'destroyed'
}

function lacksNewer(id: number): Error {
  return older(`lacks the key ${id}, which is newer than the primary one`)
}

function older(what: string): AesGcmError {
  const help = '`back: true` accepts it'
  return new AesGcmError(
    'ERR_AESGCM_OLDER_KEYSET',
    `the keyset is older than the keyring: it ${what} (${help})`,
  )
}

/** Whether two keyrings have equal keys in equal order, with equal statuses and primary. */
function isSame(table: AeadTable, newer: AeadTable): boolean {
  let other = newer.first
  for (let key = table.first; key !== undefined; key = key.next) {
    if (other === undefined || other.id !== key.id) return false
    const [one, two] = [
      isUsable(key) ? key.enabled : key.status,
      isUsable(other) ? other.enabled : other.status,
    ]
    if (one !== two) return false
    other = other.next
  }
  return other === undefined && newer.primary?.id === table.primary?.id
}
