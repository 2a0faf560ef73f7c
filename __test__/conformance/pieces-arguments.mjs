// Plaintexts in pieces of every wrong kind, in memory that cannot be used, too many, or too long.
import { counts } from './aead.mjs'
import { equal, must, refuses, same } from './checks.mjs'
import { disguises, gone, MISSING, NOT_BYTES, shared, trueBytes } from './hostile.mjs'

export const TYPE = 'ERR_INVALID_ARG_TYPE'
export const GONE = 'ERR_AESGCM_DETACHED_BUFFER'
const SHARED = 'ERR_AESGCM_SHARED_BUFFER'
const OVERLAP = 'ERR_AESGCM_BUFFER_OVERLAP'
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'
const DESTROYED = 'ERR_AESGCM_DESTROYED'
export const MAX_PIECES = 2 ** 16

export function* piecesArguments(aead) {
  const { text } = aead
  yield {
    name: 'pieces of every wrong type',
    run: () => {
      const wrong = [...NOT_BYTES, ...MISSING, ['an array of a piece', [text]]]
      for (const [what, value] of aead.some(wrong, 2)) refusesPiece(aead, value, TYPE, what)
    },
  }
  yield {
    name: 'pieces whose memory is gone or shared',
    run: () => {
      for (const [what, view] of gone(text)) refusesPiece(aead, view, GONE, what)
      for (const [what, view] of shared(50)) refusesPiece(aead, view, SHARED, what)
    },
  }
  yield {
    name: 'pieces in disguise',
    run: () => {
      for (const [what, view] of disguises(text))
        isFrameOf(aead, [text, view, view], Buffer.concat([text, trueBytes(view), trueBytes(view)]), what)
    },
  }
  yield { name: 'pieces over the target', run: () => overlap(aead) }
  yield { name: 'more than 2^16 pieces, and too many bytes', run: () => tooMany(aead) }
  yield { name: 'a target too short for its pieces', run: () => short(aead) }
  yield { name: 'pieces at the limits of an object', run: () => limits(aead) }
}

/** Calls `run` for both methods, with a function that encrypts `list` and with the target of `encryptInto`. */
function eachWay(aead, list, run) {
  const target = Buffer.alloc(500, 0x77)
  run(aes => aes.encrypt(list, aead.aad), 'encrypt', target)
  run(aes => aes.encryptInto(target, list, aead.aad), 'encryptInto', target)
}

/** Both methods refuse `list` with `code`, name what `named` names, and change no byte and no counter. */
export function refusesList(aead, list, code, named, what) {
  eachWay(aead, list, (encrypt, way, target) => {
    const aes = aead.make()
    const error = refuses(() => encrypt(aes), code, `${way}: ${what}`)
    must(error.message.includes(named), () => `${way}: ${what}: no ${named} in "${error.message}"`)
    equal(counts(aes), [0, 0, 0], `${way}: ${what}: counters`)
    same(target, Buffer.alloc(500, 0x77), () => `${way}: ${what}: the target`)
  })
}

/** A piece is refused at every position, with its index. */
function refusesPiece(aead, piece, code, what) {
  for (const at of [0, 1, 4]) {
    const list = Array.from({ length: 5 }, () => aead.text)
    list[at] = piece
    refusesList(aead, list, code, `"plaintext[${at}]"`, what)
  }
}

export function isFrameOf(aead, list, plaintext, what) {
  eachWay(aead, list, (encrypt, way, target) => {
    const result = encrypt(aead.make())
    const frame = way === 'encrypt' ? result : target.subarray(0, result)
    must(aead.isFrame(frame, plaintext, aead.aad), () => `another frame by ${way}: ${what}`)
  })
}

function overlap(aead) {
  const aes = aead.make()
  const random = aead.random('pieces over the target')
  const [start, length, room] = [60, 20, 80]
  const step = aead.thorough ? 1 : 9
  for (let at = 0; at <= start + room + 40; at += at === start || at === start + room - 1 ? 1 : step) {
    for (const position of [0, 2]) {
      const memory = random.bytes(start + room + 40 + length)
      const before = Buffer.from(memory)
      const target = memory.subarray(start, start + room)
      const list = [random.bytes(3), random.bytes(3), random.bytes(3)]
      list[position] = memory.subarray(at, at + length)
      const plaintext = Buffer.concat(list)
      const run = () => aes.encryptInto(target, list)
      if (at + length <= start || at >= start + room)
        must(aead.isFrame(target.subarray(0, run()), plaintext), `beside the target, at ${at}`)
      else {
        const { message } = refuses(run, OVERLAP, `at ${at}`)
        must(/"target" .* "plaintext/.test(message), message)
        same(memory, before, () => `bytes were written at ${at}`)
      }
    }
  }
  const memory = random.bytes(120)
  refuses(() => aes.encryptInto(memory, [], memory.subarray(0, 5)), OVERLAP, 'AAD over the target')
  const inside = [memory.subarray(9, 9), memory.subarray(119, 119)]
  equal(aes.encryptInto(memory, inside), aead.overhead, 'empty pieces within the target')
}

function tooMany(aead) {
  const empty = new Uint8Array(0)
  refusesList(aead, Array(MAX_PIECES + 1).fill(empty), OUT_OF_RANGE, `${MAX_PIECES + 1}`, 'too many pieces')
  refusesList(aead, Array(2 ** 32 - 1), OUT_OF_RANGE, `${2 ** 32 - 1}`, 'the longest array')
  // The binding looks at every piece, which takes long under emulation.
  if (!aead.thorough) return
  // No byte of these pieces is read: together they are longer than a message or a Buffer may be.
  const long = Array(MAX_PIECES).fill(new Uint8Array(2 ** 20 + 1))
  const { message } = refuses(() => aead.make().encryptInto(Buffer.alloc(9), long), OUT_OF_RANGE)
  must(message.includes('"'), message)
  refuses(() => aead.make().encrypt(long), OUT_OF_RANGE)
}

function short(aead) {
  const { text, aad, overhead } = aead
  const needed = text.length + aad.length + overhead
  const aes = aead.make()
  for (const length of [0, overhead - 1, text.length + overhead, needed - 1]) {
    const target = Buffer.alloc(length, 0x77)
    const { message } = refuses(() => aes.encryptInto(target, [text, aad]), OUT_OF_RANGE)
    equal(message, `"target" must be a Uint8Array of at least ${needed} bytes, got length ${length}`, 'text')
    same(target, Buffer.alloc(length, 0x77), () => 'the target')
  }
  equal(aes.encryptInto(Buffer.alloc(needed), [text, aad]), needed, 'a target that is just long enough')
  equal(counts(aes), [1, text.length + aad.length, 0], 'counters')
}

function limits(aead) {
  const { text } = aead
  const [aes, target] = [aead.make({ maxMessages: 2 }), Buffer.alloc(200, 0x77)]
  aes.encrypt([text])
  aes.encryptInto(Buffer.alloc(200), [text, text])
  for (const end of ['ERR_AESGCM_KEY_EXHAUSTED', DESTROYED]) {
    refuses(() => aes.encrypt([text]), end)
    refuses(() => aes.encryptInto(target, [text]), end)
    same(target, Buffer.alloc(200, 0x77), () => 'the target')
    equal(counts(aes), [2, 150, 0], 'counters')
    aes.destroy()
  }
}
