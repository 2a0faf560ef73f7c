// The class Keyring under hostile values: mutated texts, texts that are almost right, arguments of wrong kinds, foreign receivers, and a
// polluted Object.prototype. Only typed errors come out, and no byte of a key.
import { inspect } from 'node:util'
import { AesGcmError, AuthenticationError } from 'hardware-aes-gcm'
import { BlindIndex, Keyring, UnknownKeyError } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { cloned, detach, must, Random, refuses, run, thrown } from '../../tools/support.js'
import { count } from '../../tools/whole.js'

const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const random = new Random('hostile keyrings')
const KEY = random.bytes(32)
const keyring = new Keyring([
  { id: 0x99aabbcc, key: random.bytes(32), type: 'XAES-256-GCM' },
  { id: 0x55667788, key: random.bytes(16), type: 'AES-128-GCM-SIV' },
  { id: 0x11223344, key: KEY },
])
const withRaw = new Keyring([
  { id: 0x11223344, key: KEY },
  { key: random.bytes(32), prefix: 'raw' },
])

/** Parts of a key that no text may show: six bytes, because four are a part of some stack or id in one run of 40 000. */
const traces = [
  ...Array.from({ length: 27 }, (_, i) => KEY.subarray(i, i + 6).toString('hex')),
  ...Array.from({ length: 27 }, (_, i) => KEY.subarray(i, i + 6).toString('latin1')),
  KEY.toString('base64').slice(1, 9),
  KEY.toString('base64url').slice(1, 9),
]
const shows = (text: string) => traces.some(trace => text.includes(trace))

function mutated(text: string): string {
  const at = random.below(text.length + 1)
  const letter = random.below(3) > 0 ? ALPHABET[random.below(64)] : String.fromCharCode(random.below(0x300))
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(at)
    case 2:
      return text.slice(0, at) + letter + text.slice(at)
    case 3:
      return text.slice(0, at) + text.slice(at + 1 + random.below(4))
    case 4:
      return text.slice(0, at) + text.slice(random.below(text.length))
    default:
      return text.slice(0, at) + letter + text.slice(at + 1)
  }
}

const TEXTS = count(5000, 20_000)

test('mutated texts and values: the plaintext or a typed error, and never a byte of a key', () => {
  expect(shows(`a ${KEY.toString('hex')}`)).toBe(true)
  const texts = keyring.keys.map(({ id }) => {
    keyring.promote(id)
    return keyring.sealText('the plaintext, with an é', 'aad')
  })
  let unknown = 0
  for (let i = 0; i < TEXTS; i++) {
    const text = random.pick(texts)
    const other = mutated(text)
    const by = random.pick([keyring, withRaw])
    const value = Buffer.from(other, 'base64url')
    const isText = random.below(2) === 0
    const open = () => (isText ? by.openText(other, 'aad') : by.open(value, 'aad').toString())
    if (by === keyring && (isText ? other === text : value.equals(Buffer.from(text, 'base64url')))) {
      must(open() === 'the plaintext, with an é', () => other)
      continue
    }
    // The keyring with a raw key has one of the three keys, too.
    if (by === withRaw && by.tryOpenText(other, 'aad') !== null) {
      must(other === texts[0], () => other)
      continue
    }
    if (by === withRaw && !isText && by.tryOpen(value, 'aad') !== null) {
      must(value.equals(Buffer.from(texts[0] as string, 'base64url')), () => other)
      continue
    }
    const error = thrown(open, other)
    const isUnknown = error instanceof UnknownKeyError
    if (isUnknown) unknown++
    must(error instanceof AuthenticationError, () => `${other}: ${inspect(error)}`)
    must(!isUnknown || (by === keyring && error.keyId === by.keyIdOf(isText ? other : value)), () => other)
    must(isUnknown || error.code === AUTHENTICATION, () => `${other}: ${error.code}`)
    must(!shows(`${error.stack} ${JSON.stringify(error)}`), () => 'an error shows a key')
    must((isText ? by.tryOpenText(other, 'aad') : by.tryOpen(value, 'aad')) === null, () => other)
  }
  expect(unknown).toBeGreaterThan(TEXTS / 200)
})

describe('a text opens in one spelling only', () => {
  // Lengths that leave 0, 1 and 2 bytes in the last group.
  const texts = ['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef'].map(text => {
    keyring.promote(0x11223344)
    return [text, keyring.sealText(text)] as const
  })

  test.each(texts)('of %j', (text, sealed) => {
    expect(keyring.openText(sealed)).toBe(text)
    const last = ALPHABET.indexOf(sealed.at(-1) as string)
    const rest = sealed.length % 4
    const bits = rest === 2 ? 4 : rest === 3 ? 2 : 0
    const others = Array.from(
      { length: 2 ** bits - 1 },
      (_, i) => sealed.slice(0, -1) + ALPHABET[last | (i + 1)],
    )
    const spellings = [
      ...others,
      `${sealed}=`,
      `${sealed}==`,
      `${sealed} `,
      ` ${sealed}`,
      `${sealed}\n`,
      `${sealed}A`,
      sealed.slice(0, -1),
      sealed
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .concat(/[-_]/.test(sealed) ? '' : '/'),
      `${sealed.slice(0, 20)}\u0100${sealed.slice(21)}`,
      // A character whose low byte is the right one.
      sealed.slice(0, 30) + String.fromCharCode(0x100 + sealed.charCodeAt(30)) + sealed.slice(31),
      String.fromCharCode(0x100 + sealed.charCodeAt(0)) + sealed.slice(1),
      `${sealed.slice(0, 30)}\0${sealed.slice(31)}`,
    ]
    for (const spelling of spellings) {
      refuses(() => keyring.openText(spelling), AUTHENTICATION, spelling)
      expect(keyring.tryOpenText(spelling)).toBeNull()
    }
  })
})

test('texts that UTF-8 has no bytes for, and bytes that are no UTF-8', () => {
  for (const text of ['\ud800', 'a\udc00', '\udc00\ud800', 'x\ud83d', `${'a'.repeat(5000)}\ud800`]) {
    expect(refuses(() => keyring.sealText(text), 'ERR_INVALID_ARG_VALUE').message).toMatch(/^"text" /)
    for (const call of [
      () => keyring.sealText('x', text),
      () => keyring.seal(Buffer.alloc(1), text),
      () => keyring.openText(keyring.sealText('x'), text),
      () => keyring.open(keyring.seal(Buffer.alloc(1)), text),
    ])
      expect(refuses(call, 'ERR_INVALID_ARG_VALUE').message).toMatch(/^"aad" /)
  }
  for (const bytes of ['ff', 'c080', 'eda080', 'f4908080', 'e282', '61c3', 'f0808080']) {
    const sealed = keyring.seal(Buffer.from(bytes, 'hex')).toString('base64url')
    for (const call of [() => keyring.openText(sealed), () => keyring.tryOpenText(sealed)])
      expect(refuses(call, 'ERR_INVALID_ARG_VALUE').message).toContain('UTF-8')
    expect(keyring.open(Buffer.from(sealed, 'base64url')).toString('hex')).toBe(bytes)
  }
})

test('a text whose sealed text would be longer than a string can be', () => {
  // A string of one character repeated takes its memory once.
  const text = 'x'.repeat(402_653_184)
  expect(refuses(() => keyring.sealText(text), 'ERR_OUT_OF_RANGE').message).toContain('2^29 - 24')
})

describe('arguments of wrong kinds', () => {
  const said = (call: () => unknown) => refuses(call, 'ERR_INVALID_ARG_TYPE').message
  const text = keyring.sealText('text')
  const bytes = keyring.seal(Buffer.from('bytes'))

  test.each<[string, string, (...args: never[]) => unknown, unknown, unknown, string]>([
    ['seal', 'plaintext', keyring.seal, bytes, 'text', 'a Uint8Array, got string: sealText takes a text'],
    ['open', 'sealed', keyring.open, bytes, text, 'a Uint8Array, got string: openText takes a text'],
    ['tryOpen', 'sealed', keyring.tryOpen, bytes, text, 'a Uint8Array, got string: openText takes a text'],
    ['sealText', 'text', keyring.sealText, 'text', bytes, 'a string, got Uint8Array: seal takes bytes'],
    ['openText', 'sealed', keyring.openText, text, bytes, 'a string, got Uint8Array: open takes bytes'],
    ['tryOpenText', 'sealed', keyring.tryOpenText, text, bytes, 'a string, got Uint8Array: open takes bytes'],
  ])('%s names the other method, and a wrong aad', (_name, argument, method, right, other, message) => {
    const call = (...args: unknown[]) => said(() => Reflect.apply(method, keyring, args))
    expect(call(other)).toBe(`"${argument}" must be ${message}`)
    expect(call(5)).toBe(`"${argument}" must be ${message.replace(/got .*/, 'got number')}`)
    for (const [wrong, kind] of [
      [5, 'number'],
      [[], 'Array: if it holds numbers, Uint8Array.from(array)'],
      [new ArrayBuffer(8), 'ArrayBuffer: new Uint8Array(buffer) is a view of it'],
    ] as const)
      expect(call(right, wrong)).toBe(`"aad" must be a string or a Uint8Array, got ${kind}`)
  })

  const wrong = [
    undefined,
    null,
    5,
    5n,
    {},
    [],
    true,
    Symbol('x'),
    () => {},
    new Float64Array(4),
    new ArrayBuffer(8),
  ]
  const TYPE = 'ERR_INVALID_ARG_TYPE'
  const sealed = keyring.seal(Buffer.alloc(3))
  const unknown = Keyring.generate().seal(Buffer.alloc(3))

  test('data', () => {
    keyring.promote(0x11223344)
    for (const value of [...wrong, 'text'] as never[])
      for (const call of [() => keyring.seal(value), () => keyring.open(value), () => keyring.tryOpen(value)])
        refuses(call, TYPE)
    for (const value of [...wrong, Buffer.alloc(60)] as never[])
      for (const call of [
        () => keyring.sealText(value),
        () => keyring.openText(value),
        () => keyring.tryOpenText(value),
      ])
        refuses(call, TYPE)
    for (const value of wrong as never[])
      for (const call of [
        () => keyring.keyIdOf(value),
        () => keyring.needsRotation(value),
        () => keyring.rotate(value as string),
        () => keyring.sealJwe(value),
        () => keyring.openJwe(value),
      ])
        refuses(call, TYPE)
  })

  test('additional data, also for a value that no key was tried for', () => {
    for (const value of wrong.slice(2) as never[])
      for (const call of [
        () => keyring.seal(sealed, value),
        () => keyring.open(sealed, value),
        () => keyring.tryOpen(unknown, value),
        () => keyring.open(Buffer.alloc(0), value),
        () => keyring.sealText('x', value),
        () => keyring.openText(sealed.toString('base64url'), value),
        () => keyring.tryOpenText(unknown.toString('base64url'), value),
        () => keyring.openText('', value),
      ])
        refuses(call, TYPE)
  })

  test('memory that is shared or gone', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(60))
    const gone = Buffer.alloc(60, 1)
    detach(gone)
    for (const [value, code] of [
      [shared, 'ERR_AESGCM_SHARED_BUFFER'],
      [gone, 'ERR_AESGCM_DETACHED_BUFFER'],
    ] as const) {
      for (const call of [
        () => keyring.seal(value),
        () => keyring.open(value),
        () => keyring.tryOpen(value),
        () => keyring.seal(sealed, value),
        () => keyring.tryOpen(unknown, value),
        () => keyring.sealText('x', value),
      ])
        refuses(call, code)
    }
  })

  test('keys, entries and options', () => {
    for (const value of wrong.filter(value => !Array.isArray(value)) as never[])
      refuses(() => new Keyring(value), TYPE)
    refuses(() => new Keyring([]), 'ERR_OUT_OF_RANGE')
    const good = { id: 1, key: KEY }
    for (const [entry, code] of [
      [null, TYPE],
      [5, TYPE],
      [{}, TYPE],
      [{ ...good, key: 'text' }, TYPE],
      [{ ...good, id: '1' }, TYPE],
      [{ ...good, id: -1 }, 'ERR_OUT_OF_RANGE'],
      [{ ...good, id: 2 ** 32 }, 'ERR_OUT_OF_RANGE'],
      [{ ...good, key: KEY.subarray(1) }, 'ERR_AESGCM_INVALID_KEY_LENGTH'],
      [{ ...good, type: 'AES-128-GCM' }, 'ERR_AESGCM_INVALID_KEY_LENGTH'],
      [{ ...good, type: 'aes-256-gcm' }, 'ERR_INVALID_ARG_VALUE'],
      [{ ...good, type: 'XAES-256-GCM', prefix: 'crunchy' }, 'ERR_INVALID_ARG_VALUE'],
      [{ ...good, prefix: 'TINK' }, 'ERR_INVALID_ARG_VALUE'],
      [{ ...good, status: 'destroyed' }, 'ERR_INVALID_ARG_VALUE'],
      [{ ...good, keyId: 5 }, 'ERR_INVALID_ARG_VALUE'],
    ] as [never, string][]) {
      const error = refuses(() => new Keyring([{ key: KEY }, entry]), code)
      must(error.message.includes('keys[1]'), error.message)
      must(!shows(error.message), 'an error shows a key')
      refuses(() => keyring.add(entry), code)
    }
    const { message } = refuses(
      () => new Keyring([{ ...good, prefix: 'TINK' } as never]),
      'ERR_INVALID_ARG_VALUE',
    )
    must(message.includes("must be one of 'tink', 'raw', 'crunchy', 'legacy', got"), message)
    refuses(() => new Keyring([good, good]), 'ERR_INVALID_ARG_VALUE')
    for (const options of [5, null, 'x']) refuses(() => new Keyring([good], options as never), TYPE)
    for (const options of [{ maxMessages: -1 }, { maxMessages: 2 ** 32 + 1 }, { primary: -1 }])
      refuses(() => new Keyring([good], options), 'ERR_OUT_OF_RANGE')
    refuses(() => new Keyring([good], { unknown: 1 } as never), 'ERR_INVALID_ARG_VALUE')
    refuses(() => Keyring.generate('AES-192-GCM' as never), 'ERR_INVALID_ARG_VALUE')
    refuses(() => Keyring.parse(5 as never), TYPE)
  })

  test('functions that encrypt a keyset', async () => {
    const code = TYPE
    await expect(keyring.wrap(5 as never)).rejects.toMatchObject({ code })
    await expect(keyring.wrap(() => 'text' as never)).rejects.toMatchObject({ code })
    await expect(Keyring.unwrap('{}', 5 as never)).rejects.toMatchObject({ code })
    const text = await keyring.wrap(() => Buffer.from('ciphertext'))
    await expect(Keyring.unwrap(text, () => 'text' as never)).rejects.toMatchObject({ code })
    await expect(Keyring.unwrap(text, () => Buffer.alloc(5))).rejects.toMatchObject({
      code: 'ERR_AESGCM_INVALID_KEYSET',
    })
    const seen: Uint8Array[] = []
    const cause = new Error('the KMS is away')
    const fails = async (bytes: Uint8Array) => {
      seen.push(bytes)
      throw cause
    }
    await expect(keyring.wrap(fails)).rejects.toBe(cause)
    expect((seen[0] as Uint8Array).every(byte => byte === 0)).toBe(true)
  })
})

test('receivers that are no keyrings', () => {
  const { prototype } = Keyring as unknown as { prototype: Record<string, unknown> }
  const names = Object.getOwnPropertyNames(prototype).filter(name => name !== 'constructor')
  expect(names.length).toBeGreaterThan(20)
  for (const name of names) {
    const { value, get } = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor
    for (const self of [
      undefined,
      null,
      {},
      prototype,
      Object.create(keyring),
      new BlindIndex(KEY, { purpose: 'x' }),
    ]) {
      if (name === 'wrap') continue
      refuses(() => (value ?? get).call(self, 'x'), 'ERR_INVALID_THIS', name)
    }
  }
})

test('it cannot be cloned, and shows no key', () => {
  expect(JSON.stringify(keyring)).toBe('{}')
  const shown = inspect(keyring, { depth: 9, showHidden: true })
  expect(shown).toContain(`id: ${0x11223344}`)
  expect(shows(shown) || shows(inspect(keyring.keys))).toBe(false)
  const clone = cloned(keyring)
  if (clone !== undefined) expect(Object.keys(clone as object)).toEqual([])
  expect(Object.isFrozen(keyring.keys) && keyring.keys.every(Object.isFrozen)).toBe(true)
})

test('in a process whose Object.prototype and Array.prototype are polluted', () => {
  const { status, stderr, stdout } = run(
    `
    import { Keyring } from 'hardware-aes-gcm/keyring'
    import { readFileSync } from 'node:fs'
    const write = process.stdout.write.bind(process.stdout)
    const keyring = Keyring.generate()
    const other = Keyring.generate()
    const fields = ['id', 'type', 'prefix', 'status', 'primary', 'arena', 'backend', 'maxMessages', 'fallback', 'next', 'enabled', 'value']
    for (const name of fields) Object.defineProperty(Object.prototype, name, { value: 'polluted', writable: true, configurable: true })
    const seen = []
    for (const i of [0, 1, 2]) Object.defineProperty(Array.prototype, i, { __proto__: null, set(value) { seen.push(value) }, configurable: true })
    String.prototype.charCodeAt = Map.prototype.get = Map.prototype.set = () => { throw new Error('patched') }
    Array.prototype[Symbol.iterator] = () => { throw new Error('patched') }
    const id = keyring.add({ key: new Uint8Array(32).fill(7) })
    keyring.promote(id)
    const text = keyring.sealText('x', 'aad')
    const copy = Keyring.parse(keyring.export())
    const encrypted = await keyring.wrap(bytes => other.seal(bytes))
    const again = await Keyring.unwrap(encrypted, bytes => other.open(bytes))
    const opened = copy.openText(text, 'aad') + again.openText(text, 'aad') + keyring.tryOpenText(text, 'y', { fallback: { tryOpen: () => null } })
    const keys = keyring.keys.length + ':' + keyring.keys.at(1).prefix
    const token = keyring.openJwe(keyring.sealJwe('x')).toString()
    write([opened, keys, token, seen.length].join(' '))`,
  )
  expect([status, stderr, stdout]).toEqual([0, '', 'xxnull 2:tink x 0'])
})

test('a subclass whose methods are replaced still rotates by the methods of the class', () => {
  class Sub extends Keyring {
    override openText(): string {
      return 'stolen'
    }
    override sealText(): string {
      return 'plain'
    }
    override needsRotation(): boolean {
      return false
    }
  }
  const sub = new Sub([
    { id: 1, key: KEY },
    { id: 2, key: random.bytes(32) },
  ])
  const text = Keyring.prototype.sealText.call(sub, 'x')
  sub.promote(2)
  expect(Keyring.prototype.openText.call(sub, sub.rotate(text))).toBe('x')
})

test('errors are of this package', () => {
  expect(new UnknownKeyError(5)).toBeInstanceOf(AesGcmError)
  expect(new UnknownKeyError(5)).toMatchObject({
    keyId: 5,
    code: 'ERR_AESGCM_UNKNOWN_KEY',
    name: 'UnknownKeyError',
  })
})
