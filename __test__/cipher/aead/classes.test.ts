// The classes of keys beyond the conformance suite, where they are alike: statics, receivers, places of an arena, calls off the thread.
import { AesGcm, KeyArena } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { membersOf, TAG_BYTES } from '../../conformance/aead.mjs'
import { CLASSES } from '../../conformance/classes.mjs'
import { KEY, must, refuses } from '../../tools/support.js'

const ROWS = CLASSES.map(row => ({ ...row, name: row.Class.name, overhead: row.nonceBytes + TAG_BYTES }))
const PAIRS = ROWS.flatMap(row =>
  ROWS.filter(other => other !== row).map(other => {
    const sizes = row.keyBytes.filter(bytes => other.keyBytes.includes(bytes))
    return { ...row, Other: other.Class, other: other.name, sizes }
  }),
)
/** The classes that derive the key of a message. */
const DERIVING = ROWS.filter(({ Class }) => Class !== AesGcm)

// The methods are those of one base class: the object decides its cipher, not the class that a method is taken from.
describe.each(PAIRS)('$name and $other', ({ Class, Other, overhead, sizes }) => {
  test('a method of the other class does what the object does', () => {
    const aes = new Class(KEY)
    const text = Buffer.from('text')
    const frame = Other.prototype.encrypt.call(aes, text)
    expect(frame.length).toBe(text.length + overhead)
    expect(aes.decrypt(frame)).toEqual(text)
    expect(Class.prototype.tryDecrypt.call(new Other(KEY), frame)).toBe(null)
    expect(aes instanceof Other).toBe(false)
    const [members, others]: PropertyDescriptorMap[] = [membersOf(Class), membersOf(Other)]
    for (const name of Object.keys(members as PropertyDescriptorMap).filter(name => name !== 'constructor'))
      expect(others?.[name], name).toEqual(members?.[name])
  })

  test.each(sizes)('a key of %s bytes opens no frame of the other class', bytes => {
    const key = KEY.subarray(0, bytes)
    const frame = new Other(key).encrypt(Buffer.alloc(100))
    expect(new Class(key).tryDecrypt(frame)).toBe(null)
  })
})

test.each(ROWS)('$name: statics need no receiver', ({ Class }) => {
  const { isAvailable, generateKey } = Class
  expect([isAvailable(), generateKey().length]).toEqual([true, 32])
})

test.each(DERIVING)('an $name takes two places of its arena, and leaves both', ({ Class, keyBytes }) => {
  const arena = new KeyArena({ keys: 3 })
  const aes = new Class(KEY, { arena })
  expect(arena.used).toBe(2)
  refuses(() => new Class(KEY, { arena }), 'ERR_AESGCM_ARENA_FULL')
  new AesGcm(KEY, { arena })
  expect(arena.used).toBe(3)
  aes.destroy()
  expect(arena.used).toBe(1)
  new Class(KEY.subarray(0, keyBytes[0]), { arena }).encrypt(KEY)
  arena.destroy()
  expect(arena.used).toBe(0)
})

describe.each(DERIVING)('$name off the thread', ({ Class, nonceBytes, overhead, seal }) => {
  test.each(['start', 'end'] as const)('nonceAt %s', async nonceAt => {
    const aes = new Class(KEY, { nonceAt })
    for (const length of [0, 1, 100, 100_000]) {
      const text = Buffer.alloc(length, 7)
      const frame = Buffer.alloc(length + overhead)
      aes.plaintextOf(frame).set(text)
      const sealed = await aes.encryptInPlaceAsync(frame, KEY)
      const at = nonceAt === 'start' ? 0 : length + TAG_BYTES
      const made = (seal as NonNullable<typeof seal>)(KEY, sealed.subarray(at, at + nonceBytes), text, KEY)
      const parts = [made.text, made.tag]
      const wanted = Buffer.concat(nonceAt === 'start' ? [made.nonce, ...parts] : [...parts, made.nonce])
      must(sealed.equals(wanted), `another frame around ${length} bytes`)
      must(aes.decrypt(sealed, KEY).equals(text), `another text of ${length} bytes`)
      const opened = await aes.decryptInPlaceAsync(Buffer.from(sealed), KEY)
      must(opened.equals(text), `another text of ${length} bytes off the thread`)
      await expect(aes.decryptInPlaceAsync(sealed)).rejects.toMatchObject({
        code: 'ERR_AESGCM_AUTHENTICATION_FAILED',
      })
    }
    await expect(aes.encryptInPlaceAsync(Buffer.alloc(overhead - 1))).rejects.toThrow(
      `at least ${overhead} bytes`,
    )
    expect([aes.messagesEncrypted, aes.failedDecryptions]).toEqual([4, 4])
  })
})
