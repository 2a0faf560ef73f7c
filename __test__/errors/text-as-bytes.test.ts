// Regression: text in the place of bytes. Errors that led from a string to the wrong bytes, and keys that are text themselves.
import { createSecretKey } from 'node:crypto'
import { AesGcm, randomBytes } from 'hardware-aes-gcm'
import { BlindIndex, context, Keyring } from 'hardware-aes-gcm/keyring'
import { boringnodeReader, cryptrReader, layoutReader } from 'hardware-aes-gcm/legacy'
import { initialSecrets, PacketProtection } from 'hardware-aes-gcm/quic'
import { Handshake } from 'hardware-aes-gcm/session'
import { combineAndOpen, sealAndSplit, splitKey } from 'hardware-aes-gcm/shamir'
import * as stream from 'hardware-aes-gcm/stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { KEY, refuses, run } from '../tools/support.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const LENGTH = 'ERR_AESGCM_INVALID_KEY_LENGTH'
const DECODE = "decode it, as in Buffer.from(text, 'base64url') or Buffer.from(text, 'hex')"
const ENCODE = 'Buffer.from(text) encodes text'

const aes = new AesGcm(KEY)
const text = 'c2VjcmV0' as never
const [data, nonce, tag] = [Buffer.alloc(60), Buffer.alloc(12), Buffer.alloc(16)]
const { client } = initialSecrets(1, nonce)
const packets = new PacketProtection(client)
const { shares } = sealAndSplit(data, { threshold: 2, shares: 2 })
const secret = Buffer.alloc(32, 1)
const handshake = () => new Handshake({ secret, role: 'initiator' })
const connected = () => handshake().finish(new Handshake({ secret, role: 'responder' }).hello)
const message = (call: () => unknown) => refuses(call, TYPE).message

describe('a string, refused with the advice', () => {
  test.each<[string, () => unknown]>([
    ['decrypt', () => aes.decrypt(text)],
    ['tryDecrypt', () => aes.tryDecrypt(text)],
    ['decryptInto', () => aes.decryptInto(data, text)],
    ['tryDecryptInto', () => aes.tryDecryptInto(data, text)],
    ['decryptInPlace', () => aes.decryptInPlace(text)],
    ['tryDecryptInPlace', () => aes.tryDecryptInPlace(text)],
    ['plaintextOf', () => aes.plaintextOf(text)],
    ['decryptBatchInPlace', () => aes.decryptBatchInPlace(text, 30)],
    ['a frame of decryptBatch', () => aes.decryptBatch([text])],
    ['nonce', () => aes.decryptDetached(data, text, tag)],
    ['tag', () => aes.decryptDetached(data, nonce, text)],
    ['ciphertext as data', () => aes.decryptDetached(text, nonce, tag)],
    ['sealed', () => combineAndOpen(shares, text)],
    ['a secret to split', () => splitKey(text, { threshold: 2, shares: 2 })],
    ['packet', () => packets.open(text, 1, -1)],
    ['packets', () => packets.openRun(text, 30, 1, -1)],
    ['keys', () => new PacketProtection(text)],
    ['keys.key', () => new PacketProtection({ key: text, iv: nonce, hp: tag })],
    ['sample', () => packets.headerProtectionMask(text)],
    ['connection id', () => initialSecrets(1, text)],
    ['peerHello', () => handshake().finish(text)],
    ['message', () => connected().reader.open(text)],
    ['secret of a session', () => new Handshake({ secret: text, role: 'initiator' })],
  ])('to decode it: %s', (_, call) => {
    expect(message(call).endsWith(DECODE)).toBe(true)
    expect(message(call)).not.toContain(text)
    // Plaintext in one method, ciphertext in another.
    expect(message(call).includes(ENCODE)).toBe(message(call).startsWith('"data" must be a Uint8Array,'))
  })

  test('to decode it: frame of the async methods', async () => {
    for (const call of [aes.encryptInPlaceAsync(text), aes.decryptInPlaceAsync(text)])
      await expect(call).rejects.toMatchObject({ code: TYPE, message: expect.stringContaining(DECODE) })
  })

  test.each<[string, () => unknown]>([
    ['plaintext', () => aes.encrypt(text)],
    ['plaintext of encryptInto', () => aes.encryptInto(data, text)],
    ['a piece', () => aes.encrypt([data, text])],
    ['aad', () => aes.encrypt(data, text)],
    ['a row', () => aes.encryptBatch([data, text])],
    ['plaintext as data', () => aes.encryptDetached(text, nonce, tag)],
    ['data to seal', () => sealAndSplit(text, { threshold: 2, shares: 2 })],
    ['data of a record', () => connected().writer.seal(text)],
  ])('to take its bytes: %s', (_, call) => {
    expect(message(call)).toContain(ENCODE)
    expect(message(call).includes(DECODE)).toBe(message(call).startsWith('"data" must be a Uint8Array,'))
  })

  test('a password as key: to make a key of it', () => {
    const password = 'correct horse battery staple'
    for (const call of [
      () => new AesGcm(password as never),
      () => new Keyring([{ id: 1, key: password }] as never),
    ]) {
      expect(message(call)).toContain(
        "decode it, as in Buffer.from(text, 'base64') or Buffer.from(text, 'hex')",
      )
      expect(message(call)).toMatch(/; a password is not a key, but crypto\.scrypt derives a key from one$/)
      expect(message(call)).not.toContain('horse')
    }
  })

  test('nothing to decode: target', () => {
    expect(message(() => aes.encryptInto(text, data))).toBe('"target" must be a Uint8Array, got string')
  })
})

describe('a surrogate without its other half became U+FFFD, so that two texts were one', () => {
  const keyring = new Keyring([{ id: 7, key: KEY }])
  const index = new BlindIndex(secret, { purpose: 'users.email' })
  const sealed = stream.encryptBuffer(data, KEY, { context: '\ufffd' })
  const old = (aad: unknown) =>
    layoutReader({ key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex', aad } as never)
  const cases: [string, (text: string) => unknown][] = [
    ['options.context', context => stream.encryptBuffer(data, KEY, { context })],
    ['options.context', context => stream.decryptBuffer(sealed, KEY, { context })],
    ['options.context', context => stream.createEncryptStream(KEY, { context })],
    ['options.context', context => stream.createDecryptStream(KEY, { context })],
    ['options.context', context => new stream.EncryptionStream(KEY, { context })],
    ['options.context', context => new stream.DecryptionStream(KEY, { context })],
    ['aad', aad => old((ofCall: string) => ofCall).tryOpen('', aad)],
    ['aad', aad => old(undefined).tryOpen('', aad)],
    ['options.aad', aad => old(aad)],
    ['options.aad', aad => old(() => aad).tryOpen('')],
    ['options.id', id => boringnodeReader({ id, keys: 'k'.repeat(16) })],
    ['options.keys', key => boringnodeReader({ id: 'app', keys: `${key}${'k'.repeat(16)}` })],
    ['options.purpose', purpose => boringnodeReader({ id: 'app', keys: 'k'.repeat(16), purpose })],
    ['secret', key => cryptrReader(key)],
    [
      'options.key.sha256',
      sha256 => layoutReader({ key: { sha256 }, layout: '{iv}:{tag}:{ct}', encoding: 'hex' }),
    ],
    ['options.context', context => new Handshake({ secret, role: 'initiator', context })],
    // As these did before.
    ['aad', aad => keyring.sealText('text', aad)],
    ['aad', aad => keyring.tryOpenText('', aad)],
    ['text', text => keyring.sealText(text)],
    ['payload', text => keyring.sealJwe(text)],
    ['options.purpose', purpose => new BlindIndex(secret, { purpose })],
    ['value', value => index.of(value)],
    ['parts[1]', part => context('users', part)],
  ]
  test.each(cases)('%s, case %#', (name, call) => {
    for (const text of ['user \ud800', '\udbff', '\udc00\ud800'])
      expect(refuses(() => call(text), 'ERR_INVALID_ARG_VALUE').message).toMatch(
        new RegExp(`^"${name.replace(/[[\]]/g, '\\$&')}" .* unpaired surrogate`),
      )
    // A whole pair, and the character that stands for none.
    for (const text of ['user \ud83d\ude00', '\ufffd'])
      try {
        call(text)
      } catch (error) {
        expect((error as { code?: string }).code).toBe('ERR_AESGCM_WRONG_KEY')
      }
  })

  test('options.context of files and readers', async () => {
    const options = { context: '\ud800' }
    for (const call of [
      stream.encryptFile('package.json', 'never', KEY, options),
      stream.decryptFile('package.json', 'never', KEY, options),
      stream.DecryptionReader.open(sealed, KEY, options),
    ])
      await expect(call).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
  })
})

/** The text of a random key. */
const encoded = (bytes: number, encoding: BufferEncoding) => randomBytes(bytes).toString(encoding)

describe('a key that looks like text, of a length that is refused', () => {
  test.each([
    ['64 hex digits', encoded(32, 'hex'), 'hex'],
    ['64 hex digits in upper case', encoded(32, 'hex').toUpperCase(), 'hex'],
    ['44 digits of base64', encoded(32, 'base64'), 'base64'],
    ['43 digits of base64url', encoded(32, 'base64url'), 'base64'],
    ['24 digits of base64', encoded(16, 'base64'), 'base64'],
    ['22 digits of base64url', encoded(16, 'base64url'), 'base64'],
    ['22 decimal digits, which may be base64', '0123456789012345678901', 'base64'],
  ])('%s', (_, key, encoding) => {
    const { message } = refuses(() => new AesGcm(Buffer.from(key)), LENGTH)
    const wanted = `"key" must be 16 or 32 bytes, got length ${key.length}: it looks like text, decode it, as in`
    expect(message).toBe(`${wanted} Buffer.from(text, '${encoding}')`)
    refuses(() => new PacketProtection(Buffer.from(key)), LENGTH)
    const { message: ofSplit } = refuses(
      () => splitKey(Buffer.from(key), { threshold: 2, shares: 2 }),
      'ERR_OUT_OF_RANGE',
    )
    expect(ofSplit).toContain('it looks like text')
  })

  test('32 hex digits, where a key of 16 bytes is wanted', () => {
    const hp = Buffer.from(encoded(16, 'hex'))
    const { message } = refuses(() => new PacketProtection({ key: Buffer.alloc(16), iv: nonce, hp }), LENGTH)
    expect(message).toMatch(/^"keys\.hp" must be 16 bytes, .* Buffer\.from\(text, 'hex'\)$/)
  })

  test('bytes that are no text get no advice', () => {
    for (const length of [22, 24, 43, 44, 64])
      for (const byte of [0, 0x20, 0x2a, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7f, 0x80, 0xff]) {
        const key = Buffer.alloc(length, 'a')
        key[length - 1] = byte
        const { message } = refuses(() => new AesGcm(key), LENGTH)
        expect(message, `${length}, ${byte}`).toBe(`"key" must be 16 or 32 bytes, got length ${length}`)
      }
    const { message } = refuses(() => new AesGcm(Buffer.alloc(23, 'a')), LENGTH)
    expect(message).not.toContain('text')
  })
})

/** The warnings of a program that makes `keys`, in its own thread or in others. */
function warnings(script: string, flags: string[] = []) {
  const { status, stdout, stderr } = run(
    `process.on('warning', ({ name, code, message }) => console.log(JSON.stringify([name, code, message])))
    const make = text => new AesGcm(Buffer.from(text))
    ${script}`,
    { flags: ['--no-warnings', ...flags] },
  )
  expect([status, stderr]).toEqual([0, ''])
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as [string, string, string])
}

const CODE = 'AESGCM_KEY_LOOKS_LIKE_TEXT'
const hex = '000102030405060708090a0b0c0d0e0F'
const base64 = 'AZaz09+/-_AZaz09+/-_AZaz09+/-_=='

/** Scripts, each with the entry that it needs, and the warnings that each had. */
const asked: [string, string][] = []
const told: [[string, string, string][], unknown[]][] = []

/** Leaves a script to `askAll`, and returns a function that then gives its warnings. */
function asking(path: string, script: string) {
  const at = asked.push([path, script]) - 1
  return () => {
    const [ofScript, ofNext] = told[at] ?? [[], []]
    expect(ofScript.length + ofNext.length).toBe(1)
    return ofScript
  }
}

/**
 * Runs all scripts in one process, each with a package that was loaded anew and has not warned. So that no warning is missed because
 * one was before, a key that looks like text follows each script: it is warned of unless the script was.
 */
function askAll() {
  const answers = warnings(`
    import { createRequire } from 'node:module'
    import { setEnvironmentData } from 'node:worker_threads'
    Object.assign(globalThis, await import('node:crypto'))
    const require = createRequire(import.meta.url)
    let warned = []
    process.removeAllListeners('warning').on('warning', ({ name, code, message }) => warned.push([name, code, message]))
    for (const [path, script] of ${JSON.stringify(asked)}) {
      for (const file of Object.keys(require.cache)) if (/[\\\\/]dist[\\\\/]/.test(file)) delete require.cache[file]
      setEnvironmentData('${CODE}', undefined)
      const names = { ...require('hardware-aes-gcm'), ...require('hardware-aes-gcm/' + path) }
      Object.assign(globalThis, names)
      globalThis.make = text => new globalThis.AesGcm(Buffer.from(text))
      const seen = []
      for (const each of [script, "make('${hex}')"]) {
        warned = []
        globalThis.eval(each)
        await new Promise(setImmediate)
        seen.push(warned)
      }
      for (const name of Object.keys(names)) delete globalThis[name]
      console.log(JSON.stringify(seen))
    }`) as unknown as typeof told
  expect(answers).toHaveLength(asked.length)
  told.push(...answers)
}

describe('a key that looks like text is used, and warned of', () => {
  beforeAll(askAll)

  test.each([
    ['hex', hex, asking('stream', `make('${hex}')`)],
    ['base64', base64, asking('stream', `make('${base64}')`)],
  ])('32 %s digits silently became another key than the command means', (encoding, key, answer) => {
    const [warning, ...others] = answer()
    expect(others).toEqual([])
    expect(warning?.slice(0, 2)).toEqual(['Warning', CODE])
    expect(warning?.[2]).toContain(`Buffer.from(text, '${encoding}')`)
    expect(warning?.[2]).not.toContain(key.slice(0, 6))
    const used = new AesGcm(Buffer.from(key))
    expect(used.keyBits).toBe(256)
    expect(new AesGcm(createSecretKey(Buffer.from(key))).decrypt(used.encrypt(data)).equals(data)).toBe(true)
  })

  const ofIndex = asking(
    'keyring',
    `new BlindIndex(Buffer.from('${hex.repeat(2)}'), { purpose: 'users.email' })`,
  )
  test('64 hex digits, as the key of a blind index, which may be that long', () => {
    const [warning] = ofIndex()
    expect(warning?.[2]).toContain('a key of 64 bytes looks like text: all of its bytes are hex digits')
    expect(warning?.[2]).toContain("Buffer.from(text, 'hex')")
  })

  /** Everything that takes the bytes of a key, but for those that a protocol derives. */
  const TAKERS: [string, string, string][] = [
    ['a stream', 'stream', 'encryptBuffer(Buffer.alloc(1), KEY)'],
    ['a keyring', 'keyring', 'new Keyring([{ id: 1, key: KEY }])'],
    ['a blind index', 'keyring', "new BlindIndex(KEY, { purpose: 'users.email' })"],
    [
      'a reader of a layout',
      'legacy',
      "layoutReader({ key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })",
    ],
    [
      'a reader whose keys are derived',
      'legacy',
      "layoutReader({ key: () => KEY, layout: '{salt}{iv}{tag}{ct}', encoding: 'hex', saltBytes: 1, ivBytes: 12 }).tryOpen('00'.repeat(29))",
    ],
    [
      'a reader of typeorm-encrypted',
      'legacy',
      "typeormReader({ key: KEY, algorithm: 'aes-256-gcm', ivLength: 12 })",
    ],
  ]
  const using = (path: string, call: string, key: string) => asking(path, call.replaceAll('KEY', key))

  test.each(
    TAKERS.map(([name, path, call]) => ({
      name,
      ofBytes: using(path, call, `Buffer.from('${hex}')`),
      ofObject: using(path, call, `createSecretKey(Buffer.from('${hex}'))`),
    })),
  )('for $name too, unless a KeyObject holds it', ({ ofBytes, ofObject }) => {
    expect(ofBytes()).toEqual([['Warning', CODE, expect.stringContaining(`Buffer.from(text, 'hex')`)]])
    expect(ofObject()).toEqual([])
  })

  const splits = ['text', 'horcrux'].map(format => {
    const call = `splitKey(KEY, { threshold: 2, shares: 2, format: '${format}' })`
    return [`Buffer.from('${hex}')`, 'randomBytes(32)'].map(key => using('shamir', call, key))
  })
  test('for a key that is split too, which was not warned of', () => {
    for (const [ofText, ofRandom] of splits) {
      expect(ofText?.()).toEqual([['Warning', CODE, expect.stringContaining(`Buffer.from(text, 'hex')`)]])
      expect(ofRandom?.()).toEqual([])
    }
  })

  const MAKE: [string, string] = ['stream', 'new AesGcm(KEY)']
  const SPLIT: [string, string] = ['shamir', 'splitKey(KEY, { threshold: 2, shares: 2 })']
  const LAYOUT: [string, string] = [
    'legacy',
    "layoutReader({ key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })",
  ]
  test.each(
    [
      { by: 'make', call: MAKE, text: 'n!3*R$izc*G3v/jo', length: 16 },
      { by: 'make', call: MAKE, text: hex.slice(0, 16), length: 16 },
      { by: 'make', call: MAKE, text: 'a passphrase with a line break \\n', length: 32 },
      { by: 'splitting', call: SPLIT, text: 'n!3*R$izc*G3v/jo', length: 16 },
      { by: 'layout', call: LAYOUT, text: 'correct horse battery st', length: 24 },
    ].map(row => ({ ...row, answer: using(...row.call, `Buffer.from('${row.text}')`) })),
  )('$by: a text that is no encoded key was taken without a word: $text', ({ length, answer }) => {
    const [warning, ...others] = answer()
    expect(others).toEqual([])
    expect(warning?.[2]).toMatch(new RegExp(`^a key of ${length} bytes looks like text: .* scrypt`))
    expect(warning?.[2]).not.toContain('Buffer.from')
  })

  test('once in a process: both faces of the module, and threads that begin later', () => {
    const script = `
      import { createRequire } from 'node:module'
      import { Worker } from 'node:worker_threads'
      make('${hex}'); make('${base64}')
      const required = createRequire(import.meta.url)('hardware-aes-gcm')
      new required.AesGcm(Buffer.from('${hex}'))
      const code = "import('hardware-aes-gcm').then(({ AesGcm }) => new AesGcm(Buffer.from('${hex}')))" +
        "; process.on('warning', () => { throw new Error('a second warning') })"
      await new Promise((resolve, reject) => new Worker(code, { eval: true }).on('error', reject).on('exit', resolve))`
    expect(warnings(script)).toHaveLength(1)
  })

  test.each(
    [
      ['a KeyObject', `new AesGcm(createSecretKey(Buffer.from('${hex}')))`],
      ['text with a character that is not ASCII', `make('${hex.slice(0, 30)}\u00e9')`],
      ['a random key', 'new AesGcm(AesGcm.generateKey())'],
      ['zeros', 'new AesGcm(Buffer.alloc(32))'],
      ['white space alone', 'for (const byte of [9, 10, 13, 32]) new AesGcm(Buffer.alloc(32, byte))'],
      ['31 digits and another byte', `make('${hex.slice(0, 31)}\\0')`],
      [
        'a key that is refused for its options',
        `try { new AesGcm(Buffer.from('${hex}'), { nonceAt: 0 }) } catch {}`,
      ],
    ].map(([name, script]) => ({ name, answer: asking('stream', script as string) })),
  )('not for $name', ({ answer }) => {
    expect(answer()).toEqual([])
  })

  test('every byte has its class', () => {
    const digits = (key: Buffer) => /^[0-9A-Za-z+/=_-]*$/.test(key.toString('latin1'))
    const script = `
      import * as dist from './dist/cipher/base/key-text.cjs'
      const all = []
      for (let byte = 0; byte < 256; byte++) {
        const of = fill => dist.default.looksLike(Buffer.alloc(32, fill).fill(byte, 7, 8))
        all.push([of('a') ?? null, of('z') ?? null])
      }
      console.log(JSON.stringify(all))`
    const [found] = warnings(script) as unknown as [string | null, string | null][][]
    const wanted = Array.from({ length: 256 }, (_, byte) => {
      const text = /[\t\n\r -~]/.test(String.fromCharCode(byte)) ? 'printable' : null
      const base64 = digits(Buffer.from([byte])) ? 'base64' : text
      return [/[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 'hex' : base64, base64]
    })
    expect(found).toEqual(wanted)
  })

  test('a program that replaced process.emitWarning', () => {
    const throwing = "process.emitWarning = () => { throw new Error('of the program') }"
    // Replaced later, it is not called.
    expect(warnings(`${throwing}; make('${hex}')`)).toHaveLength(1)
    const before = `data:text/javascript,${encodeURIComponent(throwing)}`
    expect(warnings(`console.log(JSON.stringify([make('${hex}').keyBits]))`, ['--import', before])).toEqual([
      [256],
    ])
  })
})
