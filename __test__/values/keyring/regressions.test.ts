// Faults of keyrings and of readers that were found after they were written, each with the test that found it.
import { AesGcm } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { cloakReader, layoutReader, typeormReader } from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import { eventsOf } from '../../tools/support.js'
import { CLOAK } from '../../vectors/legacy.js'

const KEY = Buffer.alloc(32, 7)
const ARGUMENT = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const RANGE = 'ERR_OUT_OF_RANGE'
const FORGED = 'ERR_AESGCM_AUTHENTICATION_FAILED'

const codeOf = (call: () => unknown): unknown => {
  try {
    call()
  } catch (error) {
    return (error as { code?: unknown }).code
  }
  return 'no error'
}
const codeOfPromise = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    error => error.code,
  )

function withPolluted(members: object, body: () => void): void {
  Object.assign(Object.prototype, members)
  try {
    body()
  } finally {
    for (const name of Object.keys(members)) delete (Object.prototype as Record<string, unknown>)[name]
  }
}

/** A revoked Proxy of this object. */
function revoked<Target extends object>(target: Target): Target {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

describe('wrap and unwrap', () => {
  const service = new AesGcm(KEY)
  const encrypt = (bytes: Uint8Array) => service.encrypt(bytes)
  const decrypt = (bytes: Uint8Array) => service.decrypt(bytes)
  const gone = () => {
    const bytes = new Uint8Array(80)
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
    return bytes
  }

  test('results that are no Buffers: a Uint8Array, shared memory, a subclass', async () => {
    class Other extends Uint8Array {}
    const inShared = (bytes: Uint8Array) => {
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
      shared.set(bytes)
      return shared
    }
    for (const change of [(bytes: Uint8Array) => new Uint8Array(bytes), Other.from.bind(Other), inShared]) {
      const keyring = Keyring.generate()
      const wrapped = await keyring.wrap(async bytes => change(encrypt(bytes)) as Uint8Array)
      const again = await Keyring.unwrap(wrapped, bytes => change(decrypt(bytes)) as Uint8Array)
      expect(again.openText(keyring.sealText('secret'))).toBe('secret')
    }
  })

  test('a function that transfers its argument: encryption succeeds', async () => {
    const keyring = Keyring.generate()
    const wrapped = await keyring.wrap(bytes => {
      const sealed = encrypt(bytes)
      structuredClone(bytes.buffer, { transfer: [bytes.buffer as ArrayBuffer] })
      return sealed
    })
    expect((await Keyring.unwrap(wrapped, decrypt)).keys).toHaveLength(1)
  })

  test('results that are empty, gone or too long are refused, since they would lose every key', async () => {
    const keyring = Keyring.generate()
    expect(await codeOfPromise(keyring.wrap(() => new Uint8Array(0)))).toBe(RANGE)
    expect(await codeOfPromise(keyring.wrap(() => new Uint8Array(3 * 2 ** 20)))).toBe(RANGE)
    expect(await codeOfPromise(keyring.wrap(gone))).toBe('ERR_AESGCM_DETACHED_BUFFER')
    const wrapped = await keyring.wrap(encrypt)
    expect(await codeOfPromise(Keyring.unwrap(wrapped, gone))).toBe('ERR_AESGCM_DETACHED_BUFFER')
  })

  test('an encrypted keyset of as many characters as can be read, and one more', async () => {
    const keyring = new Keyring([{ id: 1, key: KEY }])
    const empty = (await keyring.wrap(() => new Uint8Array(3))).length - 4
    const bytes = ((2 ** 22 - empty) / 4) * 3
    const longest = await keyring.wrap(() => new Uint8Array(bytes))
    expect(longest).toHaveLength(2 ** 22)
    const given: number[] = []
    const read = Keyring.unwrap(longest, ({ length }) => new Uint8Array(given.push(length)))
    expect(await codeOfPromise(read)).toBe('ERR_AESGCM_INVALID_KEYSET')
    expect(given).toEqual([bytes])
    expect(await codeOfPromise(keyring.wrap(() => new Uint8Array(bytes + 1)))).toBe(RANGE)
  })

  test('errors of the functions: their own, and those about their results', async () => {
    const cause = new Error('the KMS is away')
    const throws = () => {
      throw cause
    }
    const keyring = Keyring.generate()
    const wrapped = await keyring.wrap(encrypt)
    const said = (promise: Promise<unknown>): Promise<Error> =>
      promise.then(
        () => expect.unreachable(),
        error => error,
      )
    expect(await said(keyring.wrap(throws))).toBe(cause)
    expect(await said(Keyring.unwrap(wrapped, throws))).toBe(cause)
    const kind = 'must return a Uint8Array, or a promise of one, got string'
    expect((await said(keyring.wrap(() => 'x' as never))).message).toBe(`"encrypt" ${kind}`)
    expect((await said(Keyring.unwrap(wrapped, () => 'x' as never))).message).toBe(`"decrypt" ${kind}`)
    expect((await said(keyring.wrap(gone))).message).toContain('"encrypt()"')
    expect((await said(Keyring.unwrap(wrapped, gone))).message).toContain('"decrypt()"')
    const options = { primary: 7 } as never
    expect((await said(Keyring.unwrap(wrapped, decrypt, options))).message).toBe(
      '"options.primary" is only an option of the constructor: promote the key',
    )
  })

  test('a revoked Proxy of a function', async () => {
    const keyring = Keyring.generate()
    expect(await codeOfPromise(keyring.wrap(revoked(encrypt)))).toBe(ARGUMENT)
    expect(await codeOfPromise(Keyring.unwrap(await keyring.wrap(encrypt), revoked(decrypt)))).toBe(ARGUMENT)
  })

  test('the argument of encrypt is wiped, and so is the result of decrypt', async () => {
    const held: Uint8Array[] = []
    const hold = (bytes: Uint8Array) => {
      held.push(bytes)
      return bytes
    }
    const wrapped = await Keyring.generate().wrap(bytes => encrypt(hold(bytes)))
    await Keyring.unwrap(wrapped, bytes => hold(decrypt(bytes)))
    expect(held.map(bytes => bytes.length > 32 && bytes.every(byte => byte === 0))).toEqual([true, true])
  })
})

describe('readers of other formats', () => {
  test('members of Object.prototype are no members of a format', () => {
    const text = CLOAK
    const reader = cloakReader(text.key)
    const inner = () => 'INNER'
    for (const members of [{ derives: true }, { inner }, { inner: true }, { aad: inner }]) {
      withPolluted(members, () => expect(reader.tryOpen(text.sealed)).toBe(text.text))
      expect(reader.tryOpen(text.sealed)).toBe(text.text)
    }
    const key = Buffer.alloc(32, 9)
    const polluted = typeormReader({ key, algorithm: 'aes-256-gcm', ivLength: 12 })
    const zeros = new AesGcm(Buffer.alloc(32)).encrypt(Buffer.from('FORGED'))
    const swapped = Buffer.concat([zeros.subarray(0, 12), zeros.subarray(-16), zeros.subarray(12, -16)])
    withPolluted({ derives: true }, () => expect(polluted.tryOpen('')).toBeNull())
    withPolluted({ derives: true }, () => expect(polluted.tryOpen(swapped.toString('base64'))).toBeNull())
    expect(polluted.tryOpen(swapped.toString('base64'))).toBeNull()
  })

  test('a revoked Proxy as reader, in the list, or as its method', () => {
    const keyring = Keyring.generate()
    const reader = { tryOpen: () => null }
    for (const fallback of [revoked(reader), [revoked(reader)], { tryOpen: revoked(reader.tryOpen) }])
      expect(codeOf(() => keyring.openText('text', null, { fallback }))).toBe(ARGUMENT)
  })
})

describe('the event authentication-failed', () => {
  const raws = [1, 2, 3].map(fill => ({ key: Buffer.alloc(32, fill), prefix: 'raw' as const }))
  const keyring = new Keyring(raws)
  const third = new Keyring([raws[2] as (typeof raws)[0]])
  const layout = { layout: '{iv}{tag}{ct}', encoding: 'base64', ivBytes: 12 } as const
  const readers = [1, 2].map(fill => layoutReader({ key: Buffer.alloc(32, fill), ...layout }))
  const old = new AesGcm(Buffer.alloc(32, 2)).encrypt(Buffer.from('old'))
  const text = Buffer.concat([old.subarray(0, 12), old.subarray(-16), old.subarray(12, -16)]).toString(
    'base64',
  )

  test('a token that the third key opens publishes none, a forged token one', () => {
    const token = third.sealJwe('text')
    expect(eventsOf(() => expect(keyring.openJwe(token).toString()).toBe('text'))).toBe(0)
    const forged = token.replace(/.$/, last => (last === 'A' ? 'Q' : 'A'))
    expect(eventsOf(() => expect(codeOf(() => keyring.openJwe(forged))).toBe(FORGED))).toBe(1)
  })

  test('a text that the second reader opens publishes none, one that no reader opens one', () => {
    const options = { fallback: readers }
    expect(eventsOf(() => expect(keyring.openText(text, null, options)).toBe('old'))).toBe(0)
    const forged = text.replace(/^./, first => (first === 'A' ? 'B' : 'A'))
    expect(eventsOf(() => expect(keyring.tryOpenText(forged, null, options)).toBeNull())).toBe(1)
    expect(eventsOf(() => expect(codeOf(() => keyring.openText(forged, null, options))).toBe(FORGED))).toBe(1)
    expect(eventsOf(() => expect(readers[0]?.tryOpen(forged)).toBeNull())).toBe(1)
  })
})

test('a getter of an entry that adds keys does not pass the limit of keys without a prefix', () => {
  const keyring = new Keyring(Array.from({ length: 7 }, () => ({ key: KEY, prefix: 'raw' as const })))
  const entry = {
    prefix: 'raw' as const,
    get key() {
      keyring.add({ key: KEY, prefix: 'raw' })
      return KEY
    },
  }
  expect(codeOf(() => keyring.add(entry))).toBe(RANGE)
  expect(keyring.keys).toHaveLength(8)
  expect(Keyring.parse(keyring.export()).keys).toHaveLength(8)
})

test('additional data are checked for every value, also for one that a reader opens or whose key is unknown', () => {
  const keyring = Keyring.generate()
  const fallback = { tryOpen: () => 'old' }
  const unknown = Keyring.generate().sealText('x')
  for (const text of ['abc', unknown, keyring.sealText('x', 'y')]) {
    expect(codeOf(() => keyring.openText(text, 123 as never, { fallback }))).toBe(ARGUMENT)
    expect(codeOf(() => keyring.openText(text, '\ud800', { fallback }))).toBe(VALUE)
    expect(codeOf(() => keyring.tryOpenText(text, '\ud800'))).toBe(VALUE)
    expect(codeOf(() => keyring.tryOpen(Buffer.from(text, 'base64url'), '\ud800'))).toBe(VALUE)
  }
})

describe('rotate', () => {
  const fallback = { tryOpen: (text: string) => (text === 'old text' ? 'plaintext' : null) }

  test('options are read for bytes too, and where the value stays', () => {
    const keyring = Keyring.generate()
    const sealed = keyring.seal(Buffer.from('x'))
    for (const value of [sealed, sealed.toString('base64url')])
      expect(codeOf(() => keyring.rotate(value, null, { nonsense: 1 } as never))).toBe(VALUE)
    const other = new Keyring([{ key: KEY }, { key: KEY, prefix: 'raw' }])
    const frame = new AesGcm(KEY).encrypt(Buffer.from('x'))
    expect(codeOf(() => other.rotate(frame, null, { fallback }))).toBe(VALUE)
    expect(other.open(other.rotate(frame, null, { fallback: [] })).toString()).toBe('x')
  })

  test('with a primary key without a prefix, nothing passes through unopened', () => {
    const [primary, last] = [
      { key: KEY, prefix: 'raw' as const },
      { key: Buffer.alloc(32, 8), prefix: 'raw' as const },
    ]
    const keyring = new Keyring([primary, last, { id: 500, key: Buffer.alloc(32, 9) }])
    keyring.promote(500)
    const named = keyring.sealText('named')
    keyring.promote(keyring.keys[2]?.id as number)
    keyring.disable(500)
    expect(keyring.needsRotation('old text')).toBe(true)
    expect(codeOf(() => keyring.rotate('old text'))).toBe(FORGED)
    expect(codeOf(() => keyring.rotate(named))).toBe(FORGED)
    expect(new Keyring([primary]).openText(keyring.rotate('old text', null, { fallback }))).toBe('plaintext')
    const older = new Keyring([last]).sealText('older')
    expect(new Keyring([primary]).openText(keyring.rotate(older))).toBe('older')
  })
})

test('a payload whose token would be too long for a string is refused before it is sealed', () => {
  const keyring = Keyring.generate()
  expect(codeOf(() => keyring.sealJwe(Buffer.alloc(3 * 2 ** 27)))).toBe(RANGE)
  expect(keyring.keys[0]?.messagesEncrypted).toBe(0)
})

test('sealJwe names its argument', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8))
  expect(() => Keyring.generate().sealJwe(shared)).toThrow(/^"payload" /)
})

test('a keyring that is destroyed by its own call opened a text with a key that another keyring took', () => {
  const keys = [
    { id: 2, key: KEY },
    { id: 1, key: Buffer.alloc(32, 8) },
  ]
  const [taking, given] = [new Keyring(keys), new Keyring(keys)]
  const old = new Keyring(keys.slice(1)).sealText('old', 'aad')
  expect(given.openText(old, 'aad')).toBe('old')
  const options = {
    get fallback() {
      taking.replace(given)
      return undefined
    },
  }
  expect(codeOf(() => given.openText(old, 'aad', options as never))).toBe('ERR_AESGCM_DESTROYED')
  expect(taking.openText(old, 'aad')).toBe('old')
})
