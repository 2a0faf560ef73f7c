// Keyring.replace refuses an older keyset, another key under a known id, and wrong arguments, and changes nothing.
import { type KeyEntry, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { thrown } from '../../tools/support.js'
import { bytesOf, primaryOf, ringOf, shapeOf } from './replace-rings.js'

const OLDER = { code: 'ERR_AESGCM_OLDER_KEYSET' }
const INVALID = { code: 'ERR_AESGCM_INVALID_KEYSET' }
const fails = (call: () => unknown, error: object) => expect(thrown(call)).toMatchObject(error)

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
      fails(() => keyring.replace(wrong as never), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' })
    const gone = ringOf([10, 20], 20)
    gone.destroy()
    fails(() => keyring.replace(gone), { code: 'ERR_AESGCM_DESTROYED' })
    fails(() => gone.replace(keyring), { code: 'ERR_AESGCM_DESTROYED' })
    fails(() => keyring.replace(ringOf([10], 10), { bakc: true } as never), { code: 'ERR_INVALID_ARG_VALUE' })
    fails(() => keyring.replace(ringOf([10], 10), { back: 1 } as never), { code: 'ERR_INVALID_ARG_TYPE' })
    fails(() => Keyring.prototype.replace.call({} as never, keyring), { code: 'ERR_INVALID_THIS' })
    expect(shapeOf(keyring)).toEqual([10])
  })
})
