// The uses of keys before a process is examined. Every scenario wipes its own copies of the keys.
import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { fill, mask, outside } from './formula.mjs'

export const BITS = [128, 256]
/** The number of the pad that masks the generator's bytes. */
export const PAD = 1

/** The nonces of the messages whose derived keys are looked for: of XAES, and of SIV. */
export const NONCE = Buffer.from('a nonce of 24 bytes here')
export const SHORT_NONCE = NONCE.subarray(0, 12)

/** The classes that derive keys: entry, class, and such a nonce. */
const DERIVING = { xaes: ['XAesGcm', NONCE], siv: ['AesGcmSiv', SHORT_NONCE] }

const SIZES = [16, 32, 64, 104, 1000, 4096]
const AAD = outside(100).fill(0x22)

/** Objects that stay alive until the process ends. */
const kept = []

/** Gives `use` a key of each size, and wipes it. */
export function withKeys(use) {
  for (const bits of BITS) {
    const key = fill(outside(bits / 8), bits)
    try {
      use(key)
    } finally {
      key.fill(0)
    }
  }
}

/** Encrypts and decrypts, in place and not, short and long, and refuses a forgery of each. */
export function exercise(aes) {
  for (const length of [0, 16, 100, 3000, 70_000]) {
    const plaintext = outside(length).fill(0x11)
    const frame = aes.encrypt(plaintext, AAD)
    if (!aes.decrypt(frame, AAD).equals(plaintext)) throw new Error('not what was encrypted')
    refuses('ERR_AESGCM_AUTHENTICATION_FAILED', () => aes.decrypt(frame))
    frame[20] ^= 1
    if (aes.tryDecryptInPlace(frame, AAD)) throw new Error('a forgery was accepted')
  }
}

/** The text of keyrings: ASCII that lies nowhere else. */
export const ringText = () => fill(Buffer.alloc(48), 3).toString('base64')

/** Keyrings whose keys sealed and opened, as bytes and as text, and of which a keyset was made and wiped. */
async function usedKeyrings(entry, backend) {
  const { Keyring } = await import(new URL('values/keyring/index.mjs', entry))
  const used = []
  withKeys(key => {
    for (const type of ['GCM', 'GCM-SIV', ...(key.length === 32 ? ['XGCM'] : [])]) {
      const name = type === 'XGCM' ? 'XAES-256-GCM' : `AES-${key.length * 8}-${type}`
      used.push(new Keyring([{ key, type: name }], backend === undefined ? {} : { backend }))
    }
  })
  for (const keyring of used) {
    for (const length of [0, 64, 5000]) {
      const text = keyring.sealText('x'.repeat(length), 'aad')
      if (keyring.openText(text, 'aad').length !== length) throw new Error('not what was sealed')
      if (keyring.tryOpenText(text) !== null) throw new Error('a forgery was accepted')
      keyring.open(keyring.seal(outside(length)))
    }
    // The function gets the keyset in the clear, and gives other bytes.
    await keyring.wrap(() => outside(16))
  }
  return used
}

/** Packet protection that was used, made from keys that lie in each place: the key of packets, that of headers, a secret. */
async function usedPackets(entry, backend) {
  const { PacketProtection } = await import(new URL('protocols/quic/index.mjs', entry))
  const used = []
  withKeys(key => {
    const iv = outside(12)
    const origins = [
      { key, iv, hp: outside(key.length) },
      { key: outside(key.length), iv, hp: key },
    ]
    // A secret of 32 bytes. The other length of secrets is 48 bytes, which no key has.
    if (key.length === 32) origins.push(key)
    for (const origin of origins) {
      used.push(new PacketProtection(origin, { backend }))
      protects(used.at(-1))
    }
  })
  return used
}

/** Seals and opens packets, short and long, refuses a forgery of each, and goes on to the next keys if there are any. */
function protects(packets) {
  for (let length = 30; length < 3000; length *= 3) {
    const packet = outside(length).fill(0x41)
    const number = packets.packetsSealed
    packets.seal(packet, 11, number)
    packet[length - 1] ^= 1
    if (packets.open(packet, 9, number) !== -1) throw new Error('a forgery was accepted')
    packet[length - 1] ^= 1
    if (packets.open(packet, 9, number) !== number) throw new Error('not the number that was sealed')
  }
  packets.headerProtectionMask(outside(16))
  try {
    packets.nextKeys().destroy()
  } catch (error) {
    if (error.code !== 'ERR_INVALID_STATE') throw error
  }
}

/** A key of a class that derives keys, used for messages of all lengths, in every direction, here and off the thread. */
async function usedDeriving(entry, name, backend) {
  const [className, nonce] = DERIVING[name]
  const { [className]: Class } = await import(new URL(`cipher/${name}/index.mjs`, entry))
  const used = []
  withKeys(key => {
    if (key.length < 32) return
    for (const verifyFirst of [false, true]) used.push(new Class(key, { backend, verifyFirst }))
  })
  for (const key of used) {
    exercise(key)
    for (const length of [0, 16, 100, 3000]) {
      const [data, tag] = [outside(length).fill(0x11), outside(16)]
      key.encryptDetached(data, nonce, tag, AAD)
      const frame = Buffer.concat([nonce, data, tag])
      key.decryptDetached(data, nonce, tag, AAD)
      tag[0] ^= 1
      if (key.tryDecryptDetached(data, nonce, tag, AAD)) throw new Error('a forgery was accepted')
      await key.decryptInPlaceAsync(frame, AAD)
    }
  }
  return used
}

/** Leaves one of the two, because both have the same key. */
async function keepOne(entry, name, backend) {
  const [gone, stays] = await usedDeriving(entry, name, backend)
  gone.destroy()
  kept.push(stays)
}

/** Splits a key, combines it of right and of wrong shares, and makes a share again. */
async function usedShares(entry) {
  const { combineKey, recoverShare, splitKey } = await import(new URL('protocols/shamir/index.mjs', entry))
  withKeys(key => {
    const shares = splitKey(key, { threshold: 3, shares: 6 })
    for (const some of [shares.slice(0, 3), shares]) {
      const combined = combineKey(some)
      if (!combined.equals(key)) throw new Error('not the key that was split')
      combined.fill(0)
    }
    recoverShare(shares, 9).fill(0)
    // One above the threshold, of which each is left out; and as many more as can be located.
    shares[1][50] ^= 1
    for (const some of [shares.slice(0, 3), shares.slice(0, 4), shares]) {
      const code = some.length > 3 ? 'ERR_AESGCM_INVALID_SHARE' : 'ERR_AESGCM_SHARES_MISMATCH'
      refuses(code, () => combineKey(some))
    }
    for (const share of shares) share.fill(0)
    const texts = splitKey(key, { threshold: 2, shares: 2, format: 'text' })
    combineKey(texts).fill(0)
    if (key.length < 32) return
    for (const format of ['horcrux', 'horcrux-random'])
      combineKey(splitKey(key, { threshold: 3, shares: 4, format }), {
        format: 'horcrux',
        threshold: 3,
      }).fill(0)
  })
}

function refuses(code, attempt) {
  try {
    attempt()
  } catch (error) {
    if (error.code === code) return
    throw error
  }
  throw new Error(`no ${code}`)
}

/** Waits until the objects, to which no other reference may be left, are collected and native finalizers have run. */
export async function collected(objects) {
  let left = objects.length
  const registry = new FinalizationRegistry(() => left--)
  while (objects.length > 0) registry.register(objects.pop())
  for (let turn = 0; turn < 20; turn++) {
    globalThis.gc()
    await new Promise(resolve => setImmediate(resolve))
  }
  if (left > 0) throw new Error(`${left} objects were not collected`)
}

/** A worker with live keys. It ends of itself when it is told to, or exits. */
async function liveWorker(entry, exits) {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData: { entry, exits } })
  await once(worker, 'message')
  return worker
}

async function ended(worker, end) {
  const exit = once(worker, 'exit')
  end()
  await exit
}

/** Wipes the generator's bytes, and gives them masked, in hexadecimal. */
function wiped(given) {
  return given
    .map(bytes => {
      const masked = mask(outside(bytes.length), bytes, PAD)
      bytes.fill(0)
      return masked.toString('hex')
    })
    .join(' ')
}

/** `entry` is the package's. Each scenario imports the package itself, since one lets only a worker import it. */
export const SCENARIOS = {
  async 'destroyed at once'(entry) {
    const { AesGcm } = await import(entry)
    withKeys(key => kept.push(new AesGcm(key)))
    for (const aes of kept) aes.destroy()
  },

  // The key lies on the engine's heap, where `Buffer.alloc` puts it. A collection between its making and its wiping would
  // leave a copy that is not the library's fault. So one collection comes right before, after a first key has made
  // everything that is made once.
  async 'destroyed, of a small Buffer'(entry) {
    const { AesGcm } = await import(entry)
    new AesGcm(outside(16)).destroy()
    globalThis.gc({ type: 'minor' })
    for (const bits of BITS) {
      const key = fill(Buffer.alloc(bits / 8), bits)
      kept.push(new AesGcm(key))
      key.fill(0)
    }
    for (const aes of kept) aes.destroy()
  },

  async destroyed(entry, backend) {
    const { AesGcm } = await import(entry)
    withKeys(key => {
      for (const verifyFirst of [false, true]) {
        const aes = new AesGcm(key, { backend, verifyFirst })
        exercise(aes)
        aes.destroy()
      }
    })
  },

  async 'xaes destroyed'(entry, backend) {
    for (const key of await usedDeriving(entry, 'xaes', backend)) key.destroy()
  },

  async 'siv destroyed'(entry, backend) {
    for (const key of await usedDeriving(entry, 'siv', backend)) key.destroy()
  },

  'xaes live': (entry, backend) => keepOne(entry, 'xaes', backend),
  'siv live': (entry, backend) => keepOne(entry, 'siv', backend),

  // A control: the expanded key that the others look for in vain.
  async 'derived key live'(entry, derived) {
    const { AesGcm } = await import(entry)
    const key = mask(outside(32), Buffer.from(derived, 'hex'), PAD)
    kept.push(new AesGcm(key))
    key.fill(0)
  },

  async 'keyring destroyed'(entry, backend) {
    for (const keyring of await usedKeyrings(entry, backend)) keyring.destroy()
  },

  // Strings of ASCII take a byte for each character in V8: only native code makes units of two bytes of them.
  async 'texts of a keyring wiped'(entry) {
    const { Keyring } = await import(new URL('values/keyring/index.mjs', entry))
    const keyring = Keyring.generate()
    for (const length of [1, 100]) {
      const text = ringText().repeat(length)
      const sealed = keyring.sealText(text, text)
      if (keyring.openText(sealed, text) !== text) throw new Error('not what was sealed')
      if (keyring.tryOpenText(sealed, `${text}.`) !== null) throw new Error('a forgery was accepted')
    }
    kept.push(keyring)
  },

  // A control: the same units, in memory that is not wiped.
  async 'units of a text kept'() {
    kept.push(Buffer.from(ringText(), 'utf16le'))
  },

  async 'packet keys destroyed'(entry, backend) {
    for (const packets of await usedPackets(entry, backend)) packets.destroy()
  },

  async 'packet keys collected'(entry) {
    await collected(await usedPackets(entry))
  },

  'shares wiped': usedShares,

  async collected(entry) {
    const { AesGcm } = await import(entry)
    const objects = []
    withKeys(key => {
      objects.push(new AesGcm(key))
      exercise(objects.at(-1))
    })
    await collected(objects)
  },

  async 'constructor threw'(entry) {
    const { AesGcm, KeyArena } = await import(entry)
    const [full, gone] = [new KeyArena({ keys: 1 }), new KeyArena({ keys: 1 })]
    kept.push(new AesGcm(outside(16), { arena: full }))
    gone.destroy()
    withKeys(key => {
      const secret = createSecretKey(key)
      kept.push(secret)
      for (const input of [key, secret]) {
        refuses('ERR_AESGCM_ARENA_FULL', () => new AesGcm(input, { arena: full }))
        refuses('ERR_AESGCM_DESTROYED', () => new AesGcm(input, { arena: gone }))
        const backend = process.arch === 'x64' ? 'armv8' : 'aesni'
        refuses('ERR_AESGCM_UNSUPPORTED_CPU', () => new AesGcm(input, { backend }))
        refuses('ERR_OUT_OF_RANGE', () => new AesGcm(input, { maxMessages: -1 }))
        refuses('ERR_INVALID_ARG_VALUE', () => new AesGcm(input, { nonceAt: 'middle' }))
      }
    })
  },

  async 'made of a KeyObject and destroyed'(entry) {
    const { AesGcm } = await import(entry)
    withKeys(key => {
      const secret = createSecretKey(key)
      kept.push(secret)
      const aes = new AesGcm(secret)
      exercise(aes)
      aes.destroy()
    })
  },

  async exhausted(entry) {
    const { AesGcm } = await import(entry)
    withKeys(key => {
      const aes = new AesGcm(key, { maxMessages: 1, maxFailures: 1 })
      const frame = aes.encrypt(outside(100))
      refuses('ERR_AESGCM_KEY_EXHAUSTED', () => aes.encrypt(outside(100)))
      aes.tryDecryptInPlace(frame.fill(0))
      refuses('ERR_AESGCM_KEY_EXHAUSTED', () => aes.decrypt(frame))
      aes.destroy()
    })
  },

  async 'worker ended'(entry) {
    await import(entry)
    const worker = await liveWorker(entry, false)
    await ended(worker, () => worker.postMessage('end'))
  },

  async 'worker exited'(entry) {
    await import(entry)
    const worker = await liveWorker(entry, true)
    await ended(worker, () => worker.postMessage('end'))
  },

  async 'worker terminated'(entry) {
    await import(entry)
    const worker = await liveWorker(entry, false)
    await ended(worker, () => worker.terminate())
  },

  // The library is loaded nowhere else: Node unloads what its last worker loaded.
  async 'only worker terminated'(entry) {
    const worker = await liveWorker(entry, false)
    await ended(worker, () => worker.terminate())
  },

  async 'arena destroyed'(entry) {
    const { AesGcm, KeyArena } = await import(entry)
    const arena = new KeyArena({ keys: 2 })
    withKeys(key => {
      kept.push(new AesGcm(key, { arena }))
      exercise(kept.at(-1))
    })
    arena.destroy()
  },

  async live(entry, backend) {
    const { AesGcm } = await import(entry)
    withKeys(key => {
      kept.push(new AesGcm(key, { backend }))
      exercise(kept.at(-1))
    })
  },

  async 'live in an arena'(entry) {
    const { AesGcm, KeyArena } = await import(entry)
    const arena = new KeyArena({ keys: 2 })
    withKeys(key => kept.push(new AesGcm(key, { arena })))
  },

  async 'live in a worker'(entry) {
    await liveWorker(entry, false)
  },

  async 'random bytes wiped'(entry) {
    const { AesGcm, randomBytes, randomFillSync } = await import(entry)
    const given = SIZES.map(size => randomFillSync(outside(size)))
    // Smaller ones lie on V8's heap, whose collector may come at any time.
    given.push(...SIZES.filter(size => size > 64).map(size => randomBytes(size)))
    given.push(AesGcm.generateKey(128), AesGcm.generateKey())
    return wiped(given)
  },

  // Keys live long: collections move what V8 has on its own heap, and leave the old bytes behind.
  async 'generated keys wiped after collections'(entry) {
    const { AesGcm } = await import(entry)
    const given = [128, 256, 128, 256].map(bits => AesGcm.generateKey(bits))
    globalThis.gc({ type: 'minor' })
    globalThis.gc()
    return wiped(given)
  },

  // Bytes that the generator has made and not yet given.
  async 'random bytes to come'(entry, _, pause) {
    const { randomBytes, randomFillSync } = await import(entry)
    randomBytes(16)
    await pause()
    return wiped([randomFillSync(outside(800))])
  },

  // A control, without the library: these bytes must be found.
  async 'held in a Buffer'() {
    for (const bits of BITS) kept.push(fill(outside(bits / 8), bits))
  },
}
