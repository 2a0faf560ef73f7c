// Makes the keys of a keyring, and changes them. Every change leaves the primary key enabled.
import type { KeyEntry } from '../../types/keyring.d.ts'
import { nodeError } from '../base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../base/lists.cjs'
import { onFailure } from '../base/on-failure.cjs'
import { kindOf, wipe } from '../base/views.cjs'
import { freshKey } from '../machine/random.cjs'
import { expanded, idOf, keyOf, ownSettings, settingsOf } from './key-entry.cjs'
import {
  freshId,
  type Key,
  type Node,
  Ring,
  refuseRaw,
  refuseTaken,
  ringDestroyed,
  wipeKey,
} from './key-table.cjs'
import { keyTypeOf } from './keyset/key-types.cjs'
import { MAX_KEYS } from './keyset/model.cjs'

const KEYS = { elements: 'keys', least: 1, most: MAX_KEYS }

/** A keyring of the keys of a caller. A call that fails leaves no key. */
export function ringOf(keys: readonly KeyEntry[], options: unknown): Ring {
  const { settings, primary } = settingsOf(options)
  if (!isList(keys))
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `"keys" must be an array, got ${kindOf(keys)}`)
  const entries = elementsOf('keys', keys, lengthOfList('keys', keys, KEYS))
  return filled(new Ring(settings), ring => {
    // A caller names the newest key first.
    for (let i = 0; i < entries.length; i++) ring.prepend(keyOf(ring, `keys[${i}]`, entries[i]))
    const newest = ring.last as Key
    setPrimary(ring, primary === undefined ? newest : nodeOf(ring, 'options.primary', primary))
  })
}

/** A keyring of one new key. */
export function newRing(type: unknown, options: unknown): Ring {
  const settings = ownSettings(options)
  const wanted = keyTypeOf('type', type)
  return filled(new Ring(settings), ring => {
    const bytes = freshKey(wanted.keyBytes)
    try {
      const key = expanded(ring, wanted, 'tink', freshId(ring), true, bytes)
      ring.append(key)
      ring.primary = key
    } finally {
      wipe(bytes, 0)
    }
  })
}

/** The keyring that `fill` fills. If `fill` throws, the keys in the keyring are wiped at once. */
export function filled(ring: Ring, fill: (ring: Ring) => void): Ring {
  onFailure(
    () => ring.destroy(),
    () => fill(ring),
  )
  return ring
}

export function add(ring: Ring, entry: unknown): number {
  refuseFull(ring)
  const key = keyOf(ring, 'entry', entry)
  onFailure(
    () => wipeKey(key),
    () => {
      // Getters of the entry may have changed the keyring.
      if (ring.destroyed) throw ringDestroyed()
      refuseTaken(ring, 'entry.id', key.id)
      refuseFull(ring)
      if (key.enabled && key.skip === 0) refuseRaw(ring)
      ring.append(key)
    },
  )
  return key.id
}

function refuseFull(ring: Ring): void {
  let count = 0
  for (let key = ring.first; key !== undefined; key = key.next) count++
  if (count >= MAX_KEYS)
    throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', `a keyring has at most ${MAX_KEYS} keys: delete some`)
}

export function promote(ring: Ring, id: unknown): void {
  setPrimary(ring, nodeOf(ring, 'id', id))
}

export function setPrimary(ring: Ring, key: Node): void {
  if (key.type === undefined || !key.enabled) {
    throw nodeError(
      Error,
      'ERR_INVALID_STATE',
      `the key ${key.id} cannot be the primary key, because it is not enabled`,
    )
  }
  ring.primary = key
}

export function enable(ring: Ring, id: unknown): void {
  const key = nodeOf(ring, 'id', id)
  if (key.type === undefined) {
    throw nodeError(
      Error,
      'ERR_INVALID_STATE',
      `the key ${key.id} cannot be enabled: it is of a type that this package does not have`,
    )
  }
  if (!key.enabled && key.skip === 0) refuseRaw(ring)
  ring.enable(key, true)
}

export function disable(ring: Ring, id: unknown): void {
  const key = nodeOf(ring, 'id', id)
  refusePrimary(ring, key, 'disabled')
  // A key that this package cannot use is not enabled.
  if (key.type !== undefined) ring.enable(key, false)
}

export function remove(ring: Ring, id: unknown): void {
  const key = nodeOf(ring, 'id', id)
  refusePrimary(ring, key, 'deleted')
  ring.remove(key)
}

function refusePrimary(ring: Ring, key: Node, change: string): void {
  if (key !== ring.primary) return
  const what = `the key ${key.id} cannot be ${change}, because it is the primary key: promote another key first`
  throw nodeError(Error, 'ERR_INVALID_STATE', what)
}

/** The key of a caller's id. */
function nodeOf(ring: Ring, name: string, id: unknown): Node {
  const key = ring.find(idOf(name, id))
  if (key !== undefined) return key
  throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `"${name}" is ${id}, which no key of this keyring has`)
}
