// Arguments of every wrong type and length, and memory that cannot be used: a typed error before a byte is written.
import { METHODS, NAMES, TAG_BYTES } from './aead.mjs'
import { equal, must, refuses, same, thrown } from './checks.mjs'
import {
  detach,
  disguises,
  gone,
  MISSING,
  NOT_BYTES,
  resizable,
  shared,
  trueBuffer,
  trueBytes,
} from './hostile.mjs'

const GONE = 'ERR_AESGCM_DETACHED_BUFFER'
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'
const bytes = length => new Uint8Array(length)

export function* badArguments(aead) {
  let n = 0
  for (const method of NAMES) {
    yield { name: `${method} with good arguments, and without any`, run: () => good(aead, method) }
    for (const name of METHODS[method].takes) {
      const nth = n++
      const refused = (aes, value, code, what) => aead.refusesArgument(aes, method, name, value, code, what)
      const content = aead.argumentsOf(method)[name]
      yield {
        name: `${method}: ${name} of every wrong type`,
        run: () => {
          const aes = aead.make()
          const wrong = name === 'aad' ? NOT_BYTES : [...NOT_BYTES, ...MISSING]
          for (const [what, value] of aead.some(wrong, nth)) {
            // An array is a plaintext in pieces.
            if (name === 'plaintext' && Array.isArray(value)) continue
            refused(aes, value, 'ERR_INVALID_ARG_TYPE', what)
          }
        },
      }
      // Node-API reports memory that is gone as empty: without a check, an empty message would be encrypted.
      yield {
        name: `${method}: ${name} whose memory is gone`,
        run: () => {
          const aes = aead.make()
          for (const [what, view] of aead.some(gone(content), nth)) refused(aes, view, GONE, what)
        },
      }
      yield {
        name: `${method}: ${name} that another thread may write`,
        run: () => {
          const aes = aead.make()
          for (const [what, view] of aead.some(shared(content.length), nth))
            refused(aes, view, 'ERR_AESGCM_SHARED_BUFFER', what)
          // plaintextOf finds first that an empty frame is too short.
          if (method !== 'plaintextOf')
            refused(aes, bytes(new SharedArrayBuffer(0)), 'ERR_AESGCM_SHARED_BUFFER', 'empty')
        },
      }
      yield {
        name: `${method}: ${name} in disguise`,
        run: () => {
          for (const [what, view] of aead.some(disguises(content), nth))
            disguised(aead, method, name, view, what)
        },
      }
    }
  }
  yield { name: 'nonces, tags, targets and frames of wrong lengths', run: () => lengths(aead) }
  yield { name: 'the texts say what was wanted and what was given', run: () => texts(aead) }
  yield { name: 'an ArrayBuffer that lies about its byteLength', run: () => lyingMemory(aead) }
  yield { name: 'a view that follows its buffer has the length of now', run: () => tracking(aead) }
}

function good(aead, method) {
  const aes = aead.make()
  must(![false, null].includes(aes[method](...Object.values(aead.argumentsOf(method)))), 'refused')
  refuses(() => aes[method](), 'ERR_INVALID_ARG_TYPE')
}

/** The call uses the true bytes of a view and ignores its class. */
function disguised(aead, method, name, view, what) {
  const values = { ...aead.argumentsOf(method), [name]: view }
  const result = aead.make()[method](...Object.values(values))
  must(![false, null].includes(result), () => `refused ${what}`)
  const { text, message, overhead, nonceBytes } = aead
  const isText = bytes => same(bytes, text, () => what)
  const written = length => trueBytes(values.target ?? values.frame ?? values.data).subarray(0, length)
  if (/^encrypt(Into|InPlace)?$/.test(method)) {
    const frame = method === 'encrypt' ? result : written(text.length + overhead)
    // encryptInPlace takes the middle bytes of its frame for plaintext.
    const plaintext = method === 'encryptInPlace' ? message.text : text
    must(aead.isFrame(frame, plaintext, aead.aad), () => `another frame: ${what}`)
  } else if (method === 'encryptDetached') {
    same(written(), message.text, () => `data: ${what}`)
    same(trueBytes(values.tag), message.tag, () => `tag: ${what}`)
  } else if (/Into$|Detached$/.test(method)) isText(written(text.length))
  else if (method === 'tryDecryptInPlace') isText(written().subarray(nonceBytes, -TAG_BYTES))
  else if (method === 'plaintextOf') same(result, message.text, () => what)
  else isText(result)
  if (name === 'frame' && ['decryptInPlace', 'plaintextOf'].includes(method))
    must(result.buffer === trueBuffer(view), () => `no view of the frame: ${what}`)
}

function lengths(aead) {
  const aes = aead.make()
  const refused = (method, name, length) =>
    aead.refusesArgument(aes, method, name, bytes(length), OUT_OF_RANGE, `of ${length} bytes`)
  const { nonceBytes, overhead, text } = aead
  const whole = text.length + overhead
  for (const length of aead.some([...Array(65).keys(), 4096], 1)) {
    for (const method of NAMES.filter(name => name.endsWith('Detached'))) {
      if (length !== nonceBytes) refused(method, 'nonce', length)
      if (length !== TAG_BYTES) refused(method, 'tag', length)
    }
  }
  const bounds = [overhead - 1, text.length - 1, whole - 1]
  for (const length of new Set([...bounds, ...aead.some(Array(whole).keys(), 0)])) {
    refused('encryptInto', 'target', length)
    if (length < overhead)
      for (const method of ['encryptInPlace', 'plaintextOf']) refused(method, 'frame', length)
    if (length < text.length)
      for (const method of ['decryptInto', 'tryDecryptInto']) refused(method, 'target', length)
  }
}

function texts(aead) {
  const aes = aead.make()
  const [data, nonce, tag] = [bytes(9), bytes(aead.nonceBytes), bytes(TAG_BYTES)]
  const wanted = (name, length) => `"${name}" must be a Uint8Array of length ${length}, got length`
  for (const [run, text] of [
    [() => aes.encryptDetached(data, bytes(8), tag), `${wanted('nonce', aead.nonceBytes)} 8`],
    [() => aes.decryptDetached(data, nonce, bytes(4)), `${wanted('tag', TAG_BYTES)} 4`],
    [
      () => aes.encrypt('text'),
      '"plaintext" must be a Uint8Array, or an array of them, got string: Buffer.from(text) encodes text',
    ],
    [
      () => aes.encrypt(data, 'text'),
      '"aad" must be a Uint8Array, got string: Buffer.from(text) encodes text',
    ],
  ])
    equal(thrown(run).message, text, 'the message')
}

function lyingMemory(aead) {
  const aes = aead.make()
  const frameOf = descriptor => {
    const frame = new Uint8Array(aes.encrypt(aead.text))
    Object.defineProperty(frame.buffer, 'byteLength', descriptor(frame))
    return frame
  }
  const trap = () => {
    throw new Error('code of an argument ran')
  }
  for (const descriptor of [{ value: 0 }, { value: 2 ** 52 }, { get: trap }]) {
    const frame = frameOf(() => descriptor)
    same(aes.plaintextOf(frame), frame.subarray(aead.nonceBytes, -TAG_BYTES), () => 'plaintextOf')
    const view = aes.decryptInPlace(frame)
    must(Buffer.isBuffer(view) && Buffer.compare(view, aead.text) === 0, 'decryptInPlace')
  }
  // Some runtimes never ask, and then the memory is still there.
  for (const method of ['plaintextOf', 'decryptInPlace']) {
    let asked = false
    const get = frame => () => {
      asked = true
      return detach(frame).length
    }
    const frame = frameOf(frame => ({ get: get(frame) }))
    try {
      equal(aes[method](frame).length, aead.text.length, method)
      must(!asked, `${method} of memory that detaches itself`)
    } catch (error) {
      equal(error.code, GONE, `${method} of memory that detaches itself: ${error.message}`)
    }
  }
}

function tracking(aead) {
  const aes = aead.make()
  const buffer = resizable(aead.text)
  const view = bytes(buffer)
  for (const length of [40, 5, 0, 1000, 13]) {
    buffer.resize(length)
    const frame = aes.encrypt(view)
    equal(
      [frame.length, aes.decrypt(frame, view.subarray(0, 0)).length],
      [length + aead.overhead, length],
      'length',
    )
  }
}
