// Which records may come at the end of an epoch: those that the limits of a key allow. A ratchet without a cipher stands for a peer that
// has sealed a million records.
import { createCipheriv, hkdfSync } from 'node:crypto'
import { createRequire } from 'node:module'
import { Handshake } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'

/** A reader's side of a direction, as lib/protocols/session/opener.cts has it. */
interface Opener {
  head: Uint8Array
  open(data: Buffer): Buffer | undefined
  confirmed: boolean
  ended: boolean
}

const { RecordOpener } = createRequire(import.meta.url)('../../../dist/protocols/session/opener.cjs') as {
  RecordOpener: new (ratchet: object, maxRecord: number) => Opener
}

const [CONFIRM, DATA, REKEY, END] = [0, 1, 2, 3] as const
const MIB = 2 ** 20
const RECORDS = 2 ** 20

class Ratchet {
  number = 0
  destroyed = false
  open(): boolean {
    this.number++
    return true
  }
  next(): object {
    return {}
  }
  commit(): void {
    this.number = 0
  }
  destroy(): void {
    this.destroyed = true
  }
}

function begun() {
  const ratchet = new Ratchet()
  const opener = new RecordOpener(ratchet, 2 * MIB)
  /** Opens a record of a type, of so many bytes: whether it is accepted. */
  const comes = (type: number, bytes: number): boolean => {
    opener.head[4] = type
    try {
      opener.open(Buffer.alloc(bytes))
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/RECORD_REFUSED|HANDSHAKE_FAILED/) })
      expect(ratchet.destroyed).toBe(true)
      return false
    }
  }
  return { ratchet, opener, comes }
}

const confirmed = () => {
  const side = begun()
  expect(side.comes(CONFIRM, 0)).toBe(true)
  return side
}

describe('before the first record', () => {
  test.each([
    [CONFIRM, 0, true],
    [CONFIRM, 1, false],
    [DATA, 0, false],
    [REKEY, 1, false],
    [END, 0, false],
  ])('type %i, %i bytes: %s', (type, bytes, accepted) => expect(begun().comes(type, bytes)).toBe(accepted))
})

describe('afterwards', () => {
  test.each([
    [CONFIRM, 0, false],
    [DATA, 0, true],
    [DATA, 1, true],
    [REKEY, 0, false],
    [REKEY, 1, true],
    [REKEY, 2, false],
    [END, 0, true],
    [END, 1, false],
    [4, 0, false],
    [4, 1, false],
  ])('type %i, %i bytes: %s', (type, bytes, accepted) =>
    expect(confirmed().comes(type, bytes)).toBe(accepted),
  )
})

describe('a key opens 2^20 records, and one more that has no data', () => {
  const at = (number: number) => {
    const side = confirmed()
    side.ratchet.number = number
    return side
  }
  test('data', () => {
    expect(at(RECORDS - 1).comes(DATA, 5)).toBe(true)
    expect(at(RECORDS).comes(DATA, 5)).toBe(false)
    expect(at(RECORDS).comes(DATA, 0)).toBe(false)
  })
  test.each([
    ['a rekeying', REKEY, 1],
    ['the end', END, 0],
  ])('%s', (_, type, bytes) => {
    expect(at(RECORDS).comes(type, bytes)).toBe(true)
    expect(at(RECORDS + 1).comes(type, bytes)).toBe(false)
  })
})

test('a key opens 2^30 bytes of data, and the next key as many', () => {
  const { comes } = confirmed()
  for (let epoch = 0; epoch < 2; epoch++) {
    for (let i = 0; i < 1024; i++) if (!comes(DATA, MIB)) throw new Error(`${i} MiB were too many`)
    expect(comes(REKEY, 1)).toBe(true)
  }
  for (let i = 0; i < 1023; i++) comes(DATA, MIB)
  expect(comes(DATA, MIB - 1)).toBe(true)
  expect(comes(DATA, 1)).toBe(true)
  expect(comes(DATA, 1)).toBe(false)
})

describe("KeibiDrop's wire", () => {
  const SECRET = Buffer.alloc(32, 0x5e)
  const NONE = Buffer.alloc(0)
  const key = Buffer.from(hkdfSync('sha512', SECRET, NONE, 'KeibiDrop-AES-256-GCM-SEK', 32))

  /** A record as an original peer writes it, with the counter in its nonce. */
  function recordOf(counter: bigint, data: Uint8Array): Buffer {
    const nonce = Buffer.from('OUTB00000000')
    nonce.writeBigUInt64BE(counter, 4)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(nonce.length + data.length + 16)
    return Buffer.concat([length, nonce, cipher.update(data), cipher.final(), cipher.getAuthTag()])
  }
  const reader = () => {
    const options = {
      secret: SECRET,
      role: 'responder',
      compat: 'keibidrop',
      ciphers: ['aes-256-gcm'],
    } as const
    return new Handshake(options).finish(NONE).reader
  }

  test('a counter passes 2^32', () => {
    const side = reader()
    for (const counter of [0x5_ffff_fffen, 0x5_ffff_ffffn, 0x6_0000_0000n, 0x6_0000_0001n])
      expect(side.open(recordOf(counter, Buffer.from('text'))).join()).toBe('text')
    expect(() => side.open(recordOf(0x6_0000_0001n, NONE))).toThrow('a record was refused')
  })

  test('the last counter is the end of a key', () => {
    const side = reader()
    side.open(recordOf(2n ** 64n - 1n, NONE))
    expect(() => side.open(recordOf(0n, NONE))).toThrow('this key has reached its limit of bytes or records')
    // The limit is that of the key, not of the reader.
    side.rekey(SECRET)
    expect(side.open(recordOf(1n, NONE))).toEqual([NONE])
  })

  test('a key opens 2^30 bytes', () => {
    const side = reader()
    const piece = Buffer.alloc(2 ** 24)
    for (let i = 0n; i < 63n; i++) side.open(recordOf(i, piece))
    expect(side.open(recordOf(63n, piece))).toHaveLength(1)
    expect(side.open(recordOf(64n, NONE))).toEqual([NONE])
    expect(() => side.open(recordOf(65n, Buffer.alloc(1)))).toThrow(
      'this key has reached its limit of bytes or records',
    )
  })
})
