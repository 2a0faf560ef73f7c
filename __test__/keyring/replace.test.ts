// Keyring.replace: a newer keyset in place, and the refusal of an older one.
import { Worker } from 'node:worker_threads'
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { type KeyEntry, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random, thrown } from '../tools/support.js'
import { Model } from './replace-model.js'

const random = new Random('newer keysets')
const OLDER = { code: 'ERR_AESGCM_OLDER_KEYSET' }
const INVALID = { code: 'ERR_AESGCM_INVALID_KEYSET' }
const fails = (call: () => unknown, error: object) => expect(thrown(call)).toMatchObject(error)
const bytesOf = (id: number, others = 0) => Buffer.alloc(32, id % 251).fill(others, 0, 1)
/** A keyring of these keys, from the oldest to the newest; a negative id is that of a disabled key. */
function ringOf(ids: readonly number[], primary: number): Keyring {
  const entries: KeyEntry[] = ids.map(id => ({
    id: Math.abs(id),
    key: bytesOf(Math.abs(id)),
    status: id < 0 ? 'disabled' : 'enabled',
  }))
  return new Keyring(entries.reverse(), { primary })
}
const shapeOf = (keyring: Keyring) => keyring.keys.map(({ id, status }) => (status === 'enabled' ? id : -id))
const primaryOf = (keyring: Keyring) => keyring.keys.find(({ primary }) => primary)?.id

describe('a newer keyset', () => {
  test.each([
    ['a key is added', [10, 20, 30], 20],
    ['a newer key is promoted', [10, 20, 25], 25],
    ['an older key is deleted', [20], 20],
    ['a key is disabled', [-10, 20], 20],
    ["today's key is disabled", [10, -20, 30], 30],
    ['all at once', [-20, 30, 40], 40],
    ['only statuses of others', [-10, 20, -30], 20],
  ])('is taken: %s', (_, ids, primary) => {
    const keyring = ringOf([10, 20], 20)
    const newer = ringOf(ids, primary)
    expect(keyring.replace(newer)).toBe(true)
    expect([shapeOf(keyring), primaryOf(keyring)]).toEqual([ids, primary])
    expect(newer.destroyed).toBe(true)
    expect(keyring.keyIdOf(keyring.sealText('x'))).toBe(primary)
  })

  test('the same one is taken, and is no change', () => {
    const keyring = ringOf([10, -15, 20], 20)
    const newer = ringOf([10, -15, 20], 20)
    expect([keyring.replace(newer), keyring.replace(keyring), newer.destroyed]).toEqual([false, false, true])
    expect(keyring.destroyed).toBe(false)
  })

  test('values of before open, and those of a deleted key do not', () => {
    const keyring = ringOf([10, 20], 20)
    const old = ringOf([10], 10).sealText('old')
    const values = [keyring.sealText('x', 'aad'), keyring.seal(Buffer.from('x'), 'aad')] as const
    keyring.replace(ringOf([20, 30], 30))
    expect(keyring.openText(values[0], 'aad')).toBe('x')
    expect(keyring.open(values[1], 'aad').toString()).toBe('x')
    expect(keyring.needsRotation(values[0])).toBe(true)
    expect(keyring.keyIdOf(keyring.rotate(values[0], 'aad'))).toBe(30)
    fails(() => keyring.openText(old), { code: 'ERR_AESGCM_UNKNOWN_KEY', keyId: 10 })
  })

  test('a key keeps its counts and its limit', () => {
    const keyring = new Keyring([{ id: 10, key: bytesOf(10) }], { maxMessages: 3 })
    const value = keyring.sealText('x')
    keyring.openText(value)
    keyring.replace(ringOf([10, 20], 10))
    keyring.sealText('x')
    expect(keyring.keys[0]).toMatchObject({ messagesEncrypted: 2, messagesDecrypted: 1 })
    keyring.sealText('x')
    fails(() => keyring.sealText('x'), { code: 'ERR_AESGCM_KEY_EXHAUSTED' })
  })

  test('columns see it without doing anything', () => {
    const keyring = ringOf([10], 10)
    const users = encryptedColumns('users', {
      keyring,
      rowKey: 'id',
      indexKey: Buffer.alloc(32, 9),
      columns: { email: { type: 'text', index: 'email_index' } },
    } as never) as never as {
      seal(row: object): Record<string, string>
      open(row: object): Record<string, string>
    }
    const before = users.seal({ id: 1, email: 'ada@example.org' })
    keyring.replace(ringOf([10, 20], 20))
    const after = users.seal({ id: 1, email: 'ada@example.org' })
    expect([before, after].map(({ email }) => keyring.keyIdOf(email as string))).toEqual([10, 20])
    expect([before, after].map(row => users.open(row).email)).toEqual(['ada@example.org', 'ada@example.org'])
    const index = Object.keys(before).find(name => !['id', 'email'].includes(name)) as string
    expect(after[index]).toBe(before[index])
  })

  test('keys of every type and prefix, and keys kept for export', () => {
    const all = new Keyring([
      { id: 3, key: bytesOf(3), prefix: 'raw' },
      { id: 2, key: bytesOf(2), type: 'XAES-256-GCM' },
      { id: 1, key: Buffer.alloc(16, 1), type: 'AES-128-GCM-SIV', prefix: 'crunchy' },
    ])
    const text = all
      .export()
      .replace('"key":[', '"key":[{"status":"DESTROYED","keyId":7,"outputPrefixType":"TINK"},')
    const keyring = Keyring.parse(text)
    const next = Keyring.parse(text)
    next.promote(next.add({ id: 99, key: bytesOf(99) }))
    const frame = all.seal(Buffer.from('raw'))
    expect(keyring.replace(Keyring.parse(next.export()))).toBe(true)
    expect(keyring.export()).toBe(next.export())
    expect(keyring.open(frame).toString()).toBe('raw')
  })

  test('a reader of a fallback may replace the keys meanwhile', () => {
    const keyring = ringOf([10], 10)
    const fallback = { tryOpen: () => (keyring.replace(ringOf([10, 20], 20)) ? 'x' : null) }
    expect(keyring.keyIdOf(keyring.rotate('of another format', null, { fallback }))).toBe(20)
  })

  test('a getter of an added key may replace the keys meanwhile', () => {
    const keyring = ringOf([10], 10)
    const entry = {
      id: 30,
      get key() {
        keyring.replace(ringOf([10, 20], 20))
        return bytesOf(30)
      },
    }
    keyring.add(entry)
    expect(shapeOf(keyring)).toEqual([10, 20, 30])
  })
})

describe('an older keyset is refused, and changes nothing', () => {
  test.each([
    ["it lacks today's key", [10, 30], 30],
    ['it lacks a newer key', [10, 20], 20],
    ['it goes back to an older key', [10, 20, 30], 10],
    ['it has a key in front that is gone', [5, 10, 20, 30], 20],
    ['it has a key in between', [10, 15, 20, 30], 20],
    ['its order is another', [20, 10, 30], 20],
    ['its order is another, and it is promoted', [10, 30, 20], 20],
  ])('%s', (_, ids, primary) => {
    const keyring = ringOf([10, 20, 30], 20)
    const text = keyring.export()
    const older = ringOf(ids, primary)
    fails(() => keyring.replace(older), OLDER)
    expect([keyring.export(), older.destroyed]).toEqual([text, false])
    expect(keyring.replace(older, { back: true })).toBe(true)
    expect([shapeOf(keyring), primaryOf(keyring)]).toEqual([ids, primary])
  })

  test("a keyset that destroyed today's key", () => {
    const keyring = ringOf([10], 10)
    const newer = ringOf([20], 20).export()
    const text = newer.replace(
      '"key":[',
      '"key":[{"status":"DESTROYED","keyId":10,"outputPrefixType":"TINK"},',
    )
    fails(() => keyring.replace(Keyring.parse(text)), OLDER)
  })

  const destroyed = (keyring: Keyring, id: number) => {
    const keyset = JSON.parse(keyring.export())
    for (const key of keyset.key) {
      if (key.keyId !== id) continue
      key.status = 'DESTROYED'
      delete key.keyData
    }
    return Keyring.parse(JSON.stringify(keyset))
  }

  test('a keyset that destroyed a newer key', () => {
    const keyring = ringOf([10, 20], 10)
    const error = thrown(() => keyring.replace(destroyed(keyring, 20))) as Error
    expect(error).toMatchObject(OLDER)
    expect(error.message).toContain('lacks the key 20, which is newer')
    expect(shapeOf(keyring)).toEqual([10, 20])
    expect(keyring.replace(destroyed(keyring, 20), { back: true })).toBe(true)
  })

  test('a keyset that brings a destroyed key back, whether it is older or newer', () => {
    for (const ids of [
      [10, 20],
      [10, -20],
    ]) {
      for (const primary of [10, 30]) {
        const whole = () => ringOf([...ids, 30], primary)
        const keyring = destroyed(whole(), 20)
        const error = thrown(() => keyring.replace(whole())) as Error
        expect(error).toMatchObject(OLDER)
        expect(error.message).toContain('brings back the key 20, which was destroyed')
        expect(keyring.keys[1]?.status).toBe('destroyed')
        expect(keyring.replace(whole(), { back: true })).toBe(true)
      }
    }
  })

  test('but an older key may be destroyed, a destroyed one deleted, and one of another type stay', () => {
    const keyring = ringOf([10, 20, 30], 20)
    const next = destroyed(keyring, 10)
    expect(keyring.replace(next)).toBe(true)
    expect(keyring.replace(destroyed(keyring, 10))).toBe(false)
    expect(keyring.replace(ringOf([20, 30], 20))).toBe(true)
    const keyset = JSON.parse(keyring.export())
    const typeUrl = 'type.googleapis.com/google.crypto.tink.AesSivKey'
    const keyData = { typeUrl, value: 'AAAA', keyMaterialType: 'SYMMETRIC' }
    keyset.key.push({ keyData, status: 'DISABLED', keyId: 40, outputPrefixType: 'TINK' })
    const other = Keyring.parse(JSON.stringify(keyset))
    expect([1, 2].map(() => other.replace(Keyring.parse(JSON.stringify(keyset))))).toEqual([false, false])
    fails(() => other.replace(destroyed(other, 40)), OLDER)
    expect(other.keys[2]?.status).toBe('disabled')
  })

  test('a getter of the options that destroys the keyring', () => {
    const keyring = ringOf([10], 10)
    const newer = ringOf([10, 20], 20)
    const options = {
      get back() {
        keyring.destroy()
        return true
      },
    }
    fails(() => keyring.replace(newer, options), { code: 'ERR_AESGCM_DESTROYED' })
    expect(newer.destroyed).toBe(false)
    expect(newer.openText(newer.sealText('x'))).toBe('x')
  })

  test.each([
    ['bytes', { id: 20, key: bytesOf(20, 1) }],
    ['a type', { id: 20, key: bytesOf(20), type: 'XAES-256-GCM' }],
    ['a prefix', { id: 20, key: bytesOf(20), prefix: 'crunchy' }],
  ] as [string, KeyEntry][])('an id with other %s, even going back', (_, entry) => {
    const keyring = ringOf([20, 30], 30)
    const newer = new Keyring([{ id: 30, key: bytesOf(30) }, entry])
    for (const options of [undefined, { back: true }]) {
      const error = thrown(() => keyring.replace(newer, options)) as Error
      expect(error).toMatchObject(INVALID)
      expect(error.message).toContain('under the id 20')
    }
    expect([shapeOf(keyring), newer.destroyed]).toEqual([[20, 30], false])
  })

  test('wrong arguments', () => {
    const keyring = ringOf([10], 10)
    for (const wrong of [undefined, null, 1, '{}', {}, [], keyring.export(), new Proxy(keyring, {})])
      fails(() => keyring.replace(wrong as never), {
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
      })
    const gone = ringOf([10, 20], 20)
    gone.destroy()
    fails(() => keyring.replace(gone), { code: 'ERR_AESGCM_DESTROYED' })
    fails(() => gone.replace(keyring), { code: 'ERR_AESGCM_DESTROYED' })
    fails(() => keyring.replace(ringOf([10], 10), { bakc: true } as never), {
      code: 'ERR_INVALID_ARG_VALUE',
    })
    fails(() => keyring.replace(ringOf([10], 10), { back: 1 } as never), {
      code: 'ERR_INVALID_ARG_TYPE',
    })
    fails(() => Keyring.prototype.replace.call({} as never, keyring), { code: 'ERR_INVALID_THIS' })
    expect(shapeOf(keyring)).toEqual([10])
  })
})

test('random sequences of keysets, as a plain model has them', () => {
  for (let run = 0; run < 12; run++) {
    const model = new Model(random)
    const keyring = model.keyring(model.today)
    const values = new Map<number, string>()
    for (let step = 0; step < 25; step++) {
      const next = model.next()
      const newer = model.keyring(next)
      const back = random.below(8) === 0
      const verdict = back && !model.hasOthers(next) ? 'newer' : model.verdict(next)
      let code: unknown
      try {
        keyring.replace(newer, { back })
      } catch (error) {
        code = (error as { code?: unknown }).code
      }
      expect([code, JSON.stringify([model.today, next])]).toEqual([
        { newer: undefined, older: OLDER.code, other: INVALID.code }[verdict],
        JSON.stringify([model.today, next]),
      ])
      expect(newer.destroyed).toBe(code === undefined)
      newer.destroy()
      if (code === undefined) {
        model.today = next
        for (const id of values.keys()) if (!next.keys.some(key => key.id === id)) values.delete(id)
      }
      const { keys, primary } = model.today
      expect(primaryOf(keyring)).toBe(primary)
      values.set(primary, keyring.sealText(`of ${primary}`, 'aad'))
      for (const [id, value] of values) {
        const isEnabled = keys.some(key => key.id === id && key.status === 'enabled')
        expect(keyring.tryOpenText(value, 'aad')).toBe(isEnabled ? `of ${id}` : null)
      }
    }
    expect(Keyring.parse(keyring.export()).keys.map(({ id, status }) => ({ id, status }))).toEqual(
      model.today.keys.map(({ id, status }) => ({ id, status })),
    )
    keyring.destroy()
  }
})

test('a worker takes the keyset of a message while it works', async () => {
  const keyring = Keyring.generate()
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     import('hardware-aes-gcm/keyring').then(({ Keyring }) => {
       const keyring = Keyring.parse(workerData)
       parentPort.on('message', ({ keyset, value }) => {
         if (keyset) keyring.replace(Keyring.parse(keyset))
         parentPort.postMessage([keyring.openText(value), keyring.sealText('from the worker')])
       })
     })`,
    { eval: true, workerData: keyring.export() },
  )
  const ask = (message: object) =>
    new Promise<[string, string]>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
      worker.postMessage(message)
    })
  const old = keyring.sealText('from here')
  expect((await ask({ value: old }))[0]).toBe('from here')
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  expect((await ask({ keyset: keyring.export(), value: keyring.sealText('newer') }))[0]).toBe('newer')
  const [opened, sealed] = await ask({ value: old })
  expect([opened, keyring.keyIdOf(sealed)]).toEqual(['from here', primaryOf(keyring)])
  await worker.terminate()
})
