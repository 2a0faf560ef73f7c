// Faults that the conformance suite must find, planted in the methods of AesGcm.
import { inspect } from 'node:util'
import { AesGcm } from 'hardware-aes-gcm'
import { KEY } from './support.js'

// biome-ignore lint/suspicious/noExplicitAny: a replacement takes and gives what the method it replaces does.
type Any = any
type Replacement = (original: (...values: Any[]) => Any) => (this: Any, ...values: Any[]) => Any
type Plant = Record<string | symbol, Replacement>

/** Replaces methods and getters of AesGcm while `run` runs. */
export function planted(plant: Plant, run: () => void): void {
  const before = Reflect.ownKeys(plant).map(name => {
    const descriptor = Object.getOwnPropertyDescriptor(AesGcm.prototype, name) as PropertyDescriptor
    const kind = descriptor.get ? 'get' : 'value'
    const replacement = plant[name] as Replacement
    Object.defineProperty(AesGcm.prototype, name, { ...descriptor, [kind]: replacement(descriptor[kind]) })
    return [name, descriptor] as const
  })
  try {
    run()
  } finally {
    for (const [name, descriptor] of before) Object.defineProperty(AesGcm.prototype, name, descriptor)
  }
}

/** Does what the original does, and where that throws an error with this code, gives what `otherwise` gives. */
const forgiving =
  (
    code: string,
    otherwise: (aes: Any, values: Any[], original: (...values: Any[]) => Any) => Any,
  ): Replacement =>
  original =>
    function (...values) {
      try {
        return original.apply(this, values)
      } catch (error) {
        if ((error as { code?: string }).code !== code) throw error
        return otherwise(this, values, original)
      }
    }

/** Changes the arguments before the original sees them. */
const changing =
  (change: (values: Any[]) => Any[]): Replacement =>
  original =>
    function (...values) {
      return original.apply(this, change(values))
    }

/** Does what the original does, then something to its arguments or its result. */
const afterwards =
  (then: (result: Any, values: Any[], aes: Any) => Any): Replacement =>
  original =>
    function (...values) {
      return then(original.apply(this, values), values, this)
    }

/** Changes a bit, where the array has this byte. */
function flip(bytes: Any, at: number): void {
  if (at < bytes.length) bytes[at] ^= 1
}

const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
/** Turns ciphertext into plaintext by the keystream alone, whatever the tag, and gives the right tag. */
const decipher = (aes: AesGcm, data: Uint8Array, nonce: Uint8Array, aad?: Uint8Array) => {
  const tag = Buffer.alloc(16)
  aes.encryptDetached(data, nonce, tag, aad)
  aes.encryptDetached(Buffer.from(data), nonce, tag, aad)
  return tag
}
/** Passes the first arguments on, and not the AAD after them. */
const only = (count: number) => changing(values => values.slice(0, count))
/** By what the class does: what is planted, and the name of a case that must fail. */
export const FAULTS: Record<string, { plant: Plant; found: RegExp }> = {
  'truncates tags': {
    plant: {
      tryDecryptDetached: original =>
        function (data, nonce, tag, aad) {
          if (original.call(this, data, nonce, tag, aad)) return true
          const copy = Buffer.from(data)
          if (!decipher(this, copy, nonce, aad).subarray(0, 12).equals(tag.subarray(0, 12))) return false
          data.set(copy)
          return true
        },
    },
    found: /^single bits/,
  },
  'accepts any tag': {
    plant: {
      decryptDetached: forgiving(AUTHENTICATION, (aes, [data, nonce, , aad]) =>
        decipher(aes, data, nonce, aad),
      ),
    },
    found: /^single bits/,
  },
  'refuses good tags': { plant: { tryDecryptInPlace: () => () => false }, found: /^agrees/ },
  'leaves plaintext in a frame after a bad tag': {
    plant: {
      tryDecryptInPlace: afterwards((ok, [frame], aes) => {
        if (!ok && frame.length > 28) decipher(aes, aes.plaintextOf(frame), frame.subarray(0, 12))
        return ok
      }),
    },
    found: /^single bits/,
  },
  'leaves plaintext in a target after a bad tag': {
    plant: {
      decryptInto: original =>
        function (target, frame, aad) {
          try {
            return original.call(this, target, frame, aad)
          } catch (error) {
            if (frame instanceof Uint8Array && frame.length > 28) target[0] = 1
            throw error
          }
        },
    },
    found: /any byte changed/,
  },
  'ignores AAD': {
    plant: {
      ...Object.fromEntries(
        ['encrypt', 'decrypt', 'tryDecrypt', 'encryptInPlace'].map(name => [name, only(1)]),
      ),
      ...{ decryptInPlace: only(1), tryDecryptInPlace: only(1), encryptInto: only(2), decryptInto: only(2) },
      ...{
        tryDecryptInto: only(2),
        encryptDetached: only(3),
        decryptDetached: only(3),
        tryDecryptDetached: only(3),
      },
    },
    found: /^AAD that is absent/,
  },
  'reuses a nonce': {
    plant: {
      encryptInPlace: original => {
        const first = new WeakMap<object, Buffer>()
        return function (frame, aad) {
          const text = first.has(this) ? Buffer.from(this.plaintextOf(frame)) : undefined
          original.call(this, frame, aad)
          const nonce = first.get(this)
          if (nonce === undefined || text === undefined) first.set(this, Buffer.from(frame.subarray(0, 12)))
          else {
            this.encryptDetached(text, nonce, frame.subarray(-16), aad)
            frame.set(nonce)
            frame.set(text, 12)
          }
        }
      },
    },
    found: /^no nonce comes twice/,
  },
  'accepts overlap': {
    plant: {
      encryptInto: forgiving('ERR_AESGCM_BUFFER_OVERLAP', (aes, [target, text, aad], original) =>
        original.call(aes, target, Buffer.from(text), aad && Buffer.from(aad)),
      ),
    },
    found: /^encryptInto: target and plaintext/,
  },
  'encrypts wrongly': {
    plant: { encryptDetached: afterwards((_, [data]) => flip(data, 9)) },
    found: /^known answer/,
  },
  'decrypts wrongly': {
    plant: { decryptDetached: afterwards((_, [data]) => flip(data, 9)) },
    found: /^known answer/,
  },
  'makes a wrong tag': {
    plant: { encryptDetached: afterwards((_, values) => flip(values[2], 15)) },
    found: /^known answer/,
  },
  'loses writes to small views': {
    plant: {
      encryptDetached: changing(([data, ...rest]) => [
        data.buffer.byteLength <= 64 ? data.slice() : data,
        ...rest,
      ]),
    },
    found: /^small views/,
  },
  'writes past its target': {
    plant: {
      decryptInto: afterwards((size, [target]) => {
        if (target.length > size) target[size] = 0
        return size
      }),
    },
    found: /^agrees/,
  },
  'changes the AAD': {
    plant: {
      encrypt: afterwards((frame, [, aad]) => {
        if (aad) flip(aad, 0)
        return frame
      }),
    },
    found: /^agrees/,
  },
  'accepts shared memory': {
    plant: {
      encrypt: forgiving('ERR_AESGCM_SHARED_BUFFER', (aes, [text, aad], original) =>
        original.call(aes, Buffer.from(text), aad && Buffer.from(aad)),
      ),
    },
    found: /^encrypt: plaintext that another thread may write/,
  },
  'takes memory that is gone for empty': {
    plant: {
      encrypt: forgiving('ERR_AESGCM_DETACHED_BUFFER', (aes, _, original) =>
        original.call(aes, Buffer.alloc(0)),
      ),
    },
    found: /^encrypt: plaintext whose memory is gone/,
  },
  'converts arguments': {
    plant: {
      decrypt: forgiving('ERR_INVALID_ARG_TYPE', (aes, [frame], original) =>
        original.call(aes, Buffer.from(frame)),
      ),
    },
    found: /^decrypt: frame of every wrong type/,
  },
  'trusts the length that a view tells': {
    plant: { encrypt: changing(([text, ...rest]) => [Buffer.from(text), ...rest]) },
    found: /^encrypt: plaintext in disguise/,
  },
  'asks a frame for its byteLength': {
    plant: { plaintextOf: changing(([frame]) => [frame.buffer?.byteLength === 0 ? Buffer.alloc(0) : frame]) },
    found: /byteLength/,
  },
  'gives pooled memory': {
    plant: { decrypt: afterwards(plaintext => Buffer.from(plaintext)) },
    found: /^results are Buffers over memory of their own/,
  },
  'gives a copy for a view': {
    plant: { plaintextOf: afterwards(plaintext => Buffer.from(plaintext)) },
    found: /give views of the frame/,
  },
  'says why a frame is refused': {
    plant: {
      decrypt: forgiving(AUTHENTICATION, (_, [frame]) => {
        throw Object.assign(new Error(frame.length < 28 ? 'too short' : 'bad tag'), { code: AUTHENTICATION })
      }),
    },
    found: /^one class, code and message/,
  },
  'takes one message too many': {
    plant: {
      encrypt: forgiving('ERR_AESGCM_KEY_EXHAUSTED', (_, [plaintext]) => Buffer.alloc(plaintext.length + 28)),
    },
    found: /^maxMessages/,
  },
  'counts no failures': { plant: { failedDecryptions: () => () => 0 }, found: /^each refusal is counted/ },
  'goes on after destroy': {
    plant: { encryptDetached: forgiving('ERR_AESGCM_DESTROYED', () => undefined) },
    found: /^encryptDetached of a destroyed object/,
  },
  'works for any receiver': {
    plant: { plaintextOf: forgiving('ERR_INVALID_THIS', () => Buffer.alloc(0)) },
    found: /^plaintextOf with a wrong receiver/,
  },
  'shows its key': {
    plant: {
      [inspect.custom]: original =>
        function (...values) {
          return `${original.apply(this, values)} ${KEY.toString('hex')}`
        },
    },
    found: /^the key is in nothing/,
  },
}
