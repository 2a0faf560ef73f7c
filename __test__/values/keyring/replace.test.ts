// Keyring.replace: a newer keyset in place, random sequences beside a model, and workers. replace-refusals.test.ts has the refusals.
import { Worker } from 'node:worker_threads'
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random, thrown } from '../../tools/support.js'
import { Model } from './replace-model.js'
import { bytesOf, primaryOf, ringOf, shapeOf } from './replace-rings.js'

const random = new Random('newer keysets')
const OLDER = { code: 'ERR_AESGCM_OLDER_KEYSET' }
const INVALID = { code: 'ERR_AESGCM_INVALID_KEYSET' }
const fails = (call: () => unknown, error: object) => expect(thrown(call)).toMatchObject(error)
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
