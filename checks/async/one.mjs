// Shared by both programs: one async call with random arguments, and the judgement of its end.
import { createDecipheriv } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'

export const KEY = Buffer.from('a key of thirty-two bytes, known')
const AAD = Buffer.from('associated data')
const TYPED = new Set(['ERR_AESGCM_AUTHENTICATION_FAILED', 'ABORT_ERR'])
const writer = new AesGcm(KEY)

/** A whole number below `n`, not a secret. */
export const below = n => Math.floor(Math.random() * n)

/** Mostly short, sometimes long enough that the call is still in work when the next ones come. */
const lengthOf = () => (below(50) === 0 ? below(1 << 20) : below(4000))

/**
 * Starts a call of `aes` with random arguments, and tells `end` how it ended: a name, and what was wrong, if anything.
 * `spoil` changes a result before it is judged. Returns what may abort the call.
 */
export function begin(aes, end, spoil = () => {}) {
  const byte = below(256)
  const text = Buffer.alloc(lengthOf(), byte)
  const controller = below(4) === 0 ? new AbortController() : undefined
  const options = controller && { signal: controller.signal }
  const kind = ['encrypt', 'decrypt', 'forge'][below(3)]
  // Memory of its own, which the call takes away.
  const frame = Buffer.from(new ArrayBuffer(text.length + 28))
  if (kind === 'encrypt') frame.set(text, 12)
  else writer.encryptInto(frame, text, AAD)
  if (kind === 'forge') frame[below(frame.length)] ^= 1 << below(8)
  const before = Buffer.from(frame)
  const call =
    kind === 'encrypt'
      ? aes.encryptInPlaceAsync(frame, AAD, options)
      : aes.decryptInPlaceAsync(frame, AAD, options)
  const early = frame.length > 0 ? 'the frame was not detached by the call' : undefined
  call.then(
    result => {
      spoil(result)
      if (kind === 'forge') end('resolved', 'a forgery was accepted')
      else end(`${kind}ed`, early ?? (kind === 'encrypt' ? notSealed(result, text) : notText(result, text)))
    },
    error => {
      spoil(error.frame)
      end(error.code, early ?? notTyped(error, kind, before, controller))
    },
  )
  return controller
}

function notSealed(frame, text) {
  const cipher = createDecipheriv('aes-256-gcm', KEY, frame.subarray(0, 12))
  cipher.setAAD(AAD)
  cipher.setAuthTag(frame.subarray(-16))
  try {
    const opened = Buffer.concat([cipher.update(frame.subarray(12, -16)), cipher.final()])
    return notText(opened, text)
  } catch {
    return 'node:crypto refuses the frame'
  }
}

function notText(opened, text) {
  return opened.equals(text) ? undefined : 'another text'
}

function notTyped(error, kind, before, controller) {
  if (!TYPED.has(error.code)) return `${error.name}: ${error.message}`
  if (error.code === 'ABORT_ERR' ? !controller?.signal.aborted : kind !== 'forge')
    return `${error.code} for no reason`
  return error.frame?.equals(before) ? undefined : `the frame of ${error.code} was changed`
}
