// The actions of `keyset` that make a file or change its keys.
import type { HybridKeyType } from '../../../types/hybrid.d.ts'
import type { KeyType } from '../../../types/keyring.d.ts'
import { freshKey } from '../../cipher/machine/random.cjs'
import { PrivateKeyring } from '../../values/hybrid/private-keyring.cjs'
import { Keyring } from '../../values/keyring/keyring.cjs'
import { KEY_TYPE_NAMES, keyTypeOf } from '../../values/keyring/keyset/key-types.cjs'
import type { Call } from '../frame/command.cjs'
import { unusable } from '../frame/failure.cjs'
import { PROGRAM } from '../frame/help.cjs'
import { KEYSET_BYTES } from '../secrets/keyset-file.cjs'
import { CHANGEABLE } from '../secrets/keyset-kinds.cjs'
import { type AnyKeyInfo, factsOf } from '../secrets/keyset-list.cjs'
import type { KeysetLock } from '../secrets/keyset-lock.cjs'
import { changeFile } from '../writing/change.cjs'
import { refuseTaken, withOutputs } from '../writing/outputs.cjs'

/** The actions that work on the key of `--id`. */
export const ON_KEYS = ['promote', 'enable', 'disable', 'delete'] as const
type OnKey = (typeof ON_KEYS)[number]

/** What `--hybrid` names: key exchanges, with AES-256-GCM. */
export const PAIRS = ['x25519', 'x-wing'] as const
const TYPES = { x25519: 'X25519-AES-256-GCM', 'x-wing': 'X-WING-AES-256-GCM' } as const

type Changeable = Keyring | PrivateKeyring
type Done = object & { id: number }

/** A new file with one key. */
export async function create(call: Call, path: string, lock: KeysetLock): Promise<Done> {
  const force = call.has('force')
  refuseTaken(path, force)
  await lock.choose()
  const pairs = pairsOf(call)
  const keyring =
    pairs === undefined
      ? Keyring.generate(call.choice('type', KEY_TYPE_NAMES))
      : PrivateKeyring.generate(pairs)
  try {
    const bytes = await lock.contentOf(keyring)
    try {
      await withOutputs({ force }, outputs => outputs.write(path, bytes))
    } finally {
      bytes.fill(0)
    }
    return factsOf(keyring.keys[0] as AnyKeyInfo)
  } finally {
    keyring.destroy()
  }
}

/** Changes a file, and reports the added, changed or deleted key. */
export async function change(
  call: Call,
  path: string,
  action: 'add' | OnKey,
  id: number | undefined,
  lock: KeysetLock,
): Promise<Done> {
  let done: Done | undefined
  await changeFile(call.streams, path, KEYSET_BYTES, 'a keyset', async before => {
    const keyring = await lock.open(path, before, CHANGEABLE, true)
    try {
      if (action === 'add') done = add(call, path, keyring)
      else done = changeKey(keyring, path, action, id as number)
      return await lock.contentOf(keyring)
    } finally {
      keyring.destroy()
    }
  })
  return done as Done
}

function add(call: Call, path: string, keyring: Changeable): Done {
  if (keyring instanceof PrivateKeyring) {
    if (call.has('type'))
      throw unusable(path, 'is a private keyset: choose the type of its keys with --hybrid')
    const id = keyring.add(pairsOf(call) ?? (primaryOf(keyring).type as HybridKeyType))
    return factsOf(keyOf(keyring, id) as AnyKeyInfo)
  }
  if (call.has('hybrid'))
    throw unusable(path, 'is a symmetric keyset: choose the type of its keys with --type')
  const type = call.choice('type', KEY_TYPE_NAMES) ?? (primaryOf(keyring).type as KeyType)
  const key = freshKey(keyTypeOf('type', type).keyBytes)
  try {
    const id = keyring.add({ key, type })
    return factsOf(keyOf(keyring, id) as AnyKeyInfo)
  } finally {
    key.fill(0)
  }
}

function changeKey(keyring: Changeable, path: string, action: OnKey, id: number): Done {
  const key = keyOf(keyring, id)
  const refuse = (what: string): never => {
    throw unusable(path, what)
  }
  if (key === undefined) return refuse(`has no key with the id ${id}: see ${PROGRAM} keyset list`)
  if (key.primary && (action === 'disable' || action === 'delete')) {
    refuse(`key ${id} is the primary key: promote another key first`)
  }
  if (action !== 'delete' && key.type === null)
    refuse(`key ${id} is destroyed, or has a type that ${PROGRAM} does not support`)
  if (action === 'promote' && key.status !== 'enabled') refuse(`key ${id} is ${key.status}: enable it first`)
  keyring[action](id)
  return action === 'delete' ? { id } : factsOf(keyOf(keyring, id) as AnyKeyInfo)
}

function keyOf({ keys }: Changeable, id: number): AnyKeyInfo | undefined {
  return keys.find(key => key.id === id)
}

function primaryOf({ keys }: Changeable): AnyKeyInfo {
  return keys.find(({ primary }) => primary) as AnyKeyInfo
}

/** The type of keys that `--hybrid` names. */
function pairsOf(call: Call): HybridKeyType | undefined {
  const name = call.choice('hybrid', PAIRS)
  return name === undefined ? undefined : TYPES[name]
}
