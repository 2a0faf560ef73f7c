// Tests the documents: every block of JavaScript in the README, the guide and docs/formats.md runs as it is pasted into a file.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { AesGcm } from 'hardware-aes-gcm'
import { PrivateKeyring } from 'hardware-aes-gcm/hybrid'
import { BlindIndex, context, Keyring } from 'hardware-aes-gcm/keyring'
import { boringnodeReader, cloakReader, typeormReader } from 'hardware-aes-gcm/legacy'
import { decryptBuffer } from 'hardware-aes-gcm/stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, PAGES } from '../../checks/databases/pages.mjs'
import { derive, open, seal } from '../models/cobblestone.mjs'
import { ROOT } from '../tools/support.js'
import { VECTORS as TOKENS } from '../vectors/jwe.js'
import { BORINGNODE, CLOAK, TYPEORM } from '../vectors/legacy.js'
import { CASES } from '../vectors/wycheproof.js'
import { VECTORS } from '../vectors/xaes.js'
import { CONDITIONS, HANDLER, LOOSE, ROTATION, ROWS, TABLE, TABLES } from './columns.js'
import { SESSION as COOKIE, HTTP, LAMBDA, OLD_COOKIES, ROUTE } from './cookies.js'
import { examplesOf, type Run, read } from './examples.js'
import { FORMAT, KEYSET_FILE, LOOKUP, RAW, README_COLUMN, SERVICE, VALUE, VARIABLE } from './fields.js'
import { EMPTY_RANGES, FILES, MIGRATION, PART, RANGES, STREAM, UPLOAD } from './files.js'
import { CLEAR, OLD_DATA, PASSWORD, RAILS, SHAPES, TOKEN } from './tokens.js'

/** Key, frame and additional data of C2SP's vectors, in hexadecimal. */
const XAES = VECTORS.map(({ key, nonce, text, tag, aad }) =>
  [key, Buffer.concat([nonce, text, tag]), aad].map(bytes => bytes.toString('hex')),
)

/** Key, frame, additional data and plaintext of RFC 8452's answers (appendix C), in hexadecimal. */
const SIV = read('__test__/vectors/rfc8452.txt')
  .split('\n')
  .slice(1, -1)
  .map(line => {
    const [key, nonce, aad, text, sealed] = line.split(' ').map(hex => hex.replace('-', ''))
    return [key, `${nonce}${sealed}`, aad, text]
  })

/** Key, message and context of Wycheproof's valid messages of one chunk, in hexadecimal. */
const SHORT_STREAMS = CASES.filter(({ valid, sealed }) => valid && sealed.length < 100).map(
  ({ key, sealed, context }) => [key, sealed, context].map(bytes => bytes.toString('hex')),
)

/** As docs/guide/sessions.md makes it. */
const SESSION = { SESSION_SECRET: '07'.repeat(32) }

/** A client of the server of messages, which prints its answer and whether it has ended. */
const WEBSOCKET_CLIENT = `
  import { Handshake } from 'hardware-aes-gcm/session'
  import { WebSocket } from 'ws'
  const peer = new Handshake({ secret: Buffer.from(process.env.SESSION_SECRET, 'hex'), role: 'initiator' })
  const webSocket = new WebSocket('ws://localhost:' + process.argv[1])
  let session
  webSocket.on('message', message => {
    if (session !== undefined) for (const data of session.reader.open(message)) console.log(data.toString())
    else {
      session = peer.finish(message)
      for (const part of [peer.hello, session.writer.seal(Buffer.from('attack at dawn')), session.writer.end()])
        webSocket.send(part)
    }
  })
  webSocket.on('close', () => console.log(session.reader.ended))`

/** The examples of each document, in order. */
const RUNS: Record<string, Run[]> = {
  'README.md': [README_COLUMN, { prints: 'attack at dawn\n' }],
  'docs/formats.md': [
    {
      after: `for (const vector of ${JSON.stringify(XAES)})
        console.log(openXaes(...vector.map(hex => Buffer.from(hex, 'hex'))).toString())`,
      prints: 'XAES-256-GCM\nXAES-256-GCM\n',
    },
    {
      after: `
        const answers = ${JSON.stringify(SIV)}.map(parts => parts.map(hex => Buffer.from(hex, 'hex')))
        const opened = answers.filter(([key, frame, aad, text]) => openSiv(key, frame, aad).equals(text))
        const forged = answers.filter(([key, frame, aad]) => {
          frame[frame.length - 1] ^= 1
          try { return openSiv(key, frame, aad) } catch {}
        })
        console.log(opened.length, forged.length)`,
      prints: '50 0\n',
    },
    {
      after: `
        import { encryptBuffer } from 'hardware-aes-gcm/stream'
        const short = ${JSON.stringify(SHORT_STREAMS)}
        console.log(...short.map(parts => openStream(...parts.map(hex => Buffer.from(hex, 'hex'))).length))
        const [key, context, data] = [Buffer.alloc(16, 7), Buffer.from('context'), Buffer.alloc(40_000, 'data')]
        const message = encryptBuffer(data, key, { context })
        console.log(openStream(key, message, context).equals(data))
        const changed = at => { const copy = Buffer.from(message); copy[at] ^= 1; return copy }
        const wrong = [message.subarray(0, 56 + 16_400), Buffer.concat([message, Buffer.of(0)]), changed(20_000), changed(30)]
        for (const one of wrong)
          try { openStream(key, one, context) } catch (error) { console.log(error.message) }`,
      prints: `0 7 7 7 0 7 7 7
true
cut off
Unsupported state or unable to authenticate data
Unsupported state or unable to authenticate data
another key or context
`,
    },
    FORMAT,
  ],
  'docs/guide/ciphers.md': [
    { prints: 'attack at dawn 14\n' },
    { prints: 'attack at dawn 14\n' },
    {
      after: `
        const same = Buffer.from('ada@example.org'), other = Buffer.from('Ada@example.org')
        for (const data of [same, other]) siv.encryptDetached(data, nonce, tag, column)
        siv.encryptDetached(same.fill('ada@example.org'), nonce, tag, column)
        console.log(Buffer.concat([same, tag]).equals(stored), same.equals(other))
        frame[20] ^= 1
        console.log(siv.tryDecrypt(frame, column))`,
      prints: 'ada@example.org\ntrue false\nnull\n',
    },
  ],
  'docs/guide/columns.md': [TABLE, ROWS, HANDLER, CONDITIONS, LOOSE, ROTATION],
  'docs/guide/cookies.md': [COOKIE, ROUTE, HTTP, LAMBDA, OLD_COOKIES],
  'docs/guide/fields.md': [VALUE, KEYSET_FILE, VARIABLE, SERVICE, LOOKUP, RAW],
  'docs/guide/files.md': [
    PART,
    FILES,
    STREAM,
    PART,
    UPLOAD,
    RANGES,
    PART,
    MIGRATION,
    { prints: 'a photo\n' },
  ],
  'docs/guide/migration.md': TABLES,
  'docs/guide/hybrid.md': [
    { prints: '{"user":17,"ip":"192.0.2.7"} null\n' },
    { prints: 'INSERT INTO users …\nINSERT\n' },
    { prints: 'of the old key of the new key\nnull\n' },
  ],
  'docs/guide/in-place.md': [
    { prints: 'one\ntwo\n' },
    {
      after: 'console.log(aes.messagesEncrypted, aes.tryDecryptBatch(frames))',
      prints: "[ 'ada@example.org', 'bob@example.org' ]\n2 [ null, null ]\n",
    },
    {
      after: `
        const open = records.every((record, i) => aes.plaintextOf(frames.subarray(i * length, (i + 1) * length)).equals(record))
        console.log(open, aes.messagesEncrypted)`,
      prints: '0 of 3 refused\ntrue 3\n',
    },
    { prints: '42 42\n' },
  ],
  'docs/guide/keys.md': [
    { prints: /^1 (?:true|false)\n$/ },
    { prints: 'attack at dawn\n' },
    { prints: 'attack at dawn\n' },
    { prints: 'attack at dawn\n' },
    { prints: /^[\da-f]{64} 4 reseed\n$/ },
    {
      prints: /^AesGcmError: .*\n$/,
      warns: "a key is at its limit { code: 'ERR_AESGCM_KEY_EXHAUSTED', limit: 'encryptions' }\n",
    },
  ],
  'docs/guide/methods.md': [{ prints: 'attack at dawn\n' }],
  'docs/guide/off-thread.md': [{ prints: 'true 0\n' }],
  'docs/guide/quic.md': [{ prints: '7 payload\n' }, { prints: '40,41,42\n' }],
  'docs/guide/sessions.md': [
    {
      env: { ...SESSION, PORT: '0' },
      // The client is the next example, in another process.
      after: `
        import { execFile } from 'node:child_process'
        server.on('listening', () => {
          process.env.PORT = server.address().port
          execFile(process.execPath, ['client.mjs'], (error, stdout, stderr) => {
            server.close()
            console.log(error?.code ?? 0, stdout, stderr)
          })
        })`,
      prints: '0 ATTACK AT DAWN?\n \n',
    },
    // Its errors: no server is there.
    { env: { ...SESSION, PORT: '1' }, prints: '', warns: 'ECONNREFUSED\n' },
    {
      env: { ...SESSION, PORT: '0' },
      // session/garbage.test.ts sends garbage to this server. A client in its process would be refused.
      after: `
        import { execFile } from 'node:child_process'
        server.on('listening', () => {
          const client = ${JSON.stringify(WEBSOCKET_CLIENT)}
          const args = ['--input-type=module', '-e', client, server.address().port]
          execFile(process.execPath, args, (_, stdout, stderr) => server.close(() => process.stdout.write(stdout + stderr)))
        })`,
      prints: 'attack at dawn\ntrue\n',
    },
  ],
  'docs/guide/shares.md': [{ prints: 'true true\nof any length\n' }],
  'docs/guide/text.md': [
    { prints: '17\n' },
    {
      after: `
        const others = [['users', 'email', '18'], ['users', 'name', '17'], ['users,email', '', '17']].map(parts => Buffer.from(JSON.stringify(parts)))
        console.log([...others, undefined].map(aad => aes.tryDecrypt(frame, aad)).join('-'))`,
      prints: 'ada@example.org\n---\n',
    },
  ],
  'docs/guide/tokens.md': [TOKEN, PART, OLD_DATA, SHAPES, PASSWORD, RAILS, CLEAR],
}

/** The pages that checks/databases runs, with packages that npm test does not install, are tested there. */
const guide = readdirSync(join(ROOT, 'docs', 'guide'))
  .filter(name => !PAGES.includes(name.replace('.md', '')))
  .map(name => `docs/guide/${name}`)

test.each(PAGES)('checks/databases expects something of every program of docs/guide/%s.md', async page => {
  const { packages, runs } = await import(`../../checks/databases/pages/${page}.mjs`)
  const programs = blocksOf(page).filter(({ isProgram }) => isProgram)
  expect(runs).toHaveLength(programs.length)
  for (const name of packages) expect(name).toMatch(/^@?[\w./-]+@\d+(?:\.\d+){2}$/)
})

/** A port that is free, and that no system gives out by itself. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer().listen(port)
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise(resolve => server.close(resolve))
    if (isFree) return port
  }
}

describe.each(Object.entries(RUNS))('%s', (document, runs) => {
  const examples = examplesOf(document)
  /** The folder of a reader who has the package, and the files that the document names. */
  let folder: string
  beforeAll(() => {
    mkdirSync(join(ROOT, 'target'), { recursive: true })
    folder = mkdtempSync(join(ROOT, 'target/documents-'))
    for (const { file, code } of examples) writeFileSync(join(folder, file), code)
  })
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

  const node = (args: readonly string[], env: Run['env']) =>
    spawnSync(process.execPath, args, { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' })

  test('every block is tested', () => {
    expect(examples.length).toBe(runs.length)
  })

  test('a file is shown before it is imported, and has a name of its own', () => {
    const shown = examples.map(({ file }) => file)
    expect(new Set(shown).size).toBe(shown.length)
    for (const [i, { code }] of examples.entries())
      for (const [, file] of code.matchAll(/ from '\.\/(.*?)'/g)) expect(shown.slice(0, i)).toContain(file)
  })

  for (const [i, { file, code }] of examples.entries()) {
    const { after = '', flags = [], command, env, prints = '', warns = '' } = runs[i] ?? {}
    const fetchesOnWindows = process.platform === 'win32' && /\bfetch\(/.test(code + after)
    test.skipIf(fetchesOnWindows)(`block ${i + 1} runs as it stands`, async () => {
      if (command !== undefined)
        expect(node([join(ROOT, 'dist/cli/main.cjs'), ...command], {}).status).toBe(0)
      const path = after === '' ? file : `after-${file}`
      if (after !== '') writeFileSync(join(folder, path), `${code}${after}`)
      const variables = { PORT: String(await freePort()), KEYSET: keysetOf(document), ...env }
      const { stdout, stderr, status } = node([...flags, path], variables)
      const expected = prints instanceof RegExp ? expect.stringMatching(prints) : prints
      expect({ stdout, stderr, status }).toEqual({ stdout: expected, stderr: warns, status: 0 })
    })
  }
})

test.skipIf(process.platform === 'win32')(
  'the server of ranges in docs/guide/files.md answers for a file without bytes',
  () => {
    const { code = '' } =
      examplesOf('docs/guide/files.md').find(({ code }) => code.includes('DecryptionReader.open(')) ?? {}
    const folder = mkdtempSync(join(ROOT, 'target/documents-'))
    const program = `${code.replace('100_000', '0')}${EMPTY_RANGES.after}`
    writeFileSync(join(folder, 'key.mjs'), 'export const key = Buffer.alloc(32, 7)')
    writeFileSync(join(folder, 'server.mjs'), program)
    const env = { ...process.env, PORT: '0' }
    const { stdout, stderr } = spawnSync(process.execPath, ['server.mjs'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true, maxRetries: 10 })
    expect({ stdout, stderr }).toEqual({ stdout: EMPTY_RANGES.prints, stderr: '' })
  },
)

/** The line of an environment variable that a document shows. */
function keysetOf(document: string): string {
  return /^KEYSET=(\S+)/m.exec(read(document))?.[1] ?? ''
}

test('the line of an environment variable in docs/guide/fields.md is a keyset', () => {
  expect(Keyring.parse(keysetOf('docs/guide/fields.md')).keys).toHaveLength(2)
})

test('every document of the guide is tested', () => {
  expect(Object.keys(RUNS).sort()).toEqual(['README.md', 'docs/formats.md', ...guide].sort())
})

test('the frame of docs/formats.md opens in both layouts', () => {
  const [, ...parts] = read('docs/formats.md').match(/```\n(\w{24}) (\w{16}) (\w{32})\n```/) ?? []
  const [nonce, text, tag] = parts as [string, string, string]
  const key = Uint8Array.from({ length: 32 }, (_, i) => i)
  const [start, end] = [nonce + text + tag, text + tag + nonce].map(hex => Buffer.from(hex, 'hex'))
  const aad = Buffer.from('feedface', 'hex')
  expect(new AesGcm(key).decrypt(start as Buffer, aad).toString()).toBe('hardware')
  expect(new AesGcm(key, { nonceAt: 'end' }).decrypt(end as Buffer, aad).toString()).toBe('hardware')
})

test('the XAES frame of docs/formats.md is that of C2SP', () => {
  const [, ...parts] = read('docs/formats.md').match(/```\n(\w{48}) (\w{24}) (\w{32})\n```/) ?? []
  expect(parts.join('')).toBe(XAES[1]?.[1])
  expect(read('docs/formats.md')).toContain(VECTORS[1]?.derivedKey.toString('hex'))
})

test('the SIV frame of docs/formats.md is that of RFC 8452', () => {
  const [, ...parts] = read('docs/formats.md').match(/```\n(\w{24}) (\w{24}) (\w{32})\n```/) ?? []
  const [key, , aad, text] = SIV.find(([, frame]) => frame === parts.join('')) ?? []
  for (const hex of [key, aad, text, parts[0]]) expect(read('docs/formats.md')).toContain(`\`${hex}\``)
})

test('the sealed text of docs/formats.md opens with its keyset in both forms', () => {
  const document = read('docs/formats.md')
  const [, keyset = ''] = document.match(/```json\n(\{\n {2}"primaryKeyId".*?)```/s) ?? []
  const [, line = ''] = document.match(/```\n(3735928559:\S+)\n```/) ?? []
  const [, bytes = '', text = ''] = document.match(/```\n(01deadbeef .*?)\n```\n\n```\n(\S+)\n```/) ?? []
  expect(Buffer.from(bytes.replaceAll(' ', ''), 'hex').toString('base64url')).toBe(text)
  for (const form of [keyset, line]) {
    expect(Keyring.parse(form).openText(text, context('users', 'email', 17))).toBe('hardware')
  }
  const [, parts = ''] = document.match(/```\n(03 00 .*?)```/s) ?? []
  const picture = parts.replace(/ {2}(.*)/g, (_, letters: string) =>
    Buffer.from(letters.replaceAll(' ', '')).toString('hex'),
  )
  expect(picture.replace(/\s/g, '')).toBe(context('users', 'email', 17).toString('hex'))
  const index = new BlindIndex(
    Uint8Array.from({ length: 32 }, (_, i) => i),
    { purpose: 'users.email' },
  )
  expect(document).toContain(`\`users.email\` is \`${index.of('ada@example.org')}\``)
})

test('the streams of docs/formats.md are those of the model', () => {
  const document = read('docs/formats.md')
  const counted = (length: number, from = 0) => Buffer.from(Array.from({ length }, (_, i) => from + i))
  for (const key of [counted(32), counted(16)]) {
    const context = Buffer.from('backup')
    const message = seal(key, Buffer.from('hardware'), counted(24, 0xa0), context)
    const hex = (start: number, end?: number) => message.subarray(start, end).toString('hex')
    expect(document).toContain(`${hex(0, 24)}\n${hex(24, 56)}\n${hex(56, 64)} ${hex(64)}\n`)
    expect(open(key, message, context)).toMatchObject({ ok: true })
    const derived = derive(key, counted(24, 0xa0), context)
    for (const secret of [derived.key, derived.baseNonce])
      expect(document).toContain(`\`${secret.toString('hex')}\``)
  }
})

test('the message to a recipient of docs/formats.md opens', () => {
  const document = read('docs/formats.md')
  const [, hex = ''] = document.match(/```\n(41475231 .*?)\n```/s) ?? []
  const [, value = ''] = document.match(/`(EioSBgg\S+)`/) ?? []
  const typeUrl = 'type.googleapis.com/google.crypto.tink.HpkePrivateKey'
  const keyData = { typeUrl, value, keyMaterialType: 'ASYMMETRIC_PRIVATE' }
  const key = { keyData, status: 'ENABLED', keyId: 3735928559, outputPrefixType: 'TINK' }
  const keyring = PrivateKeyring.parse(JSON.stringify({ primaryKeyId: key.keyId, key: [key] }))
  const message = Buffer.from(hex.replace(/\s/g, ''), 'hex')
  expect(decryptBuffer(message, keyring, { context: 'backup' }).toString()).toBe('hardware')
})

test('the token of docs/formats.md is that of jose', () => {
  const document = read('docs/formats.md')
  expect(document).toContain(`\n${TOKENS[0]?.token}\n`)
  const ring = new Keyring([{ key: Buffer.from(TOKENS[0]?.key as string, 'hex'), prefix: 'raw' }])
  expect(ring.openJwe(TOKENS[0]?.token as string).toString()).toBe('attack at dawn')
})

test('the old texts of docs/formats.md open', () => {
  const document = read('docs/formats.md')
  const [boringnode, typeorm] = [BORINGNODE, TYPEORM[0] as (typeof TYPEORM)[0]]
  for (const { sealed, text, ...rest } of [CLOAK, boringnode, typeorm])
    for (const part of [sealed, text, ...Object.values(rest)]) expect(document).toContain(`${part}`)
  expect(cloakReader(CLOAK.key).open(CLOAK.sealed)).toBe(CLOAK.text)
  expect(boringnodeReader({ id: boringnode.id, keys: boringnode.keys }).open(boringnode.sealed)).toBe(
    CLOAK.text,
  )
  const { key, ivLength } = typeorm
  expect(typeormReader({ key, ivLength, algorithm: 'aes-256-gcm' }).open(typeorm.sealed)).toBe(CLOAK.text)
})
