// Faults of batches.
import {
  type Any,
  AUTHENTICATION,
  afterwards,
  changing,
  fault,
  flip,
  forgiving,
  type Replacement,
} from './planted.js'

const BATCH = ['encryptBatchInPlace', 'decryptBatchInPlace', 'tryDecryptBatchInPlace']
/** The view of each frame of a batch. */
function framesIn(frames: Any, ends: Any): Any[] {
  const count = typeof ends === 'number' ? Math.ceil(frames.length / ends) : ends.length
  const all = typeof ends === 'number' ? Array.from({ length: count }, (_, i) => (i + 1) * ends) : [...ends]
  return all.map((end, i) => frames.subarray(all[i - 1] ?? 0, end))
}
/** Forgets, after each call, what the call did to the frames for which `lost` holds. */
const forgetting =
  (lost: (frame: Any, i: number, list: Any[]) => boolean): Replacement =>
  original =>
    function (frames, ends, ...rest) {
      const list = frames instanceof Uint8Array && ends !== 0 ? framesIn(frames, ends) : []
      const before = list.map(frame => Uint8Array.from(frame))
      try {
        return original.call(this, frames, ends, ...rest)
      } finally {
        for (const [i, frame] of list.entries()) if (lost(frame, i, list)) frame.set(before[i])
      }
    }
const lastOfThree = forgetting((_, i, list) => list.length > 2 && i === list.length - 1)
fault('leaves the last frame of a batch', /^a batch of random frames/, 'encryptBatchInPlace', lastOfThree)
fault('does not decrypt a frame of a batch', /^a batch of every length/, 'decryptBatchInPlace', lastOfThree)
const firstAad = changing(([frames, ends, options]) => [frames, ends, { ...options, aadEnds: undefined }])
for (const name of BATCH.slice(0, 2)) fault('ignores aadEnds', /^a batch of every length/, name, firstAad)
fault('reuses a nonce in a batch', /^a batch of frames around 64/, 'encryptBatchInPlace', original => {
  return function (frames, ends, options) {
    const list = framesIn(frames, ends)
    const texts = list.map(frame => Buffer.from(this.plaintextOf(frame)))
    original.call(this, frames, ends, options)
    if (options?.aadEnds || list.length < 2 || list[0].length !== 92) return
    const [nonce, last] = [Buffer.from(list[0].subarray(0, 12)), list.at(-1)]
    const [text, tag] = [texts.at(-1) as Buffer, Buffer.alloc(16)]
    this.encryptDetached(text, nonce, tag, options?.aad)
    last.set(Buffer.concat([nonce, text, tag]))
  }
})
const spilling = afterwards((result, [frames, ends]) => {
  if (typeof ends !== 'number') flip(frames, ends[ends.length - 1] ?? 0)
  return result
})
fault('writes past the last end of a batch', /^a batch of one frame/, 'tryDecryptBatchInPlace', spilling)
const silent = forgiving(AUTHENTICATION, () => undefined)
fault('does not throw for a forged frame', /^a batch with every subset/, 'decryptBatchInPlace', silent)
const fewer = afterwards(failed => failed.slice(0, 2))
fault('lists two failures at most', /^a batch with every subset/, 'tryDecryptBatchInPlace', fewer)
fault(
  'changes a failed frame',
  /^a batch with every subset/,
  'tryDecryptBatchInPlace',
  afterwards((failed, [frames, ends]) => {
    if (failed.length > 0) flip(framesIn(frames, ends)[failed[0]], 3)
    return failed
  }),
)
fault(
  'stops at a short frame',
  /^a batch with frames that are too short/,
  'tryDecryptBatchInPlace',
  forgetting((_, i, list) => list.slice(0, i).some(frame => frame.length < 28)),
)
const goingOn = forgiving('ERR_AESGCM_KEY_EXHAUSTED', (_, [frames, ends]) => {
  for (const frame of framesIn(frames, ends)) flip(frame, 20)
})
fault('changes frames after maxFailures', /^maxFailures in the middle/, 'decryptBatchInPlace', goingOn)
fault('tells no stoppedAt', /^maxFailures in the middle/, 'tryDecryptBatchInPlace', original => {
  return function (...values) {
    try {
      return original.apply(this, values)
    } catch (error) {
      throw Object.assign(error as object, { stoppedAt: undefined })
    }
  }
})
fault('encrypts up to maxMessages', /^maxMessages holds for a batch/, 'encryptBatchInPlace', original => {
  return function (frames, ends, options) {
    try {
      return original.call(this, frames, ends, options)
    } catch (error) {
      if (ends === 40)
        try {
          this.encryptInPlace(frames.subarray(0, 40))
        } catch {}
      throw error
    }
  }
})
const byFrame = forgiving('ERR_OUT_OF_RANGE', () => {
  throw Object.assign(new RangeError('too short'), { code: 'ERR_OUT_OF_RANGE' })
})
fault('names no index', /^a batch with a frame too short/, 'encryptBatchInPlace', byFrame)
fault('names no element', /numbers and ends out of range/, 'decryptBatchInPlace', byFrame)
const words = changing(([frames, ends, options]) => [
  frames,
  Array.isArray(ends) ? Uint32Array.from(ends) : ends,
  options,
])
fault(
  'converts ends',
  /^tryDecryptBatchInPlace: arguments of every wrong type/,
  'tryDecryptBatchInPlace',
  words,
)
const copiedAad = forgiving('ERR_AESGCM_BUFFER_OVERLAP', (aes, [frames, ends, options], original) =>
  original.call(aes, frames, ends, { ...options, aad: Buffer.from(options.aad) }),
)
fault('accepts AAD over the frames', /AAD over the frames/, 'encryptBatchInPlace', copiedAad)
const emptyAad = forgiving('ERR_AESGCM_DETACHED_BUFFER', () => undefined)
fault('takes frames that are gone for none', /memory that is gone/, 'encryptBatchInPlace', emptyAad)
const lax = changing(([frames, ends, options]) => [
  frames,
  ends,
  { aad: options?.aad, aadEnds: options?.aadEnds },
])
fault('ignores unknown options', /options of every wrong kind/, 'decryptBatchInPlace', lax)
fault('refuses an empty batch', /no frames/, 'encryptBatchInPlace', original => {
  return function (frames, ends, options) {
    if (frames.length === 0) throw new RangeError('no frames')
    return original.call(this, frames, ends, options)
  }
})
const noisy = forgiving('ERR_AESGCM_KEY_EXHAUSTED', (aes, [frames, ends, options], original) =>
  original.call(aes, frames, ends, options),
)
fault('publishes a limit twice', /^a batch publishes/, 'encryptBatchInPlace', noisy)
const verbose = forgiving(AUTHENTICATION, (aes, [frames, ends, options], original) => {
  try {
    original.call(aes, frames, ends, options)
  } catch (error) {
    throw Object.assign(error as object, { frames })
  }
})
fault('shows frames in an error', /^errors of a batch/, 'decryptBatchInPlace', verbose)
fault('reads ends while it writes', /ends over the frames/, 'encryptBatchInPlace', original => {
  return function (frames, ends, options) {
    if (typeof ends === 'number') return original.call(this, frames, ends, options)
    const { aad, aadEnds } = options ?? {}
    for (let i = 0; i < ends.length; i++) {
      const frame = frames.subarray(ends[i - 1] ?? 0, ends[i])
      this.encryptInPlace(frame, aadEnds ? aad.subarray(aadEnds[i - 1] ?? 0, aadEnds[i]) : aad)
    }
  }
})
const trusting = changing(([frames, ends, options]) => [
  frames,
  ends.length ? ends.slice(0, ends.length) : ends,
  options,
])
fault('trusts the length that ends tell', /arguments in disguise/, 'tryDecryptBatchInPlace', trusting)
const early = changing(([frames, ends, options]) => [frames, ends.slice?.() ?? ends, options])
fault('copies ends before it reads options', /options whose getters/, 'encryptBatchInPlace', early)
const surviving = forgiving('ERR_AESGCM_DESTROYED', () => undefined)
fault('takes batches after destroy', /an object that was destroyed/, 'decryptBatchInPlace', surviving)
const losing = changing(([frames, ...rest]) => [
  frames.buffer?.byteLength <= 64 ? frames.slice() : frames,
  ...rest,
])
fault('loses writes to small frames', /^a batch of one small frame/, 'encryptBatchInPlace', losing)
