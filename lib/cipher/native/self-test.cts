// Tests a binding: a known answer on every backend, that native writes are not lost, and that
// random bytes vary.

import { buffer, positionOf } from '../base/builtins.cjs'
import { noMemory } from '../base/errors.cjs'
import type { ArenaHandle, Binding, KeyHandle } from './binding.cjs'
import { reasonOf } from './status.cjs'

// As they were when this file was loaded. Some runtimes have no SharedArrayBuffer.
const { compare, from } = buffer.Buffer
const Bytes = Uint8Array
const Shared = globalThis.SharedArrayBuffer as typeof SharedArrayBuffer | undefined

// Test case 16 of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B:
// AES-256, 60 bytes. Each call makes a new array, because some runtimes move new arrays this short
// when native code asks for them.
const bytes = Bytes.from.bind(Bytes)
const hex = (text: string) => bytes(from(text, 'hex'))
const key = () => hex('feffe9928665731c6d6a8f9467308308'.repeat(2))
const nonce = () => hex('cafebabefacedbaddecaf888')
const aad = () => hex('feedfacedeadbeeffeedfacedeadbeefabaddad2')
const plaintext = () =>
  hex(
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72' +
      '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
  )
const ciphertext = () =>
  hex(
    '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa' +
      '8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
  )
const tag = () => hex('76fc6ece0f4e1768cddf8853bb2d551b')
const forgedTag = () => hex('76fc6ece0f4e1768cddf8853bb2d551a')

const same = (a: Uint8Array, b: Uint8Array) => compare(a, b) === 0

/**
 * Describes the fault of the binding in this runtime on this CPU; undefined if the binding works.
 * @throws `ERR_AESGCM_ARENA_FULL` if there is no memory for a key at the moment.
 */
export function selfTest(binding: Binding): string | undefined {
  if (binding.backends.length === 0) return undefined
  // In a separate arena: the thread's would keep memory for keys of every backend.
  const arena = binding.createArena(1)
  if (typeof arena === 'number') {
    if (reasonOf(binding.reasons, arena) === 'NoMemory') throw noMemory()
    return 'an arena was refused'
  }
  try {
    for (let i = 0; i < binding.backends.length; i++) {
      const backend = binding.backends[i]
      const wrong = trial(binding, positionOf(binding.backendNames, backend), arena)
      if (wrong !== undefined) return `on backend ${backend}, ${wrong}`
    }
    return undefined
  } finally {
    binding.destroyArena(arena)
  }
}

/** Whether two results of `fill` differ from each other and from zeros. */
export function looksRandom(fill: (view: Uint8Array) => void): boolean {
  const [first, second, zeros] = [new Bytes(64), new Bytes(64), new Bytes(64)]
  fill(first)
  fill(second)
  return !(same(first, second) || same(first, zeros) || same(second, zeros))
}

function trial(binding: Binding, backend: number, arena: ArenaHandle): string | undefined {
  const handle = binding.create(0, backend, key(), false, false, 1, 2, arena)
  if (typeof handle === 'number') return 'a key was refused'
  try {
    return messages(binding, handle)
  } finally {
    binding.destroy(handle)
  }
}

function messages(binding: Binding, handle: KeyHandle): string | undefined {
  const [data, made] = [plaintext(), new Bytes(16)]
  if (!(binding.encryptDetached(handle, data, nonce(), made, aad()) >= 0)) return 'a message was refused'
  if (same(data, plaintext())) return 'a write of native code was lost'
  if (!same(data, ciphertext()) || !same(made, tag())) return 'encryption returned a wrong result'

  const forged = ciphertext()
  if (binding.decryptDetached(handle, forged, nonce(), forgedTag(), aad()) >= 0)
    return 'a forged tag was accepted'
  if (!same(forged, ciphertext())) return 'a failed decryption left its buffer changed'

  // Another thread may change shared memory during a call. The binding can refuse such memory only
  // if the runtime reports it.
  const shared = Shared === undefined ? undefined : new Bytes(new Shared(16))
  if (shared !== undefined && binding.encryptDetached(handle, shared, nonce(), made, aad()) >= 0)
    return 'shared memory was accepted'

  const received = ciphertext()
  if (!(binding.decryptDetached(handle, received, nonce(), tag(), aad()) >= 0))
    return 'a valid tag was rejected'
  return same(received, plaintext()) ? undefined : 'decryption returned a wrong result'
}
