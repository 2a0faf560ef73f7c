// A call leaves no secret in the memory of the library: whether it succeeds, refuses, or any of its steps fails.
import './traces/memories.js'
import { createSecretKey } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  type LegacyReader,
  layoutReader,
  typeormReader,
} from 'hardware-aes-gcm/legacy'
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
import { BORINGNODE, CLOAK, CRYPTR, TYPEORM } from './legacy/vectors.js'
import { note, Planted, type Teller, traced } from './traces/memories.js'

type Run = (tell: Teller) => unknown

/** The memory is clean after the run, and after runs in which each of its steps fails. */
async function clean(run: Run, options: { from?: number; to?: number } = {}): Promise<void> {
  await traced(run, { ...options, first: true })
  const whole = await traced(run, options)
  expect(whole).toMatchObject({ error: undefined, left: [] })
  for (let fail = 1; fail <= whole.steps; fail++) {
    const { left } = await traced(run, { ...options, fail })
    expect(left, `step ${fail} of ${whole.steps} fails`).toEqual([])
  }
}

/** The error of a call that must fail. */
function refused(call: () => unknown): void {
  try {
    call()
  } catch (error) {
    if (error instanceof Planted) throw error
    return
  }
  throw new Error('the call did not fail')
}

const suite = (runs: Record<string, Run>, options: { from?: number; to?: number } = {}) =>
  test.each(Object.entries(runs))('%s', (_, run) => clean(run, options))

const keyObject = (tell: Teller, length: number) => {
  const bytes = tell.secret(length)
  const key = createSecretKey(bytes)
  return key
}
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

describe('controls', () => {
  test('a copy of a secret is found, and one of the bytes in its middle', async () => {
    expect((await traced(tell => note(tell.secret(32)))).left).toHaveLength(1)
    expect((await traced(tell => note(tell.secret(32).subarray(16, 30)))).left).toHaveLength(1)
    expect((await traced(tell => note(Buffer.from(tell.secret(32)).fill(0)))).left).toEqual([])
  })
  test('a result that is kept is not', async () => {
    expect(
      (
        await traced(tell =>
          tell.keep(
            new AesGcm(Buffer.alloc(32)).decrypt(new AesGcm(Buffer.alloc(32)).encrypt(tell.secret(64))),
          ),
        )
      ).left,
    ).toEqual([])
  })
  test('a step that fails ends the call', async () => {
    const run: Run = tell => encryptBuffer(Buffer.alloc(5), tell.secret(32))
    const { steps } = await traced(run)
    expect(steps).toBeGreaterThan(3)
    expect((await traced(run, { fail: 1 })).error).toBeInstanceOf(Planted)
  })
})

describe('keys of ciphers', () => {
  suite({
    'of 16 bytes': tell => tell.live(new AesGcm(tell.secret(16))),
    'of 32 bytes': tell => tell.live(new AesGcm(tell.secret(32))),
    'of a KeyObject': tell => tell.live(new AesGcm(keyObject(tell, 32))),
    'of a KeyObject of a wrong length': tell => refused(() => new AesGcm(keyObject(tell, 24))),
  })
})

describe('keyrings', () => {
  const gcm = (key: Uint8Array) => base64(Buffer.concat([Buffer.from([0x1a, key.length]), key]))
  const json = (value: string, rest = '', facts = '"status":"ENABLED","keyId":7,"outputPrefixType":"TINK"') =>
    `{"primaryKeyId":7,"key":[{"keyData":{"typeUrl":"type.googleapis.com/google.crypto.tink.AesGcmKey","value":"${value}","keyMaterialType":"SYMMETRIC"${rest}},${facts}}]}`
  const wrong =
    (text: (key: Buffer) => string): Run =>
    tell =>
      refused(() => Keyring.parse(text(tell.secret(32))))
  suite({
    'of bytes': tell =>
      tell.live(
        new Keyring([
          { key: tell.secret(32), id: 7 },
          { key: tell.secret(16), id: 8 },
        ]),
      ),
    'of KeyObjects': tell => tell.live(new Keyring([{ key: keyObject(tell, 32) }])),
    'of a KeyObject of a wrong length': tell => refused(() => new Keyring([{ key: keyObject(tell, 24) }])),
    'one key more': tell =>
      tell.live(new Keyring([{ key: tell.secret(32) }])).add({ key: keyObject(tell, 32) }),
    'a key whose id is taken': tell =>
      refused(() =>
        tell.live(new Keyring([{ key: tell.secret(32), id: 7 }])).add({ key: keyObject(tell, 32), id: 7 }),
      ),
    'a new key, exported': tell => {
      const text = tell.live(Keyring.generate()).export()
      tell.hide(Buffer.from(JSON.parse(text).key[0].keyData.value, 'base64').subarray(2))
    },
    JSON: tell => tell.live(Keyring.parse(json(gcm(tell.secret(32))))),
    'JSON with a key of another type': tell => {
      const other = `{"keyData":{"typeUrl":"other","value":"${base64(tell.secret(40))}","keyMaterialType":"SYMMETRIC"},"status":"DISABLED","keyId":9,"outputPrefixType":"RAW"}`
      tell.live(Keyring.parse(json(gcm(tell.secret(32))).replace(']}', `,${other}]}`))).export()
    },
    'JSON with a destroyed key': tell => {
      const text = json(gcm(tell.secret(32)))
      const destroyed = JSON.stringify({
        ...JSON.parse(json(gcm(tell.secret(32)))).key[0],
        status: 'DESTROYED',
        keyId: 9,
      })
      // The keyring keeps the bytes of a key that it does not use.
      const ring = tell.live(Keyring.parse(text.replace(']}', `,${destroyed}]}`)))
      ring.export()
    },
    'hex on a line': tell =>
      tell.live(Keyring.parse(`7:${tell.secret(32).toString('hex')},8:${tell.secret(16).toString('hex')}`)),
    'base64 on a line': tell => tell.live(Keyring.parse(`7:${base64(tell.secret(32))}`)),
    'a line of a key of 17 bytes': wrong(key => `7:${base64(key.subarray(0, 17))}`),
    'a line that ends wrong': wrong(key => `7:${base64(key)},`),
    'a line with an id twice': wrong(key => `7:${base64(key)},7:${base64(key)}`),
    'hex with a wrong letter': wrong(key => `7:${key.toString('hex').slice(0, 63)}g`),
    'base64 with a wrong character': wrong(key => `7:${base64(key).slice(0, 43)}!`),
    'base64 with bits after the last byte': wrong(key => `7:${base64(key.subarray(0, 31)).slice(0, 42)}B=`),
    'JSON with an unknown member after the value': wrong(key => json(gcm(key), ',"x":1')),
    'JSON with an unknown member after the data': wrong(key => json(gcm(key), '', '"x":1')),
    'JSON with a wrong status': wrong(key =>
      json(gcm(key), '', '"status":"UNKNOWN_STATUS","keyId":7,"outputPrefixType":"TINK"'),
    ),
    'JSON with a wrong material': wrong(key => json(gcm(key)).replace('SYMMETRIC', 'REMOTE')),
    'JSON with another primary key': wrong(key => json(gcm(key)).replace(':7,', ':8,')),
    'JSON with a key too short': wrong(key => json(gcm(key.subarray(0, 24)))),
    'JSON that ends early': wrong(key => json(gcm(key)).slice(0, -1)),
    'wrapped and unwrapped': async tell => {
      const ring = tell.live(new Keyring([{ key: tell.secret(32) }]))
      const kms = new AesGcm(Buffer.alloc(32, 3))
      const text = await ring.wrap(bytes => kms.encrypt(bytes))
      tell.live(await Keyring.unwrap(text, bytes => kms.decrypt(bytes)))
    },
    'unwrapped to bytes that are no keyset': async tell => {
      const ring = tell.live(new Keyring([{ key: tell.secret(32) }]))
      let keyset = Buffer.alloc(0)
      const text = await ring.wrap(bytes => {
        keyset = Buffer.concat([bytes, Buffer.from([0xff])])
        return Buffer.from('ciphertext')
      })
      await Keyring.unwrap(text, () => keyset).then(
        () => expect.unreachable(),
        () => {},
      )
    },
    'text that is no UTF-8': tell => {
      const ring = tell.live(new Keyring([{ key: tell.secret(32) }]))
      const sealed = ring.seal(Buffer.concat([tell.secret(40), Buffer.from([0xff])])).toString('base64url')
      refused(() => ring.openText(sealed))
    },
    'a token': tell => {
      const ring = tell.live(new Keyring([{ key: tell.secret(32) }]))
      tell.keep(ring.openJwe(ring.sealJwe(tell.secret(20).toString('hex'))))
    },
    'a blind index of a KeyObject': tell =>
      tell.live(new BlindIndex(keyObject(tell, 32), { purpose: 'email' })),
    'a blind index of a KeyObject of a wrong length': tell =>
      refused(() => new BlindIndex(keyObject(tell, 31), { purpose: 'email' })),
  })
})

describe('blind indexes', () => {
  const indexes: Run = tell => {
    const index = tell.live(new BlindIndex(tell.secret(32), { purpose: 'email' }))
    expect(index.of('text')).toHaveLength(22)
  }
  suite({ 'the index of a text': indexes }, { to: 0 })
})

describe('old formats', () => {
  const opened = (tell: Teller, reader: LegacyReader, { sealed, text }: { sealed: string; text: string }) => {
    tell.live(reader)
    tell.hide(text)
    expect(reader.open(sealed)).toBe(text)
    expect(reader.tryOpen(sealed.replace(/.(?=...$)/, letter => (letter === 'a' ? 'b' : 'a')))).toBeNull()
  }
  const cloakKey = Buffer.from(CLOAK.key.split('.')[2] as string, 'base64url')
  const typeorm = (key: unknown) =>
    typeormReader({ key: key as never, algorithm: 'aes-256-gcm', ivLength: 12 })
  suite({
    cloak: tell => {
      tell.hide(cloakKey)
      opened(tell, cloakReader(tell.hide(CLOAK.key)), CLOAK)
    },
    'cloak, of a wrong length': tell =>
      refused(() => cloakReader(`k1.aesgcm256.${tell.secret(24).toString('base64url')}`)),
    'cloak, a list that ends wrong': tell => {
      tell.hide(cloakKey)
      refused(() => cloakReader([CLOAK.key, '']))
    },
    cryptr: tell => opened(tell, cryptrReader(tell.hide(CRYPTR.secret)), CRYPTR),
    boringnode: tell => {
      const { id, keys } = BORINGNODE
      opened(tell, boringnodeReader({ id, keys: tell.hide(keys) }), BORINGNODE)
    },
    typeorm: tell => {
      const [first] = TYPEORM as [(typeof TYPEORM)[number]]
      tell.hide(Buffer.from(first.key, 'hex'))
      opened(tell, typeorm(first.key), first)
    },
    'typeorm, of a KeyObject': tell => tell.live(typeorm(keyObject(tell, 32))),
    'typeorm, of a wrong length': tell => {
      refused(() => typeorm(tell.secret(24).toString('hex')))
      refused(() => typeorm(tell.secret(20).toString('hex')))
      refused(() => typeorm(keyObject(tell, 24)))
      refused(() => typeorm(`${tell.secret(31).toString('hex')}x`))
    },
    'a layout': tell =>
      tell.live(layoutReader({ key: keyObject(tell, 32), layout: '{iv}:{tag}:{ct}', encoding: 'hex' })),
  })
})

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
      [`a conversation ${compat}`]: tell => {
        const [one, two] = sides(tell)
        tell.keep(two.reader.open(one.writer.seal(Buffer.from('text'))))
        tell.keep(one.reader.open(two.writer.seal(Buffer.from('text'))))
      },
      [`rekeying ${compat}`]: tell => {
        const [one, two] = sides(tell)
        const extra = tell.secret(32)
        const next = one.writer.rekey(extra)
        two.reader.rekey(extra)
        tell.keep(two.reader.open(next))
        tell.keep(two.reader.open(one.writer.seal(Buffer.from('text'))))
      },
      [`a handshake that is given up ${compat}`]: tell => {
        const options = compat ? { compat, ciphers: ['aes-256-gcm' as const] } : {}
        new Handshake({ secret: tell.secret(32), role: 'initiator', ...options }).destroy()
      },
      [`a handshake that fails ${compat}`]: tell => {
        const options = compat ? { compat, ciphers: ['aes-256-gcm' as const] } : {}
        refused(() =>
          new Handshake({ secret: tell.secret(32), role: 'initiator', ...options }).finish(Buffer.alloc(7)),
        )
      },
    })
  }
})

describe('shares', () => {
  for (const [format, threshold] of [['binary'], ['text'], ['horcrux', 2], ['horcrux-random', 2]] as const) {
    const options = threshold === undefined ? {} : { format: 'horcrux', threshold }
    const split = (tell: Teller, shares = 5) =>
      tell.keep(splitKey(tell.secret(32), { threshold: 2, shares, format: format as 'text' }))
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
