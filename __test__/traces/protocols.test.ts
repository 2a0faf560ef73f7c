// No secret is left in the memory of the library by messages, sessions, shares and packets, also if any step of a call fails.
import './memories.js'
import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { BlindIndex } from 'hardware-aes-gcm/keyring'
import { typeormReader } from 'hardware-aes-gcm/legacy'
import { initialSecrets, PacketProtection, VERSION_1 } from 'hardware-aes-gcm/quic'
import { Handshake, type SecureStream, secureStream } from 'hardware-aes-gcm/session'
import { combineAndOpen, combineKey, recoverShare, sealAndSplit, splitKey } from 'hardware-aes-gcm/shamir'
import {
  createDecryptStream,
  createEncryptStream,
  DecryptionReader,
  DecryptionStream,
  decryptBuffer,
  decryptFile,
  EncryptionStream,
  encryptBuffer,
  encryptFile,
} from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import { binaryOf } from '../models/shares.js'
import { Planted, type Teller, traced } from './memories.js'
import { keyObject, type Run, refused, suite } from './suite.js'

// Of a message, a part of the key and of the base nonce; the commitment, which is derived with them, is public.
const PART = { from: 16, to: 40 }

describe('messages', () => {
  const text = Buffer.alloc(40_000, 5)
  const both = (tell: Teller) => {
    const key = keyObject(tell, 32)
    const message = tell.keep(encryptBuffer(text, key))
    tell.keep(decryptBuffer(message, key))
    message[60] = (message[60] as number) ^ 1
    refused(() => decryptBuffer(message, key))
  }
  suite(
    {
      'in memory': both,
      'of a key of a wrong length': tell => refused(() => encryptBuffer(text, keyObject(tell, 24))),
    },
    PART,
  )
  // Kept: the library may get memory that was freed meanwhile, as it was.
  const secretText = (tell: Teller) =>
    tell.keep(Buffer.concat([tell.secret(32), Buffer.alloc(40_000), tell.secret(32)]))
  suite(
    {
      'of a reader': async tell => {
        const key = tell.secret(32)
        const message = tell.keep(encryptBuffer(secretText(tell), key))
        const reader = tell.live(await DecryptionReader.open(message, key))
        tell.keep(await reader.read(100, 200))
        tell.keep(await reader.read(0, 16_384))
      },
      'of files': async tell => {
        const key = tell.secret(32)
        const folder = mkdtempSync(join(tmpdir(), 'traces-'))
        const path = (name: string) => join(folder, name)
        try {
          writeFileSync(path('text'), secretText(tell))
          await encryptFile(path('text'), path('message'), key)
          await decryptFile(path('message'), path('again'), key)
        } finally {
          rmSync(folder, { recursive: true, maxRetries: 10 })
        }
      },
    },
    PART,
  )
  const through = (stream: EncryptionStream | DecryptionStream, bytes: Uint8Array) => {
    const { writable, readable } = stream
    const writer = writable.getWriter()
    const written = writer.write(bytes).then(() => writer.close())
    return Promise.all([new Response(readable as never).arrayBuffer(), written]).then(([memory]) =>
      Buffer.from(memory),
    )
  }
  test('of streams', async () => {
    const message = await through(new EncryptionStream(Buffer.alloc(32, 9)), text)
    expect(await through(new DecryptionStream(Buffer.alloc(32, 9)), message)).toEqual(text)
    const run: Run = async tell => {
      tell.hide(Buffer.alloc(32, 9))
      const stream = new DecryptionStream(Buffer.alloc(32, 9))
      tell.keep(await through(stream, message))
    }
    expect(await traced(run, PART)).toMatchObject({ error: undefined, left: [] })
  })
})

describe('streams', () => {
  const CHUNK = 16_400
  /** Streams that no garbage collector finds. */
  const waiting: ReturnType<typeof createDecryptStream>[] = []
  const failed = (stream: ReturnType<typeof createDecryptStream>) =>
    new Promise(resolve => stream.on('error', resolve).resume())

  test.each<[string, Run]>([
    [
      'that encrypt, and are destroyed in the middle of a chunk',
      tell => {
        const stream = createEncryptStream(tell.secret(32))
        stream.write(tell.keep(Buffer.from(tell.secret(100))))
        waiting.push(stream.destroy())
      },
    ],
    [
      'that encrypt, and end in the middle of a chunk',
      async tell => {
        const stream = createEncryptStream(tell.secret(32))
        stream.end(tell.keep(Buffer.from(tell.secret(100))))
        await once(stream.resume(), 'end')
        waiting.push(stream)
      },
    ],
    [
      'that go from file to file, of more than is read at once',
      async tell => {
        const key = tell.secret(32)
        const text = [tell.secret(32), Buffer.alloc(2 ** 21), tell.secret(32)]
        const folder = mkdtempSync(join(tmpdir(), 'traces-'))
        const path = (name: string) => join(folder, name)
        writeFileSync(path('text'), tell.keep(Buffer.concat(text)))
        await encryptFile(path('text'), path('message'), key)
        await decryptFile(path('message'), path('again'), key)
        rmSync(folder, { recursive: true, maxRetries: 10 })
      },
    ],
    [
      'that decrypt a message whose second chunk is forged, when the first came in two parts',
      async tell => {
        const text = tell.keep(Buffer.concat([tell.secret(32), Buffer.alloc(40_000)]))
        const key = tell.secret(32)
        const message = tell.keep(encryptBuffer(text, key))
        message[56 + CHUNK + 9] = (message[56 + CHUNK + 9] as number) ^ 1
        const stream = createDecryptStream(key)
        const error = failed(stream)
        stream.write(message.subarray(0, 1000))
        stream.end(message.subarray(1000))
        expect(await error).toMatchObject({ position: 16_384 })
      },
    ],
    [
      'that decrypt, wait for more chunks, and have no need of the key',
      tell => {
        const key = tell.secret(32)
        const message = tell.keep(encryptBuffer(Buffer.alloc(9), key))
        waiting.push(createDecryptStream(key).on('error', () => {}))
        waiting.at(-1)?.write(message.subarray(0, 60))
      },
    ],
    [
      'that decrypt, and are destroyed before the header is there',
      tell => {
        const stream = createDecryptStream(tell.secret(32))
        stream.write(Buffer.alloc(9))
        waiting.push(stream.destroy())
      },
    ],
  ])('%s', async (_, run) => {
    expect(await traced(run, PART)).toMatchObject({ error: undefined, left: [] })
  })
})

describe('sessions', () => {
  for (const compat of [undefined, 'keibidrop'] as const) {
    const wire = compat === undefined ? 'on our wire' : "on KeibiDrop's wire"
    const sides = (tell: Teller) => {
      const secret = [tell.secret(32), tell.secret(48)]
      const options = compat ? { compat, ciphers: ['aes-256-gcm' as const] } : {}
      const a = tell.live(new Handshake({ secret, role: 'initiator', ...options }))
      const b = tell.live(new Handshake({ secret, role: 'responder', allowSelf: true, ...options }))
      const [hello, answer] = [a.hello, b.hello]
      const finish = (side: Handshake, peer: Buffer) => {
        const { writer, reader } = side.finish(peer)
        return { writer: tell.live(writer), reader: tell.live(reader) }
      }
      return [finish(a, answer), finish(b, hello)] as const
    }
    suite({
      [`a conversation ${wire}`]: tell => {
        const [one, two] = sides(tell)
        tell.keep(two.reader.open(one.writer.seal(Buffer.from('text'))))
        tell.keep(one.reader.open(two.writer.seal(Buffer.from('text'))))
      },
      [`rekeying ${wire}`]: tell => {
        const [one, two] = sides(tell)
        const extra = tell.secret(32)
        const next = one.writer.rekey(extra)
        two.reader.rekey(extra)
        tell.keep(two.reader.open(next))
        tell.keep(two.reader.open(one.writer.seal(Buffer.from('text'))))
      },
      [`secrets that wait for the peer ${wire}`]: tell => {
        const [, { reader }] = sides(tell)
        for (let n = 0; n < (compat === undefined ? 16 : 1); n++) reader.rekey(tell.secret(32))
        const one = tell.secret(32)
        if (compat === undefined) refused(() => reader.rekey(one))
        reader.destroy()
        refused(() => reader.rekey(one))
      },
      [`a handshake that is given up ${wire}`]: tell => {
        const options = compat ? { compat, ciphers: ['aes-256-gcm' as const] } : {}
        new Handshake({ secret: tell.secret(32), role: 'initiator', ...options }).destroy()
      },
      [`a handshake that fails ${wire}`]: tell => {
        const options = compat ? { compat, ciphers: ['aes-256-gcm' as const] } : {}
        refused(() =>
          new Handshake({ secret: tell.secret(32), role: 'initiator', ...options }).finish(Buffer.alloc(7)),
        )
      },
    })
  }
})

describe('streams over a socket', () => {
  for (const compat of [undefined, 'keibidrop'] as const) {
    const wire = compat === undefined ? 'on our wire' : "on KeibiDrop's wire"
    const options = compat ? { compat, ciphers: ['chacha20-poly1305' as const] } : {}
    const both = (tell: Teller) => {
      const [secret, ends] = [tell.secret(32), duplexPair()]
      const [one, two] = (['initiator', 'responder'] as const).map((role, n) =>
        tell.live(
          secureStream(ends[n as 0], { secret, role, allowSelf: true, ...options }).on('error', () => {}),
        ),
      ) as [SecureStream, SecureStream]
      return [one, two] as const
    }
    // Regression: the secrets stayed if a step of the constructor failed.
    suite({
      [`one that is made ${wire}`]: tell => {
        const secret = tell.secret(32)
        tell.live(secureStream(duplexPair()[0], { secret, role: 'initiator', ...options }))
      },
    })
    test(`the error of a step that fails while one is made ${wire} is thrown as it is`, async () => {
      const run: Run = tell =>
        tell.live(secureStream(duplexPair()[0], { secret: tell.secret(32), role: 'initiator', ...options }))
      const { steps } = await traced(run)
      const errors: unknown[] = []
      for (let fail = 1; fail <= steps; fail++) errors.push((await traced(run, { fail })).error)
      // A step after the constructor's has no caller to throw to.
      const thrown = errors.filter(error => error !== undefined)
      expect(thrown.length).toBeGreaterThan(2)
      for (const error of thrown) expect(error).toBeInstanceOf(Planted)
    })
    test.each<[string, Run]>([
      ['that are destroyed before their handshake', tell => void both(tell)],
      [
        'whose rekeyings wait when they are destroyed',
        tell => {
          for (const stream of both(tell))
            for (let n = 0; n < 2; n++) stream.rekey(tell.secret(32)).catch(() => {})
        },
      ],
      [
        'that rekey',
        async tell => {
          const [one, two] = both(tell)
          const [extra, unanswered] = [tell.secret(32), tell.secret(32)]
          await Promise.all([one.rekey(extra), two.rekey(extra)])
          one.write('text')
          tell.keep(await once(two, 'data'))
          // The 17th on our wire is one too many.
          for (let n = 0; n < 17; n++) await one.rekey(unanswered).catch(() => {})
        },
      ],
      [
        'whose socket takes no listener',
        tell => {
          const [socket] = duplexPair()
          socket.resume = () => {
            throw new Error('no resume')
          }
          const secret = tell.secret(32)
          refused(() => secureStream(socket, { secret, role: 'initiator', ...options }))
        },
      ],
    ])(`%s ${wire}`, async (_, run) => {
      expect(await traced(run)).toMatchObject({ error: undefined, left: [] })
    })
  }
})

/** The secret parts of a share, in each form that they have on their way. */
function partsOf(share: string | Uint8Array): (string | Uint8Array)[] {
  if (typeof share !== 'string') return [share.subarray(20)]
  const digits = share.split('|')[1]
  if (digits !== undefined) return [digits, Buffer.from(digits, 'hex')]
  // Of the hash, whose beginning is the checksum, the rest would tell a guessed share from a wrong one.
  const hash = createHash('sha256').update(binaryOf(share)).digest()
  return [share, share.replaceAll('-', ''), hash]
}

describe('shares', () => {
  for (const [format, threshold] of [['binary'], ['text'], ['horcrux', 2], ['horcrux-random', 2]] as const) {
    const options = threshold === undefined ? {} : { format: 'horcrux', threshold }
    const split = (tell: Teller) => {
      const shares = splitKey(tell.secret(32), { threshold: 2, shares: 5, format: format as 'text' })
      for (const part of shares.flatMap(partsOf)) tell.hide(part)
      return tell.keep(shares)
    }
    const damaged = (share: string | Buffer) =>
      typeof share === 'string'
        ? `${share.slice(0, -1)}${share.endsWith('0') ? '1' : '0'}`
        : Buffer.from(share).fill(7, 40, 50)
    suite({
      [`split and combined, ${format}`]: tell => tell.keep(combineKey(split(tell), options as never)),
      [`too few, ${format}`]: tell => refused(() => combineKey(split(tell).slice(0, 1), options as never)),
      [`a share more, ${format}`]: tell => tell.keep(recoverShare(split(tell), 9, options as never)),
      [`a damaged share, ${format}`]: tell => {
        const shares = split(tell)
        shares[1] = damaged(shares[1] as string) as string
        for (const number of threshold === undefined ? [2, 3, 4, 5] : [3, 4])
          refused(() => combineKey(shares.slice(0, number), options as never))
        refused(() => recoverShare(shares, 9, options as never))
      },
      [`sealed, ${format}`]: tell => {
        const { sealed, shares } = tell.keep(
          sealAndSplit(Buffer.from('data'), { threshold: 2, shares: 3, format: format as 'text' }),
        )
        for (const share of tell.keep([combineKey(shares, options as never)])) tell.hide(share)
        tell.keep(combineAndOpen(shares, sealed, options as never))
        sealed[20] = (sealed[20] as number) ^ 1
        refused(() => combineAndOpen(shares, sealed, options as never))
      },
    })
  }
})

describe('packets', () => {
  suite({
    'keys of a secret': tell => tell.live(new PacketProtection(tell.secret(32))),
    'keys of a secret of 48 bytes': tell => tell.live(new PacketProtection(tell.secret(48))),
    'given keys': tell =>
      tell.live(new PacketProtection({ key: tell.secret(16), iv: tell.secret(12), hp: tell.secret(16) })),
    'the next keys': tell => tell.live(tell.live(new PacketProtection(tell.secret(32))).nextKeys()),
    'a mask': tell =>
      tell.keep(tell.live(new PacketProtection(tell.secret(32))).headerProtectionMask(Buffer.alloc(16))),
    'packets of two key phases': tell => {
      const secret = tell.secret(32)
      const sender = tell.live(tell.live(new PacketProtection(secret)).nextKeys())
      const receiver = tell.live(new PacketProtection(secret))
      const packet = Buffer.alloc(43).fill(0x45, 0, 1)
      sender.seal(packet, 7, 0)
      expect(receiver.open(packet, 5, -1)).toBe(0)
      receiver.dropPreviousKeys()
    },
  })
  // Regressions: they stayed if the next step of the call failed.
  suite({
    'the secret of the client where that of the server fails': tell =>
      tell.keep(initialSecrets(VERSION_1, Buffer.alloc(8))),
    'the whole block of which a mask is a part': tell => {
      const [hp, sample] = [tell.secret(16), Buffer.alloc(16, 3)]
      const protection = tell.live(new PacketProtection({ key: tell.secret(16), iv: tell.secret(12), hp }))
      tell.hide(createCipheriv('aes-128-ecb', hp, null).update(sample))
      tell.keep(protection.headerProtectionMask(sample))
    },
  })
})

describe('objects that are collected', () => {
  const collected = (run: Run) => async () => {
    expect(await traced(run, { forget: true })).toMatchObject({ error: undefined, left: [] })
  }
  test(
    'a blind index',
    collected(tell => {
      const key = tell.secret(32)
      for (const pad of [0x36, 0x5c]) tell.hide(key.map(byte => byte ^ pad))
      new BlindIndex(key, { purpose: 'email' })
    }),
  )
  test(
    'a reader',
    collected(tell => void typeormReader({ key: tell.secret(32), algorithm: 'aes-256-gcm', ivLength: 12 })),
  )
  test(
    'a handshake',
    collected(tell => void new Handshake({ secret: tell.secret(32), role: 'initiator' })),
  )
  test(
    'a packet protection',
    collected(tell => void new PacketProtection(tell.secret(32))),
  )
  test(
    'a stream',
    collected(tell => void new DecryptionStream(tell.secret(32))),
  )
  test(
    'a session',
    collected(tell => {
      const secret = tell.secret(32)
      const a = new Handshake({ secret, role: 'initiator' })
      const b = new Handshake({ secret, role: 'responder', allowSelf: true })
      const { hello } = b
      void b.finish(a.hello)
      void a.finish(hello)
    }),
  )
})
