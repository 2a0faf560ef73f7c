// What a keyring counts: values opened under each key, refused and rotated ones, against a plain model.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { expect, test } from 'vitest'
import { Random } from '../../tools/support.js'

const key = (id: number) => ({ id, key: Buffer.alloc(32, id) })
const openedBy = (keyring: Keyring) =>
  Object.fromEntries(keyring.keys.map(({ id, messagesDecrypted }) => [id, messagesDecrypted]))

test('a new keyring has counted nothing, and a destroyed one does not tell', () => {
  const keyring = Keyring.generate()
  expect(keyring.counts).toEqual({ failedDecryptions: 0, unknownKeys: 0, rotated: 0 })
  expect(Object.isFrozen(keyring.counts)).toBe(true)
  keyring.destroy()
  expect(() => keyring.counts).toThrow(expect.objectContaining({ code: 'ERR_AESGCM_DESTROYED' }))
})

test('every call counts once, at the key that opened', () => {
  const random = new Random('counts')
  const keyring = new Keyring([key(80), key(48), { ...key(16), prefix: 'raw' }])
  const stranger = new Keyring([key(112)])
  const rings = { 80: keyring, 48: new Keyring([key(48)]), 16: new Keyring([{ ...key(16), prefix: 'raw' }]) }
  const opened: Record<16 | 48 | 80, number> = { 16: 0, 48: 0, 80: 0 }
  const counts = { failedDecryptions: 0, unknownKeys: 0, rotated: 0 }
  const withoutRaw = new Keyring([key(80)])
  const attempt = (call: () => unknown) => {
    try {
      call()
    } catch {
      // Counted all the same.
    }
  }
  for (let i = 0; i < 400; i++) {
    const id = random.pick([16, 48, 80] as const)
    const ring = rings[id]
    const bytes = ring.seal(Buffer.from('x'), 'aad')
    const token = ring.sealJwe('x', { typ: 'x' })
    const flipped = Buffer.from(bytes)
    flipped[flipped.length - 1] = (flipped.at(-1) as number) ^ 1
    const cases: [() => unknown, () => void][] = [
      [() => keyring.open(bytes, 'aad'), () => opened[id]++],
      [() => keyring.tryOpen(bytes, 'aad'), () => opened[id]++],
      [() => keyring.openText(ring.sealText('x', 'aad'), 'aad'), () => opened[id]++],
      [() => keyring.tryOpenText(ring.sealText('x', 'aad'), 'aad'), () => opened[id]++],
      [() => keyring.openJwe(token, { typ: 'x' }), () => opened[id]++],
      [() => keyring.tryOpenJwe(token, { typ: 'x' }), () => opened[id]++],
      [() => keyring.open(flipped, 'aad'), () => counts.failedDecryptions++],
      [() => keyring.tryOpen(flipped, 'aad'), () => counts.failedDecryptions++],
      [() => keyring.openText('not sealed'), () => counts.failedDecryptions++],
      [() => keyring.tryOpenText(ring.sealText('x'), 'aad'), () => counts.failedDecryptions++],
      [() => keyring.openJwe(token), () => counts.failedDecryptions++],
      [() => keyring.tryOpenJwe('a.b.c.d.e'), () => counts.failedDecryptions++],
      [() => keyring.openText('x', null, { fallback: { tryOpen: () => 'x' } }), () => {}],
      [() => keyring.openText(7 as never), () => {}],
      [() => keyring.needsRotation(bytes), () => {}],
      [
        () => keyring.rotate(bytes, 'aad'),
        () => {
          if (id === 80) return
          opened[id]++
          counts.rotated++
        },
      ],
    ]
    const [call, count] = random.pick(cases)
    attempt(call)
    count()
    expect([openedBy(keyring), keyring.counts]).toEqual([opened, counts])
  }
  for (const call of [
    () => withoutRaw.open(stranger.seal(Buffer.from('x'))),
    () => withoutRaw.tryOpenText(stranger.sealText('x')),
    () => withoutRaw.tryOpenJwe(stranger.sealJwe('x')),
    () => withoutRaw.openJwe(stranger.sealJwe('x')),
  ])
    attempt(call)
  expect(withoutRaw.counts).toEqual({ failedDecryptions: 0, unknownKeys: 4, rotated: 0 })
})

// Ids that agree in the ten bits by which a text finds the primary key, and others. All keys have the same bytes, so any of them could
// open a text that names another.
test('a text opens with the key that it names, however alike the ids are', () => {
  const random = new Random('alike ids')
  const ids = [1, 1025, 2 ** 31 + 1, 2, 0xdeadbeef]
  const entry = (id: number) => ({ id, key: Buffer.alloc(32, 7) })
  const tableOf = (keyring: Keyring) =>
    encryptedColumns('users', { keyring, rowKey: 'id', columns: { name: 'text', photo: 'bytes' } } as never)
  const sealed = ids.map(id => {
    const ring = new Keyring([entry(id)])
    const row = tableOf(ring).seal({ id: 3, name: 'x', photo: Buffer.from('x') } as never) as never as object
    return { id, text: ring.sealText('x', 'aad'), row }
  })
  const keyring = new Keyring([entry(1)])
  const opened: Record<number, number> = { 1: 0 }
  const enabled = new Set([1])
  let primary = 1
  const counts = { failedDecryptions: 0, unknownKeys: 0, rotated: 0 }
  const change = (id: number) => {
    if (!(id in opened)) {
      keyring.add(entry(id))
      opened[id] = 0
      enabled.add(id)
    } else if (!enabled.has(id)) {
      keyring.enable(id)
      enabled.add(id)
    } else if (id === primary) {
      keyring.replace(Keyring.parse(keyring.export()))
    } else {
      const kind = random.below(3)
      if (kind === 0) primary = id
      else enabled.delete(id)
      if (kind === 2) delete opened[id]
      const change = [keyring.promote, keyring.disable, keyring.delete][kind] as (id: number) => void
      change.call(keyring, id)
    }
  }
  const kinds = { opened: 0, unknown: 0 }
  for (let i = 0; i < 600; i++) {
    change(random.pick(ids))
    const { id, text, row } = random.pick(sealed)
    const isOpened = enabled.has(id)
    expect(keyring.tryOpenText(text, 'aad')).toBe(isOpened ? 'x' : null)
    expect(keyring.tryOpenText(text, 'other')).toBe(null)
    expect(keyring.tryOpenText(`${text}=`, Buffer.from('aad'))).toBe(null)
    if (isOpened) {
      expect(tableOf(keyring).open(row as never)).toEqual({ id: 3, name: 'x', photo: Buffer.from('x') })
      opened[id] = (opened[id] as number) + 3
      counts.failedDecryptions += 2
      kinds.opened++
    } else {
      expect(() => tableOf(keyring).open(row as never)).toThrow(expect.objectContaining({ keyId: id }))
      counts.unknownKeys += 4
      kinds.unknown++
    }
    expect([openedBy(keyring), keyring.counts]).toEqual([opened, counts])
  }
  for (const number of Object.values(kinds)) expect(number).toBeGreaterThan(50)
})

test('columns count by the keyring, and a value of an older format is no forgery', () => {
  const keyring = new Keyring([key(80)])
  const fallback = { tryOpen: (text: string) => (text.startsWith('old:') ? text.slice(4) : null) }
  const users = encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    columns: { email: { type: 'text', fallback } },
  } as never) as never as {
    seal(row: object): { id: number; email: string }
    open(row: object): { email: string }
  }
  const row = users.seal({ id: 1, email: 'ada@example.org' })
  expect(users.open(row).email).toBe('ada@example.org')
  expect(users.open({ id: 1, email: 'old:ada' }).email).toBe('ada')
  expect(() => users.open({ ...row, id: 2 })).toThrow()
  expect([openedBy(keyring), keyring.counts]).toEqual([
    { 80: 1 },
    { failedDecryptions: 1, unknownKeys: 0, rotated: 0 },
  ])
})
