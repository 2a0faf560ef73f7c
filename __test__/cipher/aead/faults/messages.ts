// Faults of the methods for single messages, and of objects.
import { inspect } from 'node:util'
import type { AesGcm } from 'hardware-aes-gcm'
import { KEY, METHODS, type Method } from '../../../tools/support.js'
import { type Any, AUTHENTICATION, afterwards, changing, fault, flip, forgiving } from './planted.js'

/** Turns ciphertext into plaintext by the keystream alone, without a look at the tag, and gives the right tag. */
function decipher(aes: AesGcm, data: Uint8Array, nonce: Uint8Array, aad?: Uint8Array): Buffer {
  const tag = Buffer.alloc(16)
  aes.encryptDetached(data, nonce, tag, aad)
  aes.encryptDetached(Buffer.from(data), nonce, tag, aad)
  return tag
}

const BITS = /^single bits/
const ANSWERS = /^known answer/
const AGREES = /^agrees/

fault('truncates tags', BITS, 'tryDecryptDetached', original => {
  return function (data, nonce, tag, aad) {
    if (original.call(this, data, nonce, tag, aad)) return true
    const copy = Buffer.from(data)
    const accepts = decipher(this, copy, nonce, aad).compare(tag, 0, 12, 0, 12) === 0
    if (accepts) data.set(copy)
    return accepts
  }
})
const decrypting = forgiving(AUTHENTICATION, (aes, [data, nonce, , aad]) => decipher(aes, data, nonce, aad))
fault('accepts any tag', BITS, 'decryptDetached', decrypting)
fault('refuses good tags', AGREES, 'tryDecryptInPlace', () => () => false)
const leaving = afterwards((ok, [frame], aes) => {
  if (!ok && frame.length > 28) decipher(aes, aes.plaintextOf(frame), frame.subarray(0, 12))
  return ok
})
fault('leaves plaintext in a frame after a bad tag', BITS, 'tryDecryptInPlace', leaving)
fault('leaves plaintext in a target after a bad tag', /any byte changed/, 'tryDecryptInto', original => {
  return function (target, frame, aad) {
    const written = original.call(this, target, frame, aad)
    if (written === null && frame.length > 28) target[0] = 1
    return written
  }
})
const ignoring = changing((values, name) => values.slice(0, METHODS[name as Method].takes.indexOf('aad')))
fault('ignores AAD', /^AAD that is absent/, '*', ignoring)
fault('reuses a nonce', /^no nonce comes twice/, 'encryptInPlace', original => {
  const first = new WeakMap<object, Buffer>()
  return function (frame, aad) {
    const text = Buffer.from(this.plaintextOf(frame))
    original.call(this, frame, aad)
    const nonce = first.get(this)
    if (nonce) {
      this.encryptDetached(text, nonce, frame.subarray(-16), aad)
      frame.set(Buffer.concat([nonce, text]))
    } else first.set(this, Buffer.from(frame.subarray(0, 12)))
  }
})
const copying = ([text, aad]: Any[]) => [Buffer.from(text), aad && Buffer.from(aad)]
const overlapping = forgiving('ERR_AESGCM_BUFFER_OVERLAP', (aes, [target, ...rest], original) =>
  original.call(aes, target, ...copying(rest)),
)
fault('accepts overlap', /^encryptInto: target and plaintext/, 'encryptInto', overlapping)
const ninthByte = afterwards((_, [data]) => flip(data, 9))
fault('encrypts wrongly', ANSWERS, 'encryptDetached', ninthByte)
fault('decrypts wrongly', ANSWERS, 'decryptDetached', ninthByte)
fault(
  'makes a wrong tag',
  ANSWERS,
  'encryptDetached',
  afterwards((_, [, , tag]) => flip(tag, 15)),
)
const losing = changing(([data, ...rest]) => [data.buffer?.byteLength <= 64 ? data.slice() : data, ...rest])
fault('loses writes to small views', /^small views/, 'encryptDetached', losing)
const writing = afterwards((size, [target]) => {
  if (target.length > size) target[size] = 0
  return size
})
fault('writes past its target', AGREES, 'decryptInto', writing)
const changingAad = afterwards((frame, [, aad]) => {
  if (aad) flip(aad, 0)
  return frame
})
fault('changes the AAD', AGREES, 'encrypt', changingAad)
const sharing = forgiving('ERR_AESGCM_SHARED_BUFFER', (aes, values, original) =>
  original.apply(aes, copying(values)),
)
fault('accepts shared memory', /^encrypt: plaintext that another thread/, 'encrypt', sharing)
const emptying = forgiving('ERR_AESGCM_DETACHED_BUFFER', (aes, _, original) =>
  original.call(aes, Buffer.alloc(0)),
)
fault('takes memory that is gone for empty', /^encrypt: plaintext whose memory is gone/, 'encrypt', emptying)
const converting = forgiving('ERR_INVALID_ARG_TYPE', (aes, [frame], original) =>
  original.call(aes, Buffer.from(frame)),
)
fault('converts arguments', /^decrypt: frame of every wrong type/, 'decrypt', converting)
const trusting = changing(([text, aad]) => [text.subarray(0, text.length), aad])
fault('trusts the length that a view tells', /^encrypt: plaintext in disguise/, 'encrypt', trusting)
const asking = changing(([frame]) => [frame.buffer?.byteLength === 0 ? Buffer.alloc(0) : frame])
fault('asks a frame for its byteLength', /byteLength/, 'plaintextOf', asking)
const pooled = afterwards(plaintext => Buffer.from(plaintext))
fault('gives pooled memory', /^plaintexts have memory of their own/, 'decrypt', pooled)
fault('gives a frame in pooled memory', /^plaintexts have memory of their own/, 'encrypt', pooled)
fault('gives a copy for a view', /give views of the frame/, 'plaintextOf', pooled)
const telling = forgiving(AUTHENTICATION, (_, [frame]) => {
  throw Object.assign(new Error(frame.length < 28 ? 'too short' : 'bad tag'), { code: AUTHENTICATION })
})
fault('says why a frame is refused', /^one class, code and message/, 'decrypt', telling)
const exceeding = forgiving('ERR_AESGCM_KEY_EXHAUSTED', (_, [text]) => Buffer.alloc(text.length + 28))
fault('takes one message too many', /^maxMessages/, 'encrypt', exceeding)
fault('counts no failures', /^each refusal is counted/, 'failedDecryptions', () => () => 0)
const surviving = forgiving('ERR_AESGCM_DESTROYED', () => undefined)
fault('goes on after destroy', /^encryptDetached of a destroyed object/, 'encryptDetached', surviving)
const indifferent = forgiving('ERR_INVALID_THIS', () => Buffer.alloc(0))
fault('works for any receiver', /^plaintextOf with a wrong receiver/, 'plaintextOf', indifferent)
const chatty = afterwards(shown => `${shown} ${KEY.toString('hex')}`)
fault('shows its key', /^the key is in nothing/, inspect.custom, chatty)
