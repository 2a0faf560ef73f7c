// openAll takes shorter ways than open: each row must open as it does alone, or fail as it does alone.
import { AuthenticationError } from 'hardware-aes-gcm'
import { encryptedColumns, NotSealedError } from 'hardware-aes-gcm/columns'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { isOwn, must, Random, thrown } from '../../tools/support.js'

const random = new Random('many rows')
const keyring = Keyring.generate()
const numbers = encryptedColumns('n', { keyring, rowKey: 'id', columns: { number: 'number' } })

type Said = [string, unknown, unknown, string]
const said = (call: () => unknown): Said => {
  const { name, code, column, message } = thrown(call) as Error & { code: unknown; column: unknown }
  return [name, code, column, message.replace(/rows\[\d+\]/, 'row')]
}

test('numbers are what JSON.parse makes of them, or refused', () => {
  const digit = () => random.pick([...'0123456789'])
  const digits = (most: number) => Array.from({ length: random.below(most) }, digit).join('')
  const texts = [
    ...'0 -0 -0.0 0.0 00 01 -01 1. .5 - -.5 . 1..2 1.2.3 +1 1e5 1E-5 1e400 -1e400 5e-324 0x10'.split(' '),
    ...'NaN null "7" [7] 7,8 1,5 1_0 1-2 ٣ 0.1 0.3 9007199254740993 999999999999999'.split(' '),
    ...'9999999999999999 123456789012345.6 0.000000000000001 0.0000000000000001 -99999999999999.9'.split(' '),
    ...['', ' 1 ', '1'.repeat(400), '0.'.padEnd(40, '3')],
    ...Array.from({ length: 400 }, () => {
      const text = `${random.pick(['', '', '-'])}${digits(12)}${random.pick(['', '.'])}${digits(12)}`
      return `${text}${random.pick(['', '', '', 'e', 'e7', ' ', '.'])}`
    }),
    ...Array.from({ length: 400 }, () => String(random.below(2 ** 48) / 10 ** random.below(20))),
  ]
  for (const [id, text] of texts.entries()) {
    let wanted: unknown
    try {
      wanted = JSON.parse(text)
    } catch {}
    const row = { id, number: keyring.sealText(text, context('n', 'number', id)) }
    if (typeof wanted === 'number' && Number.isFinite(wanted)) {
      must(Object.is(numbers.open(row).number, wanted), () => `${text} gave ${numbers.open(row).number}`)
    } else {
      const error = said(() => numbers.openAll([row]))
      must(error[3].includes('"row.number" is authentic, but not a number'), () => `${text}: ${error}`)
    }
  }
})

describe('bytes', () => {
  const table = encryptedColumns('t', { keyring, rowKey: 'id', columns: { bytes: 'bytes' } })

  test('have memory of their own, whatever their length', () => {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, bytes: random.bytes(random.below(100)) }))
    const opened = table.openAll(rows.map(row => table.seal(row)))
    for (const [i, { bytes }] of opened.entries()) {
      expect(bytes).toEqual(rows[i]?.bytes)
      isOwn(bytes)
    }
    const long = { id: 1, bytes: random.bytes(100_000) }
    expect(table.open(table.seal(long))).toEqual(long)
  })

  test('that are no base64url are not sealed, and count as no forgery', () => {
    const sealed = table.seal({ id: 1, bytes: random.bytes(20) }).bytes as string
    const before = keyring.counts
    // Four of the six bits of its last character are spare.
    const short = table.seal({ id: 1, bytes: random.bytes(19) }).bytes as string
    const spare = String.fromCharCode(short.charCodeAt(short.length - 1) + 1)
    const whole = table.seal({ id: 1, bytes: random.bytes(21) }).bytes as string
    const wrong = [
      ...[
        `${sealed}=`,
        `${whole}A`,
        ` ${sealed}`,
        `${sealed}\n`,
        sealed.replace(/.$/, '+'),
        `${sealed}\u0141`,
      ],
      ...[`${short.slice(0, -1)}${spare}`, 'A', 'clear text', '\ud800', `${sealed.slice(0, 20)}é`],
    ]
    for (const bytes of wrong) {
      const error = thrown(() => table.open({ id: 1, bytes })) as NotSealedError
      expect([error instanceof NotSealedError, error.column]).toEqual([true, 'bytes'])
    }
    expect(keyring.counts).toEqual(before)
  })

  test('that fail are one forgery each, for the keyring and for the key', () => {
    const ring = Keyring.generate()
    const own = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { bytes: 'bytes' } })
    const { bytes } = own.seal({ id: 1, bytes: random.bytes(20) })
    for (const id of [2, 3]) {
      const error = thrown(() => own.openAll([{ id, bytes }])) as Error & { column: unknown; index: unknown }
      expect([error.name, error.column, error.index]).toEqual(['AuthenticationError', 'bytes', 0])
    }
    own.openAll([{ id: 1, bytes }])
    expect(ring.counts).toMatchObject({ failedDecryptions: 2, unknownKeys: 0 })
    const other = Keyring.generate()
    const foreign = encryptedColumns('t', { keyring: other, rowKey: 'id', columns: { bytes: 'bytes' } })
    expect(thrown(() => foreign.open({ id: 1, bytes })).name).toBe('UnknownKeyError')
    expect(other.counts).toMatchObject({ failedDecryptions: 0, unknownKeys: 1 })
  })

  test('of a key without a prefix open', () => {
    const ring = Keyring.generate()
    ring.add({ key: random.bytes(32), prefix: 'raw' })
    const [, raw] = ring.keys
    const reading = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { bytes: 'bytes' } })
    const writer = Keyring.parse(ring.export())
    writer.promote(raw?.id as number)
    const bytes = random.bytes(20)
    const sealed = writer.seal(bytes, context('t', 'bytes', 1)).toString('base64url')
    expect(reading.open({ id: 1, bytes: sealed }).bytes).toEqual(bytes)
    expect(thrown(() => reading.open({ id: 2, bytes: sealed }))).toBeInstanceOf(AuthenticationError)
  })
})

test('a misspelt name is found in any row, whatever the names of the row before', () => {
  const good = numbers.seal({ id: 1, number: 7, other: 'x' })
  const bad = { ...good, Number: 7 }
  const long = { ...good, note: 'x' }
  for (const rows of [[bad], [good, bad], [good, good, bad, good], [long, bad], [bad, bad]]) {
    const at = rows.indexOf(bad)
    for (let i = 0; i < 2; i++) {
      const { message } = thrown(() => numbers.openAll(rows))
      expect(message).toContain(`"rows[${at}]" has 'Number', and the declared column is 'number'`)
    }
  }
  expect(numbers.openAll([good, long, good]).map(({ number }) => number)).toEqual([7, 7, 7])
})
