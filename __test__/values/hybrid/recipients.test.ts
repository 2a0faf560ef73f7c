// Messages to recipients through every function of hardware-aes-gcm/stream: round trips, ranges, and beginnings that were changed.
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { KeyArena } from 'hardware-aes-gcm'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { Keyring } from 'hardware-aes-gcm/keyring'
import * as stream from 'hardware-aes-gcm/stream'
import { afterAll, describe, expect, test } from 'vitest'
import { beginning, decrypt, encrypt, SEALED_FOR } from '../../models/recipients.js'
import { collected, sourceOf, textOf } from '../../protocols/stream/tools.js'
import { refuses } from '../../tools/support.js'
import { encryptTo, sealingKey, settingsOf, TYPES } from './internals.js'

const { createDecryptStream, createEncryptStream, decryptBuffer, encryptBuffer, encryptedSize } = stream
const { DecryptionReader, decryptFile, encryptFile } = stream
const WRONG = 'ERR_AESGCM_WRONG_KEY'
const CUT = 'ERR_AESGCM_STREAM_TRUNCATED'
const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'

const folder = mkdtempSync(join(tmpdir(), 'recipients-'))
const path = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

const senderOf = (keyring: PrivateKeyring) => PublicKeyring.parse(keyring.publicKeyset())
const ours = PrivateKeyring.generate('X25519-AES-256-GCM')
const theirs = PrivateKeyring.generate('X25519-AES-128-GCM')
const both = [senderOf(ours), senderOf(theirs)]
const context = 'backup 7'
/** In front of the salt: six bytes, and two sealed keys of 85 bytes after their lengths. */
const BEFORE = 6 + 2 * 87
const TEXT = textOf(100)
const MESSAGE = encryptBuffer(TEXT, both, { context })

/** Whether bytes are equal. `toEqual` takes a thousand times as long. */
const same = (actual: Buffer | undefined, wanted: Buffer) => expect(actual?.equals(wanted)).toBe(true)

describe.each([0, 1, 16_383, 16_384, 16_385, 3 * 16_384 + 5])('%i bytes', size => {
  const text = textOf(size)

  test('in memory, as the model says', () => {
    for (const recipients of [both[0] as PublicKeyring, both]) {
      const message = encryptBuffer(text, recipients, { context })
      expect(message.length).toBe(encryptedSize(size, recipients))
      for (const reader of recipients === both ? [ours, theirs] : [ours]) {
        same(decryptBuffer(message, reader, { context }), text)
        same(decrypt(message, reader, context), text)
      }
    }
    same(decryptBuffer(encrypt(text, both, { context }), theirs, { context }), text)
  })

  test('through streams of Node and of the web, in pieces', async () => {
    const pieces = [text.subarray(0, 7), text.subarray(7)]
    const message = await collected(Readable.from(pieces).pipe(createEncryptStream(both, { context })))
    const web = sourceOf(pieces).pipeThrough(new stream.EncryptionStream(both, { context }) as never)
    const other = await collected(web as never)
    for (const [sealed, reader] of [
      [message, theirs],
      [other, ours],
    ] as const) {
      const cut = Array.from({ length: 250 }, (_, i) => sealed.subarray(i, i + 1))
      const all = [...cut, sealed.subarray(250)]
      const decrypting = createDecryptStream(reader, { context })
      for (const piece of all) decrypting.write(piece)
      same(await collected(decrypting.end()), text)
      const opened = sourceOf(all).pipeThrough(new stream.DecryptionStream(reader, { context }) as never)
      same(await collected(opened as never), text)
    }
  })

  test('from file to file, and in ranges', async () => {
    writeFileSync(path('text'), text)
    const options = { context, force: true }
    const made = await encryptFile(path('text'), path('message'), both, options)
    expect(made).toEqual({ bytes: encryptedSize(size, both) })
    expect(await decryptFile(path('message'), path('again'), theirs, options)).toEqual({ bytes: size })
    same(readFileSync(path('again')), text)
    const file = await open(path('message'))
    try {
      for (const source of [file, readFileSync(path('message')), new Blob([readFileSync(path('message'))])]) {
        using reader = await DecryptionReader.open(source, ours, { context })
        expect(reader.size).toBe(size)
        for (const [from, to] of [
          [0, 10],
          [16_380, 16_390],
          [-5, undefined],
          [undefined, undefined],
        ] as const)
          same(await reader.read(from, to), text.subarray(from, to))
        same(await collected(reader.stream(1) as never), text.subarray(1))
      }
    } finally {
      await file.close()
    }
  })
})

test('a file of many MiB', async () => {
  const size = 33 * 2 ** 20 + 5
  writeFileSync(path('sparse'), '')
  truncateSync(path('sparse'), size)
  const told: number[] = []
  await encryptFile(path('sparse'), path('long'), both, { onProgress: done => void told.push(done) })
  expect(told.at(-1)).toBe(size)
  expect(await decryptFile(path('long'), path('sparse again'), ours)).toEqual({ bytes: size })
  using reader = await DecryptionReader.open(await new Blob([readFileSync(path('long'))]), theirs)
  expect((await reader.read(-3)).toString('hex')).toBe('000000')
})

describe('a changed beginning', () => {
  const start = BEFORE + 56

  test('every bit of it counts, for each recipient', () => {
    for (let bit = 0; bit < 8 * start; bit++) {
      const changed = Buffer.from(MESSAGE)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      const call = () => decryptBuffer(changed, bit % 2 === 0 ? ours : theirs, { context })
      // Bits of the length may ask for more than the message has.
      const wanted = bit >> 3 === 4 || bit >> 3 === 5 ? [WRONG, CUT] : [WRONG]
      let code: unknown
      try {
        call()
      } catch (error) {
        code = (error as { code: string }).code
      }
      expect(wanted, `bit ${bit}`).toContain(code)
    }
  })

  test('that of another message to the same recipients, or parts of it', () => {
    const other = encryptBuffer(TEXT, both, { context })
    const ends = [6, 8, 93, 95, BEFORE, BEFORE + 24, BEFORE + 56]
    for (const end of ends)
      for (const reader of [ours, theirs]) {
        const call = () =>
          decryptBuffer(Buffer.concat([other.subarray(0, end), MESSAGE.subarray(end)]), reader, { context })
        // What every message has in common is no change.
        if (end <= 8) same(call(), TEXT)
        // The whole of another beginning is right: the chunk is not.
        else refuses(call, end === start ? 'ERR_AESGCM_AUTHENTICATION_FAILED' : WRONG)
      }
  })

  test('fewer recipients, more, in another order, or twice', () => {
    const [first, second] = [MESSAGE.subarray(8, 93), MESSAGE.subarray(95, BEFORE)]
    const rest = MESSAGE.subarray(BEFORE)
    const stranger = senderOf(PrivateKeyring.generate('X25519-AES-256-GCM')).seal(
      Buffer.alloc(32),
      SEALED_FOR,
    )
    const open = (sealed: readonly Uint8Array[], reader: PrivateKeyring) =>
      decryptBuffer(Buffer.concat([beginning(sealed), rest]), reader, { context })
    same(open([first, second], ours), TEXT)
    for (const sealed of [
      [first],
      [second],
      [second, first],
      [first, second, stranger],
      [first, first, second],
    ])
      for (const reader of [ours, theirs]) refuses(() => open(sealed, reader), WRONG)
  })

  test('malformed ones, before any key is tried', () => {
    const key = Buffer.alloc(32, 7)
    const sealed = both[0]?.seal(key, SEALED_FOR) as Buffer
    const rest = Buffer.alloc(200)
    for (const before of [
      beginning([]),
      beginning([Buffer.alloc(0)]),
      beginning([sealed.subarray(0, 84)]),
      beginning([Buffer.concat([sealed, Buffer.of(0)])]),
      beginning(Array.from({ length: 51 }, () => sealed)),
      Buffer.concat([Buffer.from('AGR1'), Buffer.of(0, 1, 0)]),
      Buffer.concat([Buffer.from('AGR1'), Buffer.of(0, 87, 0, 86), sealed]),
      Buffer.concat([Buffer.from('AGR1'), Buffer.of(0, 87, 255, 255), sealed]),
      beginning([sealed], 'AGR2'),
      beginning([sealed], 'agr1'),
    ])
      refuses(() => decryptBuffer(Buffer.concat([before, rest]), ours), WRONG)
    // Nothing but a length: no memory for what is not there.
    refuses(() => decryptBuffer(Buffer.from('AGR1\xff\xff', 'latin1'), ours), CUT)
    // A sealed key of another length or purpose.
    const [sender] = both as [PublicKeyring]
    for (const wrong of [
      sender.seal(key.subarray(1), SEALED_FOR),
      sender.seal(Buffer.alloc(33), SEALED_FOR),
      sender.seal(key),
      sender.seal(key, 'hardware-aes-gcm'),
    ])
      refuses(() => decryptBuffer(Buffer.concat([beginning([wrong]), rest]), ours), WRONG)
  })

  test('every truncation fails, in memory, in a stream and in a reader', async () => {
    for (let length = 0; length < MESSAGE.length; length++) {
      const cut = MESSAGE.subarray(0, length)
      const wanted =
        length < start + 16 ? [CUT, 'ERR_AESGCM_AUTHENTICATION_FAILED'] : ['ERR_AESGCM_AUTHENTICATION_FAILED']
      const codes: unknown[] = []
      try {
        decryptBuffer(cut, theirs, { context })
      } catch (error) {
        codes.push((error as { code: string }).code)
      }
      const decrypting = createDecryptStream(theirs, { context })
      codes.push((await collected(decrypting.end(cut)).catch(error => error)).code)
      codes.push((await DecryptionReader.open(cut, ours, { context }).catch(error => error)).code)
      expect(codes.length).toBe(3)
      for (const code of codes) expect(wanted, `${length}`).toContain(code)
      if (length <= start) expect(codes).toEqual([CUT, CUT, CUT])
    }
  })
})

describe('who can open', () => {
  test('nobody else, and nobody with another context', () => {
    const stranger = PrivateKeyring.generate('X25519-AES-256-GCM')
    const { message } = refuses(() => decryptBuffer(MESSAGE, stranger, { context }), WRONG)
    expect(refuses(() => decryptBuffer(MESSAGE, ours), WRONG).message).toBe(message)
    expect(message).toBe(
      'the message was encrypted with another key or context, or its beginning was damaged',
    )
    // The recipients are not a part of the context that a caller could move.
    const moved = encryptBuffer(TEXT, both, { context: '' })
    refuses(() => decryptBuffer(moved, ours, { context: moved.subarray(0, BEFORE) }), WRONG)
  })

  test('fifty recipients, and no more', () => {
    const all = Array.from({ length: 50 }, (_, i) => (i === 49 ? ours : theirs))
    const recipients = all.map(senderOf)
    const message = encryptBuffer(TEXT, recipients)
    expect(message.length).toBe(encryptedSize(100, recipients))
    same(decryptBuffer(message, ours), TEXT)
    const [first] = recipients as [PublicKeyring]
    expect(refuses(() => encryptBuffer(TEXT, [...recipients, first]), RANGE).message).toBe(
      '"key" must have 1 to 50 recipients, got 51',
    )
    refuses(() => encryptBuffer(TEXT, []), RANGE)
  })

  test('all enabled keys of a keyring, after a rotation', () => {
    const keyring = PrivateKeyring.generate('X25519-AES-256-GCM')
    const old = encryptBuffer(TEXT, senderOf(keyring))
    const first = keyring.keys[0]?.id as number
    keyring.promote(keyring.add('X25519-AES-256-GCM'))
    const now = encryptBuffer(TEXT, senderOf(keyring))
    for (const message of [old, now]) same(decryptBuffer(message, keyring), TEXT)
    keyring.disable(first)
    refuses(() => decryptBuffer(old, keyring), WRONG)
    same(decryptBuffer(now, keyring), TEXT)
  })

  test('keys with one id, and keys with every prefix', () => {
    const rings = (['tink', 'raw', 'crunchy', 'legacy'] as const).flatMap(prefix =>
      [0, 1].map(() => PrivateKeyring.generate('X25519-AES-256-GCM', { id: 7, prefix })),
    )
    const recipients = rings.map(senderOf)
    const message = encryptBuffer(TEXT, recipients)
    expect(message.length).toBe(encryptedSize(100, recipients))
    for (const ring of rings) same(decryptBuffer(message, ring), TEXT)
  })

  test('next to a recipient of a kind that this runtime may lack, or that nobody knows yet', () => {
    for (const length of [1, 64, 1173, 3000]) {
      const message = encrypt(TEXT, both, { others: [Buffer.alloc(length, 1)] })
      for (const reader of [ours, theirs]) same(decryptBuffer(message, reader), TEXT)
    }
  })

  test.each(TYPES)('%s', type => {
    const keyring = PrivateKeyring.generate(type)
    const message = encryptBuffer(TEXT, [both[0] as PublicKeyring, senderOf(keyring)])
    expect(message.length - encryptedSize(100)).toBe(6 + 87 + (type.startsWith('X-WING') ? 1175 : 87))
    for (const reader of [ours, keyring]) same(decryptBuffer(message, reader), TEXT)
  })
})

describe('wrong keys', () => {
  const KEY = Buffer.alloc(32, 1)
  const [sender] = both as [PublicKeyring]

  test('a keyring in the wrong place is refused with the reason', () => {
    expect(refuses(() => encryptBuffer(TEXT, ours as never), TYPE).message).toBe(
      '"key" must be a Uint8Array, KeyObject or PublicKeyring, got a PrivateKeyring: PublicKeyring.parse(keyring.publicKeyset()) ' +
        'encrypts to it',
    )
    expect(refuses(() => encryptBuffer(TEXT, [sender, ours] as never), TYPE).message).toMatch(
      /^"key\[1\]" must be a PublicKeyring, got a PrivateKeyring/,
    )
    expect(refuses(() => decryptBuffer(MESSAGE, sender as never), TYPE).message).toBe(
      '"key" must be a Uint8Array, KeyObject or PrivateKeyring, got a PublicKeyring, which opens nothing',
    )
    expect(refuses(() => encryptBuffer(TEXT, [...KEY] as never), TYPE).message).toMatch(
      /^"key\[0\]" must be a PublicKeyring, got number: for an array of numbers, Uint8Array\.from\(key\)$/,
    )
    expect(refuses(() => encryptBuffer(TEXT, sender.export() as never), TYPE).message).toMatch(
      /got string: PublicKeyring\.parse reads a keyset$/,
    )
    expect(refuses(() => decryptBuffer(MESSAGE, ours.export() as never), TYPE).message).toMatch(
      /got string: PrivateKeyring\.parse reads a keyset$/,
    )
    for (const wrong of [
      [KEY],
      [[sender]],
      [undefined],
      [null],
      Keyring.generate(),
      new Proxy(sender, {}),
      {},
    ])
      refuses(() => encryptBuffer(TEXT, wrong as never), TYPE)
    for (const wrong of [[ours], new Proxy(ours, {}), Object.create(ours), null])
      refuses(() => decryptBuffer(MESSAGE, wrong as never), TYPE)
    const revoked = Proxy.revocable([sender], {})
    revoked.revoke()
    refuses(() => encryptBuffer(TEXT, revoked.proxy), TYPE)
    same(decryptBuffer(encryptBuffer(TEXT, new Proxy([sender], {})), ours), TEXT)
    for (const wrong of [KEY, ours, null, 7, 'x']) refuses(() => encryptedSize(1, wrong as never), TYPE)
  })

  test('the error of a wrong kind denied that keyrings are accepted', () => {
    for (const [call, wanted] of [
      [() => encryptBuffer(TEXT, {} as never), 'a Uint8Array, KeyObject or PublicKeyring, got object'],
      [() => decryptBuffer(MESSAGE, 7 as never), 'a Uint8Array, KeyObject or PrivateKeyring, got number'],
      [
        () => decryptBuffer(MESSAGE, [ours] as never),
        'a Uint8Array, KeyObject or PrivateKeyring, got Array: a message is opened by one keyring; if it holds numbers, ' +
          'Uint8Array.from(key)',
      ],
    ] as const)
      expect(refuses(call, TYPE).message).toBe(`"key" must be ${wanted}`)
  })

  test('the key of a file to recipients stayed in memory until all of the file was written', async () => {
    const key = sealingKey(sender)
    const seen: boolean[] = []
    const route = {
      size: 0,
      progress() {},
      read: async () => 0,
      write: async () => void seen.push(key.bytes.every(byte => byte === 0)),
    }
    await encryptTo(
      route,
      key,
      settingsOf(() => undefined),
    )
    expect(seen).toEqual([true, true])
  })

  test('a message under a key of bytes, and a message to recipients for such a key', () => {
    expect(refuses(() => decryptBuffer(encryptBuffer(TEXT, KEY), ours), WRONG).message).toMatch(
      /: it is not encrypted to a PublicKeyring$/,
    )
    expect(refuses(() => decryptBuffer(MESSAGE, KEY), WRONG).message).toMatch(
      /: it seems to be encrypted to recipients, for a PrivateKeyring$/,
    )
  })

  test('a destroyed keyring, at once and in a stream that waits for the beginning', async () => {
    const keyring = PrivateKeyring.generate('X25519-AES-256-GCM')
    const message = encryptBuffer(TEXT, senderOf(keyring))
    const [begun, waits] = [createDecryptStream(keyring), createDecryptStream(keyring)]
    begun.write(message.subarray(0, 200))
    waits.write(message.subarray(0, 50))
    keyring.destroy()
    refuses(() => createDecryptStream(keyring), 'ERR_AESGCM_DESTROYED')
    refuses(() => decryptBuffer(message, keyring), 'ERR_AESGCM_DESTROYED')
    same(await collected(begun.end(message.subarray(200))), TEXT)
    const error = await collected(waits.end(message.subarray(50))).catch(error => error)
    expect(error).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
  })

  test('no key stays in an arena after a refused call', () => {
    using arena = new KeyArena({ keys: 1 })
    refuses(
      () => decryptBuffer(MESSAGE.subarray(0, -1), ours, { arena, context }),
      'ERR_AESGCM_AUTHENTICATION_FAILED',
    )
    refuses(() => decryptBuffer(MESSAGE, ours, { arena }), WRONG)
    refuses(() => encryptBuffer(TEXT, both, { arena, target: Buffer.alloc(9) }), RANGE)
    expect(arena.used).toBe(0)
    const target = Buffer.alloc(MESSAGE.length + 1, 0xee)
    same(decryptBuffer(encryptBuffer(TEXT, both, { arena, target }), ours, { arena }), TEXT)
    expect([arena.used, target.at(-1)]).toEqual([0, 0xee])
  })
})
