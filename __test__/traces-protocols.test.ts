// No secret is left in the memory of the library by messages, sessions, shares and packets, also if any step of a call fails.
import './traces/memories.js'
import { BlindIndex } from 'hardware-aes-gcm/keyring'
import { typeormReader } from 'hardware-aes-gcm/legacy'
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { Handshake } from 'hardware-aes-gcm/session'
import { combineAndOpen, combineKey, recoverShare, sealAndSplit, splitKey } from 'hardware-aes-gcm/shamir'
import {
  DecryptionReader,
  DecryptionStream,
  decryptBuffer,
  EncryptionStream,
  encryptBuffer,
} from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import { type Teller, traced } from './traces/memories.js'
import { keyObject, type Run, refused, suite } from './traces/suite.js'

describe('messages', () => {
  // A part of the key and of the base nonce; the commitment, which is derived with them, is public.
  const PART = { from: 16, to: 40 }
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
  suite(
    {
      'of a reader': async tell => {
        const key = tell.secret(32)
        const ends = Buffer.concat([tell.secret(32), Buffer.alloc(40_000), tell.secret(32)])
        const message = tell.keep(encryptBuffer(ends, key))
        const reader = tell.live(await DecryptionReader.open(message, key))
        tell.keep(await reader.read(100, 200))
        tell.keep(await reader.read(0, 16_384))
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

describe('sessions', () => {
  for (const compat of [undefined, 'keibidrop'] as const) {
    const wire = compat === undefined ? 'on our wire' : "on KeibiDrop's wire"
    const sides = (tell: Teller) => {
      const secret = [tell.secret(32), tell.secret(48)]
      const options = compat ? { compat, ciphers: ['aes-256-gcm' as const] } : {}
      const a = tell.live(new Handshake({ secret, role: 'initiator', ...options }))
      const b = tell.live(new Handshake({ secret, role: 'responder', ...options }))
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

/** The secret parts of a share, in each form that they have on their way. */
function partsOf(share: string | Uint8Array): (string | Uint8Array)[] {
  if (typeof share !== 'string') return [share.subarray(20)]
  const digits = share.split('|')[1]
  return digits === undefined ? [share, share.replaceAll('-', '')] : [digits, Buffer.from(digits, 'hex')]
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
  })
})

describe('objects that are collected', () => {
  const collected = (run: Run) => async () => {
    expect(await traced(run, { forget: true })).toMatchObject({ error: undefined, left: [] })
  }
  test(
    'a blind index',
    collected(tell => void new BlindIndex(tell.secret(32), { purpose: 'email' })),
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
      const b = new Handshake({ secret, role: 'responder' })
      const { hello } = b
      void b.finish(a.hello)
      void a.finish(hello)
    }),
  )
})
