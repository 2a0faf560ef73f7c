// No secret is left in the memory of the library by keys, keyrings and readers of old formats, also if any step of a call fails.
import './memories.js'
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { AesGcm, KeyArena } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  type LegacyReader,
  layoutReader,
  typeormReader,
} from 'hardware-aes-gcm/legacy'
import { encryptBuffer } from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import * as originals from '../models/legacy.js'
import { Random } from '../tools/support.js'
import { BORINGNODE, CLOAK, CRYPTR, TYPEORM } from '../vectors/legacy.js'
import { held, note, Planted, type Teller, traced } from './memories.js'
import { keyObject, type Run, refused, suite } from './suite.js'

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
    'a job that is refused': async tell => {
      const key = new AesGcm(tell.secret(32))
      key.destroy()
      const part = Buffer.alloc(100).subarray(10, 90)
      part.set(tell.secret(50), 12)
      await expect(key.encryptInPlaceAsync(part)).rejects.toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
    },
    'of a KeyObject of a wrong length': tell => refused(() => new AesGcm(keyObject(tell, 24))),
  })
})

describe('keyrings', () => {
  const gcm = (key: Uint8Array) => base64(Buffer.concat([Buffer.from([0x1a, key.length]), key]))
  const json = (value: string, rest = '', facts = '"status":"ENABLED","keyId":7,"outputPrefixType":"TINK"') =>
    `{"primaryKeyId":7,"key":[{"keyData":{"typeUrl":"type.googleapis.com/google.crypto.tink.AesGcmKey","value":"${value}","keyMaterialType":"SYMMETRIC"${rest}},${facts}}]}`
  const other = (tell: Teller) =>
    `{"keyData":{"typeUrl":"other","value":"${base64(tell.secret(40))}","keyMaterialType":"SYMMETRIC"},"status":"DISABLED","keyId":9,"outputPrefixType":"RAW"}`
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
    'of two ciphers, whose keys are compared': tell =>
      tell.live(new Keyring([{ key: tell.secret(32) }, { key: tell.secret(32), type: 'XAES-256-GCM' }])),
    'of one key in two ciphers': tell => {
      const key = tell.secret(32)
      refused(() => new Keyring([{ key }, { key, type: 'XAES-256-GCM' }]))
    },
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
      tell.live(Keyring.parse(json(gcm(tell.secret(32))).replace(']}', `,${other(tell)}]}`))).export()
    },
    'JSON for an arena that is full': tell => {
      const arena = tell.live(new KeyArena({ keys: 1 }))
      const [first, second] = [
        json(gcm(tell.secret(32))),
        json(gcm(tell.secret(32))).replace('"keyId":7', '"keyId":8'),
      ]
      const ours = [first, second].map(text => JSON.parse(text).key[0])
      const [before, after] = [other(tell), other(tell).replace('"keyId":9', '"keyId":10')].map(text =>
        JSON.parse(text),
      )
      const keys = [ours[0], before, ours[1], after]
      refused(() => Keyring.parse(JSON.stringify({ primaryKeyId: 7, key: keys }), { arena }))
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
      tell.live(Keyring.parse(`7:${tell.secret(32).toString('hex')},80:${tell.secret(16).toString('hex')}`)),
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
    'a value that is rotated': tell => {
      const keys = [7, 8].map(id => ({ id, key: tell.secret(32) }))
      const ring = tell.live(new Keyring(keys))
      const sealed = tell.keep(ring.seal(tell.secret(40)))
      ring.promote(8)
      tell.keep(ring.rotate(sealed))
    },
    'a token': tell => {
      const ring = tell.live(new Keyring([{ key: tell.secret(32) }]))
      tell.keep(ring.openJwe(ring.sealJwe(tell.hide(tell.secret(20).toString('hex')))))
    },
    'a blind index of a KeyObject': tell =>
      tell.live(new BlindIndex(keyObject(tell, 32), { purpose: 'email' })),
    'a blind index of a KeyObject of a wrong length': tell =>
      refused(() => new BlindIndex(keyObject(tell, 31), { purpose: 'email' })),
  })
})

describe('blind indexes', () => {
  const indexes: Run = tell => {
    for (const bytes of [32, 100]) {
      const key = tell.secret(bytes)
      // The blocks of HMAC (RFC 2104).
      const block = bytes > 64 ? tell.hide(createHash('sha256').update(key).digest()) : key
      for (const pad of [0x36, 0x5c]) tell.hide(block.map(byte => byte ^ pad))
      const index = tell.live(new BlindIndex(key, { purpose: 'email' }))
      for (const length of [20, 2000]) {
        const text = tell.hide(randomBytes(length))
        expect(index.of(text.toString('hex'))).toHaveLength(22)
        expect(index.of(tell.hide(text.toString('hex')))).toHaveLength(22)
        expect(index.of(text)).toHaveLength(22)
        expect([text, text.toString('hex')].map(held)).toEqual([0, 0])
      }
    }
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
  // The many rounds of the package itself would take most of the time, and leave no other memory.
  const QUICK = { pbkdf2Iterations: 2 }
  const { secret, text } = CRYPTR
  const quick = { sealed: originals.cryptr(secret, text, QUICK, new Random('traces of cryptr')), text }
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
    cryptr: tell => opened(tell, cryptrReader(tell.hide(CRYPTR.secret), QUICK), quick),
    boringnode: tell => {
      const { id, keys } = BORINGNODE
      tell.hide(createHash('sha256').update(keys).digest())
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
    'a layout with a salt': tell => {
      const [key, salt, iv] = [tell.secret(32), Buffer.alloc(8), Buffer.alloc(12)]
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const text = tell.hide('text of a message with a salt')
      const ct = Buffer.concat([cipher.update(text), cipher.final()])
      const sealed = [salt, iv, cipher.getAuthTag(), ct].map(bytes => bytes.toString('hex')).join(':')
      const layout = { layout: '{salt}:{iv}:{tag}:{ct}', encoding: 'hex', saltBytes: 8 } as const
      expect(tell.live(layoutReader({ ...layout, key: () => key })).open(sealed)).toBe(text)
    },
    'a layout with a key by SHA-256': tell => {
      const secret = tell.secret(40)
      const hash = tell.hide(createHash('sha256').update(secret).digest())
      const layout = { layout: '{iv}:{tag}:{ct}', encoding: 'hex' } as const
      tell.live(layoutReader({ ...layout, key: { sha256: secret } }))
      for (const digest of ['hex', 'base64'] as const) {
        tell.hide(Buffer.from(hash.toString(digest).slice(0, 32)))
        tell.live(layoutReader({ ...layout, key: [{ sha256: secret, digest }] }))
      }
      const cipher = createCipheriv('aes-256-gcm', hash, Buffer.alloc(12))
      const text = tell.hide('text of a message under a hash')
      const ct = Buffer.concat([cipher.update(text), cipher.final()])
      const columns = layoutReader({ key: { sha256: secret }, layout: { iv: '{iv}', data: '{ct}{tag}' } })
      const row = { iv: Buffer.alloc(12), data: Buffer.concat([ct, cipher.getAuthTag()]) }
      expect(tell.live(columns).open(row)).toBe(text)
      expect(tell.keep(columns.openBytes(row)).toString()).toBe(text)
    },
    'a reader that its scope ends': tell => {
      using reader = typeorm(tell.secret(32))
      expect(reader.destroyed).toBe(false)
    },
    'a layout': tell =>
      tell.live(layoutReader({ key: keyObject(tell, 32), layout: '{iv}:{tag}:{ct}', encoding: 'hex' })),
  })
})
