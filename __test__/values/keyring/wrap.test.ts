// Functions of a key service that do not do their work: nothing is written in the clear, and errors say whose answer was wrong.
import { AesGcm, type AesGcmError } from 'hardware-aes-gcm'
import { Keyring, type KeyType } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'

const service = new AesGcm(Buffer.alloc(32, 7))
const TYPES: KeyType[] = ['AES-256-GCM', 'AES-128-GCM', 'XAES-256-GCM', 'AES-256-GCM-SIV', 'AES-128-GCM-SIV']

describe.each(TYPES)('wrap refuses keys in the clear: %s', type => {
  const keyring = Keyring.generate(type)

  test.each([
    ['the argument', (bytes: Uint8Array) => bytes],
    ['a copy', (bytes: Uint8Array) => Buffer.from(bytes)],
    ['a promise', async (bytes: Uint8Array) => bytes],
    [
      'an envelope round them',
      (bytes: Uint8Array) => Buffer.concat([Buffer.alloc(12), bytes, Buffer.alloc(16)]),
    ],
    [
      'a copy, and the argument is wiped',
      (bytes: Uint8Array) => {
        const copy = Buffer.from(bytes)
        bytes.fill(0)
        return copy
      },
    ],
  ])('%s', async (_, encrypt) => {
    const seen: Uint8Array[] = []
    const wrapped = keyring.wrap(bytes => {
      seen.push(bytes)
      return encrypt(bytes)
    })
    await expect(wrapped).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
      message: '"encrypt" must encrypt its argument, but returned unencrypted keys',
    })
    expect(seen[0]?.every(byte => byte === 0)).toBe(true)
  })

  test('a ciphertext is accepted, and so are the names of types without keys', async () => {
    const wrapped = await keyring.wrap(bytes => service.encrypt(bytes))
    expect((await Keyring.unwrap(wrapped, bytes => service.decrypt(bytes))).keys[0]).toMatchObject({ type })
    // An encrypted keyset inside of another names the types of its keys.
    const twice = await keyring.wrap(() => Buffer.from(wrapped))
    expect(twice.length).toBeGreaterThan(wrapped.length)
  })
})

describe('unwrap names the answer of a key service that is no keyset', () => {
  test.each([
    ['nothing', ''],
    ['text of JSON', '{"message":"AccessDenied"}'],
    ['a page', '<html><body>502 Bad Gateway</body></html>'],
    ['the ciphertext', 'ciphertext'],
    ['bytes', '\x08\x01\x12\xff'],
  ])('%s', async (_, answer) => {
    const wrapped = await Keyring.generate().wrap(() => Buffer.from('ciphertext'))
    const error: AesGcmError = await Keyring.unwrap(wrapped, () => Buffer.from(answer, 'latin1')).then(
      () => expect.unreachable(),
      thrown => thrown,
    )
    expect(error.code).toBe('ERR_AESGCM_INVALID_KEYSET')
    expect(error.message).toBe(
      '"decrypt" did not return a keyset that this package reads: it must return the bytes that "encrypt" received',
    )
    expect(error.cause).toMatchObject({ code: 'ERR_AESGCM_INVALID_KEYSET' })
    if (answer !== '') expect(`${error.stack} ${(error.cause as Error).message}`).not.toContain(answer)
  })

  test('other errors stay as they are', async () => {
    const wrapped = await Keyring.generate().wrap(bytes => service.encrypt(bytes))
    await expect(Keyring.unwrap(wrapped, () => 'text' as never)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
    })
    const own = await Keyring.unwrap('{}', () => Buffer.alloc(1)).catch(error => error)
    expect(own.message).toBe('"encryptedKeyset" of the keyset must be there')
    expect(own).not.toHaveProperty('cause')
  })
})

test('a keyset in quotes, as docker --env-file leaves it, is refused with this hint', async () => {
  const keyring = Keyring.generate()
  const wrapped = await keyring.wrap(bytes => service.encrypt(bytes))
  const said = 'the keyset must not be in quotes: remove them, because docker --env-file does not'
  const line = `100:${Buffer.alloc(32, 9).toString('base64')}`
  for (const quote of [`'`, '"'])
    for (const [before, text] of [
      ['', keyring.export()],
      [' \n', line],
      ['', ''],
    ] as const) {
      const quoted = `${before}${quote}${text}${quote}`
      const error = refuses(() => Keyring.parse(quoted), 'ERR_AESGCM_INVALID_KEYSET')
      expect(error.message).toBe(said)
      await expect(
        Keyring.unwrap(`${before}${quote}${wrapped}${quote}`, () => Buffer.alloc(1)),
      ).rejects.toMatchObject({ message: said })
    }
  expect(Keyring.parse(` ${keyring.export()}\n`).keys).toHaveLength(1)
  expect(refuses(() => Keyring.parse(`${line}"`), 'ERR_AESGCM_INVALID_KEYSET').message).not.toBe(said)
})
