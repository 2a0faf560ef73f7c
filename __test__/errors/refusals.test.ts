// The error of each refusal of the binding: its class, code and text, also of those that no call of a test can arrange.
import { createRequire } from 'node:module'
import { AesGcm, AesGcmError } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { BINARY, type Raw } from '../tools/support.js'

const require = createRequire(import.meta.url)
const { reasons } = require(BINARY) as Raw
const { AES_GCM, AES_GCM_SIV, XAES_256_GCM } = require('../../dist/cipher/aead/ciphers.cjs')
const { aeadRefusal, publishForgeryOrThrow } = require('../../dist/cipher/aead/refusal.cjs') as {
  aeadRefusal: (kind: object, status: number, names: string[], ...values: unknown[]) => Error
  publishForgeryOrThrow: (kind: object, status: number, names: string[], ...values: unknown[]) => void
}
const { refusal } = require('../../dist/cipher/native/refusal.cjs') as {
  refusal: (status: number, names: string[], ...values: unknown[]) => Error
}
require('hardware-aes-gcm').cpu() // loads the binding

/** The number by which the binding refuses an argument: the one `at` this position, with a detail. */
const status = (reason: string, at = 0, detail = 0) =>
  -1 - reasons.indexOf(reason) - at * 2 ** 8 - detail * 2 ** 16

const bytes = (length: number) => Buffer.alloc(length)
const gone = bytes(0)
structuredClone(gone.buffer, { transfer: [gone.buffer] })

/** The arguments of a call by their names. */
type Call = Record<string, unknown>
const SEALING = { handle: {}, frame: bytes(99), plaintext: bytes(71), aad: bytes(3) }
const INTO = { handle: {}, target: bytes(5), plaintext: bytes(71), aad: bytes(3) }
const OPENING = { handle: {}, target: bytes(5), frame: bytes(40), aad: null }
const DETACHED = { handle: {}, data: bytes(9), nonce: bytes(5), tag: bytes(3), aad: null }
const BATCH = { handle: {}, frames: bytes(64), ends: [64], aad: bytes(3), aadEnds: 'x' }
const PIECES = { handle: {}, frame: bytes(99), aad: null, plaintext: [bytes(1), gone, 'text'] }

const RANGE = 'ERR_OUT_OF_RANGE'
const TYPE = 'ERR_INVALID_ARG_TYPE'
const FULL = 'ERR_AESGCM_ARENA_FULL'
const UNSUPPORTED = 'ERR_AESGCM_UNSUPPORTED_CPU'
const ROTATE = 'rotate to a new key, in a new object; this object still'
const TEXT = 'Buffer.from(text) encodes text'
const GONE = 'is gone: it was detached, or shrunk away'

const CASES: [
  reason: string,
  call: Call,
  place: [at: number, detail?: number],
  code: string,
  text: string,
][] = [
  ['NotBytes', { ...SEALING, frame: 5 }, [1], TYPE, '"frame" must be a Uint8Array, got number'],
  ['NotBytes', { ...SEALING, aad: 'x' }, [3], TYPE, `"aad" must be a Uint8Array, got string: ${TEXT}`],
  [
    'NotBytes',
    { ...SEALING, plaintext: null },
    [2],
    TYPE,
    '"plaintext" must be a Uint8Array, or an array of them, got null',
  ],
  ['NotBytes', { ...INTO, target: 'x' }, [1], TYPE, '"target" must be a Uint8Array, got string'],
  ['NotBytes', PIECES, [3, 2], TYPE, `"plaintext[2]" must be a Uint8Array, got string: ${TEXT}`],
  [
    'NotEnds',
    BATCH,
    [2],
    TYPE,
    '"ends" must be a Uint32Array or a number, got Array: Uint32Array.from(ends)',
  ],
  ['NotEnds', BATCH, [4], TYPE, '"aadEnds" must be a Uint32Array, got string'],
  [
    'EndDescends',
    BATCH,
    [2, 7],
    RANGE,
    '"ends" must be in ascending order: element 7 is less than the one before it (positions, not lengths)',
  ],
  [
    'EndOutside',
    BATCH,
    [2, 7],
    RANGE,
    '"ends" must end within "frames": element 7 is larger than its length',
  ],
  [
    'EndOutside',
    BATCH,
    [4, 7],
    RANGE,
    '"aadEnds" must end within "aad": element 7 is larger than its length',
  ],
  ['AadCount', BATCH, [4], RANGE, '"aadEnds" must have one element for each frame'],
  ['TooManyFrames', BATCH, [2], RANGE, '"ends" must describe at most 2^32 - 1 frames'],
  [
    'Shared',
    SEALING,
    [1],
    'ERR_AESGCM_SHARED_BUFFER',
    '"frame" is on a SharedArrayBuffer, which another thread may change at any time',
  ],
  ['Detached', { ...SEALING, aad: gone }, [3], 'ERR_AESGCM_DETACHED_BUFFER', `the memory of "aad" ${GONE}`],
  ['Detached', PIECES, [3, 1], 'ERR_AESGCM_DETACHED_BUFFER', `the memory of "plaintext[1]" ${GONE}`],
  [
    'Overlap',
    SEALING,
    [1, 3],
    'ERR_AESGCM_BUFFER_OVERLAP',
    '"frame" is written to and must not share memory with "aad"',
  ],
  [
    'InvalidKeyLength',
    { algorithm: 0, backend: 0, key: bytes(3) },
    [2],
    'ERR_AESGCM_INVALID_KEY_LENGTH',
    '"key" must be 16 or 32 bytes, got length 3',
  ],
  ['InvalidNonceLength', DETACHED, [2], RANGE, '"nonce" must be a Uint8Array of length 12, got length 5'],
  ['InvalidTagLength', DETACHED, [3], RANGE, '"tag" must be a Uint8Array of length 16, got length 3'],
  [
    'FrameTooShort',
    { ...SEALING, frame: bytes(5) },
    [1],
    RANGE,
    '"frame" must be a Uint8Array of at least 28 bytes: the plaintext and 28 bytes around it, got length 5',
  ],
  [
    'FrameTooShort',
    BATCH,
    [1, 7],
    RANGE,
    'frame 7 of "frames" must be at least 28 bytes: the plaintext and 28 bytes around it',
  ],
  ['TargetTooShort', INTO, [1], RANGE, '"target" must be a Uint8Array of at least 99 bytes, got length 5'],
  [
    'TargetTooShort',
    { ...INTO, plaintext: [bytes(1), bytes(2)] },
    [1],
    RANGE,
    '"target" must be a Uint8Array of at least 31 bytes, got length 5',
  ],
  ['TargetTooShort', OPENING, [1], RANGE, '"target" must be a Uint8Array of at least 12 bytes, got length 5'],
  ['MessageTooLong', SEALING, [1], RANGE, 'a message must be at most 2^36 - 32 bytes'],
  ['AadTooLong', SEALING, [3], RANGE, '"aad" must be at most 2^61 - 1 bytes'],
  [
    'EncryptionsExhausted',
    SEALING,
    [1],
    'ERR_AESGCM_KEY_EXHAUSTED',
    `this object has reached its limit of messages (maxMessages) or blocks (2^48): ${ROTATE} decrypts`,
  ],
  [
    'EncryptionsExhausted',
    BATCH,
    [1],
    'ERR_AESGCM_KEY_EXHAUSTED',
    `this batch would exceed the limit of messages (maxMessages) or blocks (2^48) of this object: ${ROTATE} decrypts`,
  ],
  [
    'FailuresExhausted',
    OPENING,
    [2],
    'ERR_AESGCM_KEY_EXHAUSTED',
    `this object has reached its limit of failed decryptions (maxFailures): ${ROTATE} encrypts`,
  ],
  [
    'Authentication',
    OPENING,
    [2],
    'ERR_AESGCM_AUTHENTICATION_FAILED',
    'the message could not be authenticated',
  ],
  ['Entropy', SEALING, [0], 'ERR_AESGCM_RNG_FAILURE', 'the operating system returned no random bytes'],
  ['Destroyed', SEALING, [0], 'ERR_AESGCM_DESTROYED', 'this key was destroyed'],
  ['ArenaDestroyed', SEALING, [0], 'ERR_AESGCM_DESTROYED', 'this arena was destroyed, and its keys with it'],
  [
    'Full',
    SEALING,
    [0],
    FULL,
    'a thread can have at most 2^24 keys and arenas, and as many pending async calls: ' +
      'drop references to unused keys and arenas, or wait for pending calls',
  ],
  ['ArenaFull', SEALING, [0], FULL, 'this arena is full: destroy unused keys, or make a larger arena'],
  [
    'NoMemory',
    SEALING,
    [0],
    FULL,
    'the operating system refused memory for keys, the generator or a copy of the AAD',
  ],
  [
    'UnsupportedCpu',
    SEALING,
    [0],
    UNSUPPORTED,
    'this CPU lacks AES or carry-less multiply instructions, and there is no software cipher to fall back to',
  ],
  ['BackendUnavailable', SEALING, [0], UNSUPPORTED, 'this CPU cannot run the requested backend'],
  [
    'Untransferable',
    SEALING,
    [1],
    'ERR_INVALID_STATE',
    'this runtime could not transfer memory (structuredClone failed), so no other thread can work on the frame',
  ],
]

test.each(CASES)('%s', (reason, call, place, code, message) => {
  const error = aeadRefusal(AES_GCM, status(reason, ...place), Object.keys(call), ...Object.values(call))
  expect({ ...error, message: error.message }).toEqual({ code, message })
  expect(error instanceof AesGcmError).toBe(code.startsWith('ERR_AESGCM'))
  expect('cause' in error).toBe(false)
  if (code === RANGE) expect(error).toBeInstanceOf(RangeError)
  if (code === TYPE) expect(error).toBeInstanceOf(TypeError)
})

test('the classes differ in the lengths of keys and nonces, in the overhead and in limits', () => {
  const texts = (kind: object) =>
    [
      aeadRefusal(kind, status('InvalidKeyLength'), ['key'], bytes(3)),
      aeadRefusal(kind, status('InvalidNonceLength'), ['nonce'], bytes(3)),
      aeadRefusal(kind, status('FrameTooShort'), ['frame'], bytes(3)),
      aeadRefusal(kind, status('MessageTooLong'), ['frame'], bytes(3)),
      aeadRefusal(kind, status('AadTooLong'), ['aad'], bytes(3)),
      aeadRefusal(kind, status('EncryptionsExhausted'), ['frame'], bytes(3)),
    ].map(({ message }) => message.replace(/, got.*|: rotate.*/, ''))
  expect(texts(XAES_256_GCM)).toEqual([
    '"key" must be 32 bytes',
    '"nonce" must be a Uint8Array of length 24',
    '"frame" must be a Uint8Array of at least 40 bytes: the plaintext and 40 bytes around it',
    'a message must be at most 2^36 - 32 bytes',
    '"aad" must be at most 2^61 - 1 bytes',
    'this object has reached its limit of messages (maxMessages)',
  ])
  expect(texts(AES_GCM_SIV)).toEqual([
    '"key" must be 16 or 32 bytes',
    '"nonce" must be a Uint8Array of length 12',
    '"frame" must be a Uint8Array of at least 28 bytes: the plaintext and 28 bytes around it',
    'a message must be at most 2^36 bytes',
    '"aad" must be at most 2^36 bytes',
    'this object has reached its limit of messages (maxMessages) or blocks (2^48)',
  ])
})

test('decryptDetached with an IV of 16 bytes points to layoutReader, and to no class that has none', () => {
  const says = (kind: object, length: number) =>
    aeadRefusal(kind, status('InvalidNonceLength'), ['nonce'], bytes(length)).message
  expect(says(AES_GCM, 16)).toBe(
    '"nonce" must be a Uint8Array of length 12, got length 16: ' +
      'layoutReader of hardware-aes-gcm/legacy opens old messages with IVs of 16 bytes',
  )
  for (const length of [0, 11, 13, 15, 17, 24]) expect(says(AES_GCM, length)).not.toContain('legacy')
  for (const kind of [AES_GCM_SIV, XAES_256_GCM]) expect(says(kind, 16)).not.toContain('legacy')
  const aes = new AesGcm(Buffer.alloc(32))
  for (const method of ['decryptDetached', 'tryDecryptDetached', 'encryptDetached'] as const)
    expect(() => aes[method](Buffer.alloc(4), Buffer.alloc(16), Buffer.alloc(16))).toThrow('layoutReader')
})

test('where no class of keys is concerned, the limits are those of AES-GCM', () => {
  expect(refusal(status('MessageTooLong'), ['frame'], bytes(3)).message).toBe(
    'a message must be at most 2^36 - 32 bytes',
  )
  expect(refusal(status('AadTooLong'), ['aad'], bytes(3))).toMatchObject({
    code: RANGE,
    message: '"aad" must be at most 2^61 - 1 bytes',
  })
})

test('memory that is there after all was not asked, because the stack overflowed', () => {
  const error = refusal(status('Detached'), ['frame'], bytes(0))
  expect(error).toBeInstanceOf(RangeError)
  expect(error).toMatchObject({ message: 'Maximum call stack size exceeded' })
  expect(error).not.toHaveProperty('code')
})

test('a `try` method throws every refusal but that of a message that is not authentic', () => {
  const attempt = (reason: string) => publishForgeryOrThrow(AES_GCM, status(reason), ['frame'], bytes(3))
  expect(attempt('Authentication')).toBe(undefined)
  expect(() => attempt('Destroyed')).toThrow('this key was destroyed')
})

test('a number that is no refusal is told as it is', () => {
  expect(refusal(status('Internal'), []).message).toBe('internal error: the binding returned -1')
})
