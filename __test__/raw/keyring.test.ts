// The raw functions behind the class Keyring beyond their handles: numbers, memory and garbage give a text, or a negative number, and
// never a crash. And the class over a binding whose keys take few failures, and whose random bytes the test chooses.
import { AesGcm } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { StandIn } from '../tools/stand-in.js'
import { KEY, made, must, Random, run } from '../tools/support.js'
import { count } from '../tools/whole.js'
import { bytes, create, invoke, loadWithShortWay, make, raw, reasonOf } from './functions.js'

// The same number as in src/node/slate.rs.
const KEY_LOW = 2
const random = new Random('sealed garbage')
const shortly = [
  'sealIntoShortly',
  'openIntoShortly',
  'sealTextShortly',
  'openTextShortly',
  'openBytesShortly',
]
const names = ['sealInto', 'openInto', 'sealText', 'openText', 'keyBytes', ...shortly]

test('numbers out of range, memory that overlaps, and targets that are too short', () => {
  const handle = make('key')
  for (const number of [-1, 0.5, Number.NaN, 2 ** 40 + 1, 2 ** 53, '0', undefined, 0n]) {
    expect(reasonOf(invoke('sealInto', handle, number, bytes(40), bytes(3)))).toBe('Option')
    expect(reasonOf(invoke('sealText', handle, number, 'x'))).toBe('Option')
  }
  for (const number of [-1, 6, 0.5, Number.NaN, undefined]) {
    expect(reasonOf(invoke('openInto', handle, number, bytes(40), bytes(50)))).toBe('Option')
    expect(reasonOf(invoke('openText', handle, number, 'x'))).toBe('Option')
  }
  const memory = bytes(200)
  const [a, b] = [memory.subarray(0, 100), memory.subarray(99)]
  expect(reasonOf(invoke('sealInto', handle, 1, a, b))).toBe('Overlap')
  expect(reasonOf(invoke('sealInto', handle, 1, a, bytes(3), b))).toBe('Overlap')
  expect(reasonOf(invoke('openInto', handle, 5, a, b))).toBe('Overlap')
  expect(reasonOf(invoke('sealInto', handle, 1, bytes(4), bytes(3)))).toBe('TargetTooShort')
  expect(reasonOf(invoke('sealInto', handle, 1, bytes(35), bytes(3)))).toBe('TargetTooShort')
  expect(invoke('sealInto', handle, 1, bytes(36), bytes(3))).toBe(36)
  for (const length of [0, 16, 31, 33, 64])
    expect(reasonOf(invoke('keyBytes', handle, bytes(length)))).toBe('InvalidKeyLength')
})

test('a refused call writes nothing', () => {
  const handle = made(create.key(raw, 0, { maxMessages: 0 }))
  const target = bytes(50).fill(7)
  expect(reasonOf(invoke('sealInto', handle, 1, target, bytes(3)))).toBe('EncryptionsExhausted')
  expect(reasonOf(invoke('sealText', handle, 1, 'x'))).toBe('EncryptionsExhausted')
  expect(reasonOf(invoke('openInto', handle, 5, target, bytes(3)))).toBe('Authentication')
  expect(target).toEqual(bytes(50).fill(7))
})

test('the key comes back out of every class, on every backend', () => {
  const { backendNames, backends } = raw as unknown as { backendNames: string[]; backends: string[] }
  for (const backend of backends) {
    for (const [algorithm, length] of [
      [0, 16],
      [0, 32],
      [1, 32],
      [2, 16],
      [2, 32],
    ] as const) {
      const key = random.bytes(length)
      const handle = made(raw.create?.(algorithm, backendNames.indexOf(backend), key, false, false, 9, 9))
      invoke('encryptInPlace', handle, bytes(60))
      const out = bytes(length)
      expect([invoke('keyBytes', handle, out), Buffer.from(out)]).toEqual([0, key])
    }
  }
})

test('a key with its nonce at the end seals and opens texts, too', () => {
  const handle = made(create.key(raw, 0, { nonceAtEnd: true }))
  for (const text of ['', 'text', 'é€😀'.repeat(4000)]) {
    const sealed = invoke('sealText', handle, 2 ** 40, text, 'aad')
    expect(invoke('openText', handle, 0, sealed, 'aad')).toBe(text)
  }
})

test('a value in base64url opens into memory, and other texts do not reach the key', () => {
  new AesGcm(KEY) // the package asks for the slate of its own loading
  const { by, words } = loadWithShortWay()
  const handle = make('key', by)
  const number = Number(by.numberOf?.(handle))
  words.set([number % 2 ** 24, Math.floor(number / 2 ** 24), 0, 1], KEY_LOW)
  for (const length of [0, 1, 40, 9000]) {
    const plaintext = random.bytes(length)
    const sealed = bytes(length + 33)
    by.sealInto?.(handle, 2 ** 32, sealed, plaintext, 'aad')
    const text = Buffer.from(sealed).toString('base64url')
    const target = bytes(length + 3).fill(7)
    expect(by.openBytesShortly?.(target, text, 'aad')).toBe(length)
    expect(Buffer.from(target)).toEqual(Buffer.concat([plaintext, bytes(3).fill(7)]))
    expect(reasonOf(by.openBytesShortly?.(target, text, 'bad'))).toBe('Authentication')
    if (length > 0)
      expect(reasonOf(by.openBytesShortly?.(bytes(length - 1), text, 'aad'))).toBe('TargetTooShort')
    const failed = by.failedDecryptions?.(handle)
    for (const other of [`${text}=`, ` ${text}`, `${text}\u0141`, `${text}+`, '\ud800'])
      expect(reasonOf(by.openBytesShortly?.(target, other, 'aad'))).toBe('NotText')
    expect(by.failedDecryptions?.(handle)).toBe(failed)
  }
})

test('with garbage', () => {
  const memory = bytes(70_000)
  const view = () => memory.subarray(random.below(40_000), random.below(70_000))
  const shared = new Uint8Array(new SharedArrayBuffer(40))
  const trap = { toString: () => must(false, 'code of an argument ran') }
  const values = () =>
    random.pick([
      ...[view(), view(), bytes(random.below(100)), random.below(6), 2 ** random.below(60), 2 ** 40],
      ...['AQ'.repeat(random.below(4000)), 'text', '\ud800', 'é'.repeat(random.below(5000))],
      ...[true, undefined, null, shared, new Float64Array(3), trap, new String('x')],
    ])
  const [alive, other, dead] = [make('key'), made(create.key(raw, 1)), make('key')]
  const { by: short } = loadWithShortWay()
  invoke('destroy', dead)
  for (let i = 0; i < count(5000, 20_000); i++) {
    const name = random.pick(names)
    const given = [values(), values(), values(), values()].slice(0, random.below(5))
    const result = shortly.includes(name)
      ? short[name]?.(...given)
      : invoke(name, random.pick([alive, alive, other, dead]), ...given)
    const isText = name.startsWith('sealText') && typeof result === 'string'
    must(typeof result === 'number' || isText, () => `${name} gave ${String(result)}`)
  }
  expect(invoke('openText', alive, 5, invoke('sealText', alive, 2 ** 32, 'x'))).toBe('x')
})

describe('the class over a binding that a test steers', () => {
  const standIn = new StandIn()
  // A key takes 2^32 failures, and an id is used twice in one of 2^28 keys: too many for a test.
  standIn.lie(`
    create: (...all) => {
      globalThis.backends?.push(all[1])
      return real.create(...all.slice(0, 6), globalThis.failures?.shift() ?? all[6], all[7])
    },
    random: view => {
      const status = real.random(view)
      if (view.length === 4 && globalThis.ids?.length > 0) view.set(globalThis.ids.shift())
      return status
    },`)
  const answer = (script: string) => {
    const { status, stdout, stderr } = run(
      `import { createCipheriv } from 'node:crypto'
      import { subscribe } from 'node:diagnostics_channel'
      import { Keyring } from 'hardware-aes-gcm/keyring'
      const key = n => Buffer.alloc(32, n)
      ${script}`,
      { cwd: standIn.folder },
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  test('a key that has seen too many forgeries says so, and others still open their values', () => {
    const found = answer(`
      Keyring.generate() // after the self-test, whose keys take all failures
      const forged = Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), Buffer.alloc(40)])
      // A frame of the key without a prefix, which begins as the values of the other key.
      const nonce = Buffer.from([1, 0, 0, 0, 1, 6, 7, 8, 9, 10, 11, 12])
      const cipher = createCipheriv('aes-256-gcm', key(2), nonce)
      const frame = Buffer.concat([nonce, cipher.update('x'), cipher.final(), cipher.getAuthTag()])
      const events = []
      subscribe('hardware-aes-gcm:key-exhausted', ({ limit }) => events.push(limit))
      subscribe('hardware-aes-gcm:authentication-failed', () => events.push('forgery'))
      const said = call => {
        events.length = 0
        try {
          return [String(call()), ...events]
        } catch ({ code, message }) {
          return [code + ': ' + message, ...events]
        }
      }
      const of = (failures, keys) => {
        globalThis.failures = failures
        const keyring = new Keyring(keys)
        // A token of an unknown key is tried by all keys without a prefix.
        const tokenOf = (id, n) => new Keyring([{ id, key: key(n) }]).sealJwe('x')
        const wrong = tokenOf(keys[0].prefix === 'raw' ? 9 : 1, 1).replace(/.$/, last => last === 'A' ? 'Q' : 'A')
        const tries = [() => keyring.open(forged), () => keyring.tryOpen(forged)]
        tries.push(() => keyring.openText(forged.toString('base64url')), () => keyring.openJwe(wrong))
        tries.push(() => keyring.open(frame), () => keyring.openText(frame.toString('base64url')))
        return [said(tries[0]), ...tries.map(said), said(() => keyring.openJwe(tokenOf(9, 2)))]
      }
      console.log(JSON.stringify([
        of([1], [{ id: 1, key: key(1) }, { id: 2, key: key(2), prefix: 'raw' }]),
        of([1], [{ id: 1, key: key(1), prefix: 'raw' }, { id: 2, key: key(2), prefix: 'raw' }]),
        of([9, 1], [{ id: 2, key: key(2), prefix: 'raw' }, { id: 1, key: key(1), prefix: 'raw' }]),
      ]))`)
    const limit = [
      'ERR_AESGCM_KEY_EXHAUSTED: the key 1 has reached its limit of failed decryptions in this keyring: add a key and promote it',
      'failures',
    ]
    const forgery = [expect.stringContaining('ERR_AESGCM_AUTHENTICATION_FAILED: '), 'forgery']
    const wanted = [forgery, limit, limit, limit, limit, ['x'], ['x'], ['x']]
    expect(found).toEqual([wanted, wanted, wanted])
  })

  test('a cookie of a key that has seen too many forgeries is no session, and the next key goes on', () => {
    const found = answer(`
      import { nextAuthCookie, sealedCookie } from 'hardware-aes-gcm/cookie'
      Keyring.generate() // after the self-test, whose keys take all failures
      globalThis.failures = [1, 1]
      const fallback = nextAuthCookie({ name: 'old', secret: 'secret' })
      const keyring = new Keyring([{ id: 1, key: key(1) }])
      const session = sealedCookie('session', { keyring, maxAge: 60, fallback })
      const write = (...request) => {
        const headers = new Headers()
        session.write(headers, 'ada', ...request)
        return headers.getSetCookie()[0].split(';')[0]
      }
      const events = []
      subscribe('hardware-aes-gcm:key-exhausted', ({ limit }) => events.push(limit))
      const cookie = write()
      const forged = cookie.replace(/.$/, last => (last === 'A' ? 'Q' : 'A'))
      const old = 'old=' + new Keyring([{ key: key(3), prefix: 'raw' }]).sealJwe('{}')
      const tries = [cookie, forged, cookie, old, old].map(text => session.read(text))
      const renewed = session.renew(cookie, new Headers())
      keyring.promote(keyring.add({ id: 32, key: key(2) }))
      console.log(JSON.stringify([tries, renewed, session.read(write(cookie)), session.read(cookie), events]))`)
    expect(found).toEqual([['ada', null, null, null, null], null, 'ada', null, Array(5).fill('failures')])
  })

  test('an id is drawn again if its first 28 bits are zero or those of another key; a key is made on the named backend', () => {
    const { backends, backendNames } = raw as unknown as { backends: string[]; backendNames: string[] }
    const found = answer(`
      globalThis.ids = [[0, 0, 0, 15], [0, 0, 0, 16], [0, 0, 0, 31], [0x89, 0xab, 0xcd, 0xef], [0x89, 0xab, 0xcd, 0xe0], [0, 1, 0, 0]]
      const keyring = new Keyring([{ key: key(1) }, { key: key(2) }, { key: key(3) }])
      globalThis.backends = []
      for (const backend of ${JSON.stringify(backends)}) new Keyring([{ key: key(1) }], { backend })
      console.log(JSON.stringify([keyring.keys.map(({ id }) => id), ids, globalThis.backends]))`)
    const used = backends.map(name => backendNames.indexOf(name))
    expect(found).toEqual([[0x10000, 0x89abcdef, 16], [], used])
  })
})
