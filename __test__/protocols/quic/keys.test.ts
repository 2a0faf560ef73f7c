// The arguments of the constructor of PacketProtection: lengths of secrets and keys, other values, options.
import { PacketProtection, VERSION_2 } from 'hardware-aes-gcm/quic'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'

const SECRET = Buffer.alloc(32, 7)
const bytes = (length: number) => new Uint8Array(length)
const keys = () => ({ key: bytes(16), iv: bytes(12), hp: bytes(16) })

describe('keys', () => {
  test.each([0, 1, 16, 24, 31, 33, 47, 49, 64, 96])('a secret of %i bytes', length => {
    const { message } = refuses(() => new PacketProtection(bytes(length)), 'ERR_AESGCM_INVALID_KEY_LENGTH')
    expect(message).toBe(`"keys" must be a secret of 32 or 48 bytes, got length ${length}`)
  })

  test.each([0, 15, 17, 24, 31, 33, 48])('a key of %i bytes', length => {
    const wrong = () => new PacketProtection({ ...keys(), key: bytes(length), hp: bytes(length) })
    expect(refuses(wrong, 'ERR_AESGCM_INVALID_KEY_LENGTH').message).toContain('"keys.key" must be 16 or 32')
  })

  test.each([
    [16, 32],
    [32, 16],
    [16, 15],
    [16, 0],
  ])('a key of %i bytes with a header key of %i', (key, hp) => {
    const wrong = () => new PacketProtection({ ...keys(), key: bytes(key), hp: bytes(hp) })
    expect(refuses(wrong, 'ERR_AESGCM_INVALID_KEY_LENGTH').message).toContain(
      `"keys.hp" must be ${key} bytes,`,
    )
  })

  test.each([0, 8, 11, 13, 16])('an IV of %i bytes', length => {
    const { message } = refuses(
      () => new PacketProtection({ ...keys(), iv: bytes(length) }),
      'ERR_OUT_OF_RANGE',
    )
    expect(message).toBe(`"keys.iv" must be a Uint8Array of length 12, got length ${length}`)
  })

  test.each([undefined, null, 1, 'x'.repeat(32), true, 7n, Symbol('x'), () => {}])('%s', value => {
    const { message } = refuses(() => new PacketProtection(value as never), 'ERR_INVALID_ARG_TYPE')
    const kinds = 'a secret of 32 or 48 bytes, or an object of key, iv and hp'
    const help =
      typeof value === 'string'
        ? `: decode it, as in Buffer.from(text, 'base64url') or Buffer.from(text, 'hex')`
        : ''
    expect(message).toBe(`"keys" must be ${kinds}, got ${value === null ? value : typeof value}${help}`)
  })

  test('other objects', () => {
    class Keys {
      key = bytes(16)
      iv = bytes(12)
      hp = bytes(16)
    }
    refuses(() => new PacketProtection(new Keys()), 'ERR_INVALID_ARG_TYPE')
    refuses(() => new PacketProtection([] as never), 'ERR_INVALID_ARG_TYPE')
    refuses(() => new PacketProtection(new ArrayBuffer(32) as never), 'ERR_INVALID_ARG_TYPE')
    refuses(() => new PacketProtection(Object.create(keys()) as never), 'ERR_INVALID_ARG_TYPE')
    const misspelt = { ...keys(), kex: bytes(16) }
    const { message } = refuses(() => new PacketProtection(misspelt), 'ERR_INVALID_ARG_VALUE')
    expect(message).toBe(`"keys" has no 'kex', only 'key', 'iv', 'hp'`)
    const { hp, ...without } = keys()
    refuses(() => new PacketProtection(without as never), 'ERR_INVALID_ARG_TYPE')
    expect(new PacketProtection(Object.assign(Object.create(null), keys())).keyBits).toBe(128)
  })

  test('each is read once, and options before', () => {
    const order: string[] = []
    const reading = <T extends object>(object: T): T =>
      Object.defineProperties(
        {} as T,
        Object.fromEntries(
          Object.entries(object).map(([name, value]) => [
            name,
            { enumerable: true, get: () => order.push(name) && value },
          ]),
        ),
      )
    new PacketProtection(reading(keys()), reading({ maxPackets: 3, version: VERSION_2, maxFailures: 3 }))
    expect(order).toEqual(['version', 'maxPackets', 'maxFailures', 'key', 'iv', 'hp'])
  })
})

describe('options', () => {
  const make = (options: unknown) => new PacketProtection(SECRET, options as never)

  test.each([
    [{ verson: 1 }, 'ERR_INVALID_ARG_VALUE', `has no 'verson'`],
    [{ maxMessages: 1 }, 'ERR_INVALID_ARG_VALUE', `has no 'maxMessages'`],
    [{ version: 2 }, 'ERR_INVALID_ARG_VALUE', '"options.version" must be VERSION_1 or VERSION_2, got 2'],
    [{ version: '1' }, 'ERR_INVALID_ARG_VALUE', '"options.version"'],
    [{ version: null }, 'ERR_INVALID_ARG_VALUE', '"options.version"'],
    [{ maxPackets: 2 ** 23 + 1 }, 'ERR_OUT_OF_RANGE', 'from 0 to 2^23'],
    [{ maxPackets: -1 }, 'ERR_OUT_OF_RANGE', '"options.maxPackets"'],
    [{ maxPackets: 1.5 }, 'ERR_OUT_OF_RANGE', '"options.maxPackets"'],
    [{ maxPackets: '5' }, 'ERR_INVALID_ARG_TYPE', '"options.maxPackets"'],
    [{ maxFailures: 0 }, 'ERR_OUT_OF_RANGE', 'from 1 to 2^52'],
    [{ maxFailures: 2 ** 52 + 1 }, 'ERR_OUT_OF_RANGE', '"options.maxFailures"'],
    [{ maxFailures: 5n }, 'ERR_INVALID_ARG_TYPE', '"options.maxFailures"'],
    [{ backend: 'software' }, 'ERR_INVALID_ARG_VALUE', '"options.backend"'],
    [{ backend: 5 }, 'ERR_INVALID_ARG_VALUE', '"options.backend"'],
    [{ arena: {} }, 'ERR_INVALID_ARG_TYPE', '"options.arena"'],
    [null, 'ERR_INVALID_ARG_TYPE', '"options" must be an object'],
    [1, 'ERR_INVALID_ARG_TYPE', '"options" must be an object'],
    [bytes(12), 'ERR_INVALID_ARG_TYPE', '"options" must be a plain object'],
  ])('%o', (options, code, message) => {
    expect(refuses(() => make(options), code).message).toContain(message)
  })

  test('at their bounds, undefined and missing', () => {
    for (const options of [
      undefined,
      {},
      { maxPackets: 0, maxFailures: 1 },
      { maxPackets: 2 ** 23, maxFailures: 2 ** 52 },
      {
        version: undefined,
        maxPackets: undefined,
        maxFailures: undefined,
        backend: undefined,
        arena: undefined,
      },
      Object.create(null),
    ])
      expect(make(options).packetsSealed).toBe(0)
  })

  test('count only if they are own properties', () => {
    Object.assign(Object.prototype, { maxPackets: 0 })
    try {
      make({}).seal(Buffer.alloc(40), 7, 0)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'maxPackets')
    }
  })
})
