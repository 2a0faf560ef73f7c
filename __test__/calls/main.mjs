// Random calls of the classes of keys, and of the main entry. Ciphers of node:crypto judge whether a frame is authentic.
import { createDecipheriv, createSecretKey } from 'node:crypto'
import { inspect } from 'node:util'
import { isUint8Array } from 'node:util/types'
import { AesGcm, cpu } from 'hardware-aes-gcm'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { equal, must, same } from '../conformance/checks.mjs'
import { isCiphertext } from '../conformance/frames.mjs'
import { openedSiv } from '../models/siv.mjs'
import { derive } from '../models/xaes.mjs'
import { codes } from './codes.mjs'
import { functionCall } from './functions.mjs'
import { plain } from './judge.mjs'
import { rowsCall } from './rows.mjs'

const FAILED = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const USE = codes('ERR_AESGCM_DESTROYED', 'ERR_AESGCM_KEY_EXHAUSTED', 'ERR_AESGCM_BUFFER_OVERLAP')
const OPEN = new Set([...USE, FAILED])
/** The plaintext of a frame's parts; undefined if they are not authentic. */
function opened(key, nonce, text, tag, aad) {
  const decipher = createDecipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, nonce)
  decipher.setAuthTag(tag)
  if (aad) decipher.setAAD(aad)
  const plaintext = decipher.update(text)
  try {
    decipher.final()
    return plaintext
  } catch {
    return undefined
  }
}

/** The frames of a batch. */
function cut(whole, ends) {
  const positions = typeof ends === 'number' ? [] : [...ends]
  if (typeof ends === 'number' && whole.length > 0) {
    for (let at = ends; at < whole.length; at += ends) positions.push(at)
    positions.push(whole.length)
  }
  return positions.map((end, n) => whole.subarray(positions[n - 1] ?? 0, end))
}

function refusedRightly(key, frame, aad) {
  must(key.open(frame, aad) === undefined, 'an authentic frame was refused')
}

const CLASSES = [
  { Class: AesGcm, nonceBytes: 12, keyBytes: [16, 32], opened },
  {
    Class: XAesGcm,
    nonceBytes: 24,
    keyBytes: [32],
    opened(key, nonce, ...parts) {
      const derived = derive(key, nonce)
      return opened(derived.key, derived.nonce, ...parts)
    },
  },
  { Class: AesGcmSiv, nonceBytes: 12, keyBytes: [16, 32], opened: openedSiv },
]

/** A key with its objects: the one under test, and its twin, which is never destroyed. */
class Key {
  constructor({ chance, values }) {
    const { Class, nonceBytes, keyBytes, opened } = chance.pick(CLASSES)
    this.nonceBytes = nonceBytes
    this.overhead = nonceBytes + 16
    // Not in Node's pool: an argument of a random call may be a view of more of the pool, and the call may write there.
    this.bytes = chance.fill(Buffer.alloc(chance.pick(keyBytes)))
    this.opened = (...parts) => opened(this.bytes, ...parts)
    this.nonceAt = chance.pick(['start', 'end'])
    const options = {
      nonceAt: this.nonceAt,
      verifyFirst: chance.once(2),
      backend: chance.pick(cpu().backends),
    }
    if (chance.once(4)) options.maxMessages = chance.below(40)
    if (chance.once(4)) options.maxFailures = 1 + chance.below(40)
    this.aes = new Class(chance.once(3) ? createSecretKey(this.bytes) : values.put(this.bytes), options)
    this.twin = new Class(this.bytes, { nonceAt: this.nonceAt })
  }

  /** The plaintext of a frame, by node:crypto. */
  open(frame, aad) {
    const { nonceBytes, overhead } = this
    if (frame.length < overhead) return undefined
    const [nonce, text, tag] =
      this.nonceAt === 'start'
        ? [frame.subarray(0, nonceBytes), frame.subarray(nonceBytes, -16), frame.subarray(-16)]
        : [frame.subarray(-nonceBytes), frame.subarray(0, -overhead), frame.subarray(-overhead, -nonceBytes)]
    return this.opened(nonce, text, tag, aad)
  }

  within(frame) {
    return this.nonceAt === 'start'
      ? frame.subarray(this.nonceBytes, frame.length - 16)
      : frame.subarray(0, frame.length - this.overhead)
  }
}

/** Random calls of the main entry, one after the other. */
export class MainCalls {
  #keys = []

  constructor(chance, values) {
    this.chance = chance
    this.values = values
  }

  next() {
    const { chance } = this
    if (this.#keys.length < 6 || chance.once(200)) {
      if (this.#keys.length === 6) this.#keys.splice(chance.below(6), 1)
      this.#keys.push(new Key(this))
    }
    const key = chance.pick(this.#keys)
    if (chance.once(6)) return functionCall(this, key)
    if (chance.once(400)) key.aes.destroy()
    const call = this.#method(key)
    const { method, args } = call
    if (chance.once(3) && args.length > 0) this.spoil(args)
    const self = chance.once(60) ? chance.pick([{}, null, AesGcm.prototype, this.values.anything()]) : key.aes
    return {
      name: method,
      run: (...given) => AesGcm.prototype[method].apply(self, given),
      codes: OPEN,
      ...call,
    }
  }

  /** Puts a wrong value in the place of an argument, or one that overlaps another. */
  spoil(args) {
    const { chance, values } = this
    const at = chance.below(args.length)
    const [other] = args.filter((value, n) => n !== at && isUint8Array(value))
    if (chance.once(3) && other !== undefined) args[at] = values.beside(other)
    else if (chance.once(8)) args.length = at
    else args[at] = values.anything()
  }

  aad() {
    const { chance, values } = this
    return chance.once(3) ? chance.pick([undefined, null]) : values.bytes()
  }

  /** A frame, tampered with at times, and its additional data. */
  #frame(key) {
    const { chance, values } = this
    const aad = this.aad()
    const frame = key.twin.encrypt(values.bytes(), aad)
    if (chance.once(4)) frame[chance.below(frame.length)] ^= 1 << chance.below(8)
    return [values.put(chance.once(20) ? frame.subarray(0, chance.below(frame.length)) : frame), aad]
  }

  #method(key) {
    const { chance, values } = this
    const args = []
    const set = (...given) => args.push(...given)
    // Arguments that the call spoils are in `args` when it is made.
    switch (chance.below(16)) {
      case 0: {
        set(values.bytes(), this.aad())
        const check = (frame, [text, aad]) => {
          isCiphertext(frame)
          if (text !== undefined) equal(key.open(frame, aad), text, 'encrypt')
        }
        return { method: 'encrypt', args, check }
      }
      case 1: {
        const pieces = Array.from({ length: chance.below(6) }, () => values.bytes())
        const into = chance.once(2)
        const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
        set(...(into ? [values.room(bytes + key.overhead + chance.below(9))] : []), pieces, this.aad())
        const at = into ? 1 : 0
        const check = (result, copies, inside) => {
          const frame = into ? plain(args[0]).subarray(0, result) : result
          if (args[at] === pieces) equal(key.open(frame, copies[at + 1]), Buffer.concat(inside), 'pieces')
        }
        const writes = length => (into ? [plain(args[0]).subarray(0, length)] : [])
        return { method: into ? 'encryptInto' : 'encrypt', args, inside: pieces, writes, check }
      }
      case 2: {
        set(...this.#frame(key))
        const method = chance.pick(['decrypt', 'tryDecrypt'])
        const check = (text, [frame, aad]) => equal(text ?? undefined, key.open(frame, aad), method)
        return { method, args, check, failed: ([frame, aad]) => refusedRightly(key, frame, aad) }
      }
      case 3: {
        const text = values.bytes()
        set(values.room(text.length + chance.below(60)), text, this.aad())
        const written = length => [plain(args[0]).subarray(0, length)]
        const check = (length, [, text, aad]) => {
          if (text !== undefined) equal(key.open(written(length)[0], aad), text, 'encryptInto')
        }
        return { method: 'encryptInto', args, writes: written, check }
      }
      case 4: {
        const [frame, aad] = this.#frame(key)
        set(values.room(Math.max(0, frame.length - key.overhead) + chance.below(9)), frame, aad)
        const method = chance.pick(['decryptInto', 'tryDecryptInto'])
        const target = () => plain(args[0]).subarray(0, Math.max(0, plain(args[1]).length - key.overhead))
        const check = (length, [, frame, aad]) => {
          const text = key.open(frame, aad)
          equal(length, text === undefined ? null : text.length, method)
          same(target(), text ?? Buffer.alloc(target().length), () => `target of ${method}`)
        }
        const failed = ([, frame, aad]) => refusedRightly(key, frame, aad)
        return { method, args, writes: () => [target()], zeroes: target, check, failed }
      }
      case 5:
      case 6: {
        set(values.room(chance.below(20) + values.length()), this.aad())
        const check = (_, [was, aad]) =>
          equal(key.open(plain(args[0]), aad), key.within(was), 'encryptInPlace')
        return { method: 'encryptInPlace', args, writes: () => [plain(args[0])], check }
      }
      case 7:
      case 8: {
        set(...this.#frame(key))
        const method = chance.pick(['decryptInPlace', 'tryDecryptInPlace'])
        const text = () => key.within(plain(args[0]))
        const check = (result, [frame, aad]) => {
          const wanted = key.open(frame, aad)
          if (wanted === undefined) equal(result, false, method)
          else same(text(), wanted, () => method)
        }
        const failed = ([frame, aad]) => refusedRightly(key, frame, aad)
        return { method, args, writes: result => (result === false ? [] : [text()]), check, failed }
      }
      case 9: {
        set(values.room())
        const check = (view, [frame]) => equal(view.length, frame.length - key.overhead, 'plaintextOf')
        return { method: 'plaintextOf', args, check }
      }
      case 10: {
        set(values.bytes(), values.bytes(key.nonceBytes), values.room(16), this.aad())
        const check = (_, [data, nonce, , aad]) => {
          const text = key.opened(nonce, plain(args[0]), plain(args[2]), aad)
          equal(text, data, 'encryptDetached')
        }
        return { method: 'encryptDetached', args, writes: () => [plain(args[0]), plain(args[2])], check }
      }
      case 11: {
        const [sealed, nonce, tag, aad] = [
          values.bytes(),
          values.bytes(key.nonceBytes),
          Buffer.alloc(16),
          this.aad(),
        ]
        const own = [Buffer.from(sealed), Buffer.from(nonce)]
        key.twin.encryptDetached(own[0], own[1], tag, aad)
        if (chance.once(4)) tag[chance.below(16)] ^= 4
        set(values.put(own[0]), own[1], tag, aad)
        const method = chance.pick(['decryptDetached', 'tryDecryptDetached'])
        const wanted = ([data, nonce, tag, aad]) => key.opened(nonce, data, tag, aad)
        const check = (result, copies) => {
          const text = wanted(copies)
          if (text === undefined) equal(result, false, method)
          else same(plain(args[0]), text, () => method)
        }
        const failed = copies => must(wanted(copies) === undefined, `${method} refused an authentic message`)
        return { method, args, writes: result => (result === false ? [] : [plain(args[0])]), check, failed }
      }
      case 12:
      case 13:
        return chance.once(3) ? rowsCall(this, key, args) : this.#batch(key, args)
      case 14:
        return chance.once(8) ? this.#async(key, args) : this.#shown(key)
      default:
        return this.#shown(key)
    }
  }

  #shown({ aes }) {
    return { name: 'inspect', method: 'destroy', args: [], run: () => inspect(aes), codes: new Set() }
  }

  /** `number` positions up to `end`, in order. */
  #ascending(number, end) {
    return Uint32Array.from({ length: number }, () => this.chance.below(end + 1)).sort()
  }

  #batch(key, args) {
    const { chance, values } = this
    const method = chance.pick(['encryptBatchInPlace', 'decryptBatchInPlace', 'tryDecryptBatchInPlace'])
    const aad = this.aad()
    const number = chance.below(5)
    const aadEnds = isUint8Array(aad) && chance.once(2) ? this.#ascending(number, aad.length) : undefined
    const aadOf = (data, n) => (aadEnds === undefined ? data : cut(data, aadEnds)[n])
    const parts = Array.from({ length: number }, (_, n) => {
      const frame = key.twin.encrypt(values.bytes(chance.below(60)), aadOf(aad, n))
      if (chance.once(8)) frame[chance.below(frame.length)] ^= 1
      return frame
    })
    let end = 0
    const ends = Uint32Array.from(parts, ({ length }) => (end += length))
    const options = aadEnds === undefined ? { aad } : { aad, aadEnds }
    args.push(values.put(Buffer.concat(parts)), chance.once(4) ? chance.below(100) : ends, options)
    const check = (failed, [was], [data]) => {
      const [before, after] = [was, plain(args[0])].map(whole => cut(whole, args[1]))
      for (const [n, frame] of before.entries()) {
        const now = after[n]
        const given = args[2] === options ? aadOf(data, n) : undefined
        if (method === 'encryptBatchInPlace') equal(key.open(now, given), key.within(frame), method)
        else {
          const text = key.open(frame, given)
          equal(Boolean(failed?.includes(n)), text === undefined, `${method}, frame ${n}`)
          same(text === undefined ? now : key.within(now), text ?? frame, () => method)
        }
      }
    }
    return {
      ...{ method, args, inside: [aad], writes: () => [plain(args[0])], check },
      // The frames before the one that failed are decrypted.
      unsettled: method === 'encryptBatchInPlace' ? undefined : new Set([FAILED, 'ERR_AESGCM_KEY_EXHAUSTED']),
      codes: new Set([...OPEN, 'ERR_AESGCM_ARENA_FULL']),
    }
  }

  #async(key, args) {
    const { chance, values } = this
    const sealing = chance.once(2)
    const [frame, aad] = sealing
      ? [values.room(values.length() + key.overhead), this.aad()]
      : this.#frame(key)
    args.push(frame, aad, chance.once(4) ? { signal: AbortSignal.abort() } : undefined)
    const check = (result, [was, aad]) => {
      if (sealing) equal(key.open(result, aad), key.within(was), 'encryptInPlaceAsync')
      else equal(result, key.open(was, aad), 'decryptInPlaceAsync')
    }
    const method = sealing ? 'encryptInPlaceAsync' : 'decryptInPlaceAsync'
    return { method, args, codes: new Set([...OPEN, 'ABORT_ERR', 'ERR_AESGCM_ARENA_FULL']), check }
  }
}
