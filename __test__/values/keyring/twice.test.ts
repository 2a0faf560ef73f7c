// One key's bytes twice in a keyring, and ids whose texts begin alike: refused where a mistake would go unseen.
import { createSecretKey } from 'node:crypto'
import { KeyArena } from 'hardware-aes-gcm'
import { type KeyEntry, Keyring, type KeyType } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random, refuses } from '../../tools/support.js'

const random = new Random('keys that are there twice')
const [LONG, SHORT, OTHER] = [random.bytes(32), random.bytes(16), random.bytes(32)]
const VALUE = 'ERR_INVALID_ARG_VALUE'
const INVALID = 'ERR_AESGCM_INVALID_KEYSET'
const CIPHERS: [KeyType, KeyType, Buffer][] = [
  ['AES-256-GCM', 'XAES-256-GCM', LONG],
  ['XAES-256-GCM', 'AES-256-GCM-SIV', LONG],
  ['AES-256-GCM-SIV', 'AES-256-GCM', LONG],
  ['AES-128-GCM', 'AES-128-GCM-SIV', SHORT],
]

describe.each(CIPHERS)('one key in two ciphers is refused: %s and %s', (one, other, key) => {
  const first = { id: 100, key, type: one }
  const second = { id: 200, key, type: other }
  const between = { id: 300, key: OTHER }

  test('as entries', () => {
    for (const entry of [
      second,
      { ...second, key: createSecretKey(key) },
      { ...second, status: 'disabled' as const },
      { ...second, prefix: 'raw' as const },
    ]) {
      using arena = new KeyArena({ keys: 20 })
      const error = refuses(() => new Keyring([first, between, entry], { arena }), VALUE)
      expect(error.message).toBe(
        `"keys[2].key" has the bytes of the key 100, which is of ${one}: a key serves one cipher`,
      )
      expect(arena.used).toBe(0)
      const keyring = new Keyring([first, between], { arena })
      const { used } = arena
      expect(refuses(() => keyring.add(entry), VALUE).message).toContain(
        '"entry.key" has the bytes of the key 100',
      )
      expect([arena.used, keyring.keys.length]).toEqual([used, 2])
    }
    const disabled = new Keyring([between, { ...first, status: 'disabled' }])
    refuses(() => disabled.add(second), VALUE)
  })

  test('in keysets', async () => {
    const bytes: Buffer[] = []
    for (const keys of [[first], [second]]) {
      const keyring = new Keyring([between, ...keys])
      await keyring.wrap(keyset => Buffer.alloc(bytes.push(Buffer.from(keyset))))
    }
    const lists = [[first], [second]].map(
      keys => JSON.parse(new Keyring([between, ...keys]).export()).key as object[],
    )
    const keyset = JSON.stringify({ primaryKeyId: 300, key: [lists[0]?.[1], lists[0]?.[0], lists[1]?.[0]] })
    expect(refuses(() => Keyring.parse(keyset), INVALID).message).toBe(
      '"key[2].keyData.value" of the keyset must not be that of key[1], of another cipher',
    )
    // As Protocol Buffers, keysets are joined by writing one behind the other: the second without its primary key.
    const [left, right] = bytes as [Buffer, Buffer]
    const joined = Buffer.concat([left, right.subarray(right.indexOf(0x12))])
    const wrapped = await Keyring.generate().wrap(() => Buffer.from('x'))
    await expect(Keyring.unwrap(wrapped, () => Buffer.from(joined))).rejects.toMatchObject({ code: INVALID })
  })
})

describe('one key twice in one cipher is accepted, outside of lines', () => {
  test.each([
    [
      'with and without prefix',
      [
        { id: 100, key: LONG },
        { id: 200, key: LONG, prefix: 'raw' },
      ],
    ],
    [
      'under two ids',
      [
        { id: 100, key: LONG },
        { id: 200, key: LONG, prefix: 'crunchy' },
      ],
    ],
  ] as [string, KeyEntry[]][])('%s: a value then opens under each', (_, entries) => {
    const keyring = new Keyring(entries)
    const sealed = keyring.seal(Buffer.from('x'))
    const moved = (prefix: number[]) => Buffer.concat([Buffer.from(prefix), sealed.subarray(5)])
    const other = entries[1]?.prefix === 'raw' ? moved([]) : moved([0, 0, 0, 0, 200])
    expect([keyring.open(sealed).toString(), keyring.open(other).toString()]).toEqual(['x', 'x'])
    expect(Keyring.parse(keyring.export()).open(other).toString()).toBe('x')
    expect(keyring.add({ key: LONG })).toBeTypeOf('number')
  })

  test('keys of other bytes, and of another length, are none of this', () => {
    const entries: KeyEntry[] = [
      { key: LONG },
      { key: OTHER, type: 'XAES-256-GCM' },
      { key: LONG.subarray(0, 16), type: 'AES-128-GCM-SIV' },
      { key: SHORT },
    ]
    expect(Keyring.parse(new Keyring(entries).export()).keys).toHaveLength(4)
  })
})

describe('a line', () => {
  const line = (...keys: [number, Buffer][]) => keys.map(([id, key]) => `${id}:${key.toString('hex')}`).join()
  const said = (text: string) => refuses(() => Keyring.parse(text), INVALID).message

  test('that has a key twice is refused: its rotation would change nothing', () => {
    const must = '"key[2].keyData.value" of the keyset must not be that of key[0]'
    expect(said(line([300, LONG], [200, OTHER], [100, LONG]))).toBe(must)
    expect(said(`${line([300, LONG], [200, OTHER])},100:${LONG.toString('base64url')}`)).toBe(must)
    expect(said(line([300, SHORT], [200, OTHER], [100, SHORT]))).toBe(must)
  })

  test('whose ids have one beginning of texts is refused: counts would find the rows of both', () => {
    const must = 'must be 16 or more apart from that of key[0], or their texts would begin alike'
    for (const [one, other] of [
      [7, 6],
      [16, 31],
      [31, 16],
      [0, 15],
      [20260101, 20260102],
      [0xffffffff, 0xfffffff0],
      [0x80000000, 0x8000000f],
    ] as const) {
      expect(said(line([one, LONG], [other, OTHER]))).toBe(`"key[1].keyId" of the keyset ${must}`)
      const keys = new Keyring([
        { id: one, key: LONG },
        { id: other, key: OTHER },
      ]).keys
      expect(keys[0]?.textPrefix).toBe(keys[1]?.textPrefix)
    }
    for (const [one, other] of [
      [7, 23],
      [15, 16],
      [0x7fffffff, 0xffffffff],
      [20260100, 20250100],
    ] as const) {
      const [first, second] = Keyring.parse(line([one, LONG], [other, OTHER])).keys
      expect(first?.textPrefix).not.toBe(second?.textPrefix)
    }
  })

  test('a keyset as JSON may have such ids, as its writer drew them', () => {
    const keyring = new Keyring([
      { id: 7, key: LONG },
      { id: 6, key: OTHER },
    ])
    expect(Keyring.parse(keyring.export()).keys).toHaveLength(2)
  })
})
