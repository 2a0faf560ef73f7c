// The order of keys: rotate and needsRotation go to newer keys alone, also in a process that has the keyset of before a promotion.
import { AesGcm } from 'hardware-aes-gcm'
import { type KeyEntry, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random, refuses } from '../../tools/support.js'

const random = new Random('the order of keys')
const [A, B, C] = [random.bytes(32), random.bytes(32), random.bytes(32)]
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
const idsOf = (keyring: Keyring) => keyring.keys.map(({ id }) => id)
const primaryOf = (keyring: Keyring) => keyring.keys.find(({ primary }) => primary)?.id

/** A process that still has the older primary key, and one that has the new one. */
const PROCESSES: [string, Keyring, Keyring][] = (() => {
  const all = Keyring.generate()
  const id = all.add({ key: AesGcm.generateKey() })
  const stale = Keyring.parse(all.export())
  all.promote(id)
  const [old, recent]: KeyEntry[] = [
    { id: 100, key: A },
    { id: 200, key: B },
  ] as const
  const crunchy = [recent, old].map(entry => ({ ...entry, prefix: 'crunchy' as const })) as KeyEntry[]
  return [
    ['a keyset', stale, all],
    ['a line', Keyring.parse(`100:${hex(A)},200:${hex(B)}`), Keyring.parse(`200:${hex(B)},100:${hex(A)}`)],
    [
      'entries',
      new Keyring([recent, old] as KeyEntry[], { primary: 100 }),
      new Keyring([recent, old] as KeyEntry[]),
    ],
    ['old prefixes', new Keyring(crunchy, { primary: 100 }), new Keyring(crunchy)],
  ]
})()

describe.each(PROCESSES)(
  'a process with an older primary key takes no value back to it: %s',
  (_, stale, fresh) => {
    const text = fresh.sealText('x', 'aad')
    const value = fresh.seal(Buffer.from('x'), 'aad')
    const before = stale.sealText('x', 'aad')

    test('what the newer key has sealed stays, unopened', () => {
      expect(stale.openText(text, 'aad')).toBe('x')
      expect([stale.needsRotation(text), stale.needsRotation(value)]).toEqual([false, false])
      expect(stale.rotate(text, 'aad')).toBe(text)
      expect(stale.rotate(value, 'aad')).toBe(value)
      const forged = `${text.slice(0, -1)}${text.endsWith('A') ? 'Q' : 'A'}`
      expect(stale.rotate(forged, 'aad')).toBe(forged)
    })

    test('what the older key has sealed goes to the newer one', () => {
      expect([stale.needsRotation(before), fresh.needsRotation(before)]).toEqual([false, true])
      const renewed = fresh.rotate(before, 'aad')
      expect(fresh.keyIdOf(renewed)).toBe(primaryOf(fresh))
      expect(stale.openText(renewed, 'aad')).toBe('x')
    })

    test('a planned way back: with the option `back`', () => {
      for (const sealed of [text, value]) {
        expect(stale.needsRotation(sealed, { back: true })).toBe(true)
        for (const options of [{ back: false }, { back: undefined }, {}])
          expect(stale.needsRotation(sealed, options)).toBe(false)
        expect(stale.rotate(sealed, 'aad', { fallback: [] })).toBe(sealed)
        const returned = stale.rotate(sealed, 'aad', { back: true })
        expect(stale.keyIdOf(returned)).toBe(primaryOf(stale))
        expect(stale.rotate(returned, 'aad', { back: true })).toBe(returned)
      }
      expect(stale.openText(stale.rotate(text, 'aad', { back: true }), 'aad')).toBe('x')
      refuses(() => stale.rotate(text, 'other', { back: true }), 'ERR_AESGCM_AUTHENTICATION_FAILED')
    })

    test('export and parse keep the order', () => {
      expect(idsOf(stale)).toEqual(idsOf(fresh))
      for (const one of [stale, fresh]) {
        const again = Keyring.parse(one.export())
        expect([idsOf(again), again.needsRotation(text), again.needsRotation(before)]).toEqual([
          idsOf(one),
          false,
          one === fresh,
        ])
      }
    })
  },
)

test('the keys of a line are in the order of their ids, whichever seals', () => {
  const keyring = Keyring.parse(`200:${hex(B)},300:${hex(C)},100:${hex(A)}`)
  expect([idsOf(keyring), primaryOf(keyring)]).toEqual([[100, 200, 300], 200])
  const by = (id: number) => {
    const other = Keyring.parse(keyring.export())
    other.promote(id)
    return keyring.needsRotation(other.sealText('x'))
  }
  expect([by(100), by(200), by(300)]).toEqual([true, false, false])
})

test('entries are given from the newest to the oldest, and keys are told from the oldest', () => {
  const keyring = new Keyring([
    { id: 300, key: C },
    { id: 200, key: B },
    { id: 100, key: A },
  ])
  expect([idsOf(keyring), primaryOf(keyring)]).toEqual([[100, 200, 300], 300])
  const id = keyring.add({ key: random.bytes(32) })
  expect(idsOf(keyring)).toEqual([100, 200, 300, id])
  keyring.delete(200)
  keyring.delete(id)
  const last = keyring.add({ key: random.bytes(32) })
  expect(idsOf(keyring)).toEqual([100, 300, last])
  keyring.delete(100)
  expect(idsOf(keyring)).toEqual([300, last])
  expect(Keyring.parse(keyring.export()).keys).toHaveLength(2)
})

test('a key that leaked is left for another that is added, without `back`', () => {
  const keyring = new Keyring([
    { id: 200, key: B },
    { id: 100, key: A },
  ])
  const leaked = keyring.sealText('x')
  const id = keyring.add({ key: C })
  keyring.promote(id)
  expect(keyring.keyIdOf(keyring.rotate(leaked))).toBe(id)
})

test('a value of a newer key that is disabled needs rotation, and does not open', () => {
  const keyring = new Keyring([
    { id: 200, key: B },
    { id: 100, key: A },
  ])
  const text = keyring.sealText('x')
  keyring.promote(100)
  keyring.disable(200)
  expect(keyring.needsRotation(text)).toBe(true)
  refuses(() => keyring.rotate(text), 'ERR_AESGCM_UNKNOWN_KEY')
})

test('a value of a newer key stays under a primary key without a prefix; values without one are sealed anew', () => {
  const keyring = new Keyring([
    { id: 200, key: B },
    { key: A, prefix: 'raw' },
  ])
  const text = keyring.sealText('x')
  keyring.promote(idsOf(keyring)[0] as number)
  expect([keyring.needsRotation(text), keyring.rotate(text)]).toEqual([false, text])
  expect(keyring.needsRotation(text, { back: true })).toBe(true)
  const raw = keyring.sealText('x')
  expect([keyring.needsRotation(raw), keyring.rotate(raw) === raw]).toEqual([true, false])
})

test('the options of needsRotation and rotate', () => {
  const keyring = Keyring.generate()
  const text = keyring.sealText('x')
  for (const back of [null, 1, 'true', {}]) {
    const said = /^"options.back" must be a boolean, got /
    expect(
      refuses(() => keyring.needsRotation(text, { back } as never), 'ERR_INVALID_ARG_TYPE').message,
    ).toMatch(said)
    expect(
      refuses(() => keyring.rotate(text, null, { back } as never), 'ERR_INVALID_ARG_TYPE').message,
    ).toMatch(said)
  }
  refuses(() => keyring.needsRotation(text, { fallback: [] } as never), 'ERR_INVALID_ARG_VALUE')
  refuses(() => keyring.needsRotation(text, null as never), 'ERR_INVALID_ARG_TYPE')
  refuses(() => keyring.openText(text, null, { back: true } as never), 'ERR_INVALID_ARG_VALUE')
  const fallback = { tryOpen: () => 'old' }
  expect(keyring.openText(keyring.rotate('text', null, { back: true, fallback }))).toBe('old')
})
