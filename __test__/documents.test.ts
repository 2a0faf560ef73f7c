// Tests the documents: every block of JavaScript in the README, the guide and docs/formats.md runs as it stands.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, context, Keyring } from 'hardware-aes-gcm/keyring'
import { boringnodeReader, cloakReader, typeormReader } from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import {
  COLUMN,
  FORMAT,
  KEYSET_FILE,
  LOOKUP,
  RAW,
  README_FIELD,
  SERVICE,
  UNKNOWN,
  VARIABLE,
} from './documents/fields.js'
import { EMPTY_RANGES, FILES, MIGRATION, RANGES, README_FILE, STREAM, UPLOAD } from './documents/files.js'
import { CLEAR, COOKIE, NEXT_AUTH, OLD_DATA, PASSWORD, RAILS, SHAPES, TOKEN } from './documents/tokens.js'
import { VECTORS as TOKENS } from './jwe/vectors.js'
import { BORINGNODE, CLOAK, TYPEORM } from './legacy/vectors.js'
import { derive, open, seal } from './stream/model.js'
import { CASES } from './stream/wycheproof.js'
import { ROOT } from './support.js'
import { VECTORS } from './xaes/vectors.js'

const KEY = 'const key = Buffer.alloc(32, 7)\n'
const SECRET = 'const secret = Buffer.alloc(32, 7)\n'
const SESSION = "process.env.SESSION_SECRET = '07'.repeat(32)\n"
/** A client of the server of messages, which prints its answer and whether it has ended. */
const WEBSOCKET_CLIENT = `${SECRET}
  import { Handshake } from 'hardware-aes-gcm/session'
  import { WebSocket } from 'ws'
  const peer = new Handshake({ secret, role: 'initiator' })
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
const PACKETS = "const connectionId = Buffer.from('8394c8f03e515708', 'hex')\n"

/** Key, frame and additional data of C2SP's vectors, in hexadecimal. */
const XAES = VECTORS.map(({ key, nonce, text, tag, aad }) =>
  [key, Buffer.concat([nonce, text, tag]), aad].map(bytes => bytes.toString('hex')),
)

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Key, frame, additional data and plaintext of RFC 8452's answers (appendix C), in hexadecimal. */
const SIV = read('__test__/siv/rfc8452.txt')
  .split('\n')
  .slice(1, -1)
  .map(line => {
    const [key, nonce, aad, text, sealed] = line.split(' ').map(hex => hex.replace('-', ''))
    return [key, `${nonce}${sealed}`, aad, text]
  })

type Code = string | ((blocks: string[]) => string)

/** Key, message and context of Wycheproof's valid messages of one chunk, in hexadecimal. */
const SHORT_STREAMS = CASES.filter(({ valid, sealed }) => valid && sealed.length < 100).map(
  ({ key, sealed, context }) => [key, sealed, context].map(bytes => bytes.toString('hex')),
)

interface Block {
  /** Code before and after the block, which stands as it is between them; or what makes the code of all blocks of the document. */
  before?: Code
  after?: Code
  /** Flags of Node. */
  flags?: readonly string[]
  /** What the program prints. */
  prints: string | RegExp
}

/** The blocks of each document, in order. */
const BLOCKS: Record<string, Block[]> = {
  'README.md': [
    { prints: 'attack at dawn\n' },
    README_FIELD,
    README_FILE,
    {
      before: `${SECRET}
        import { duplexPair } from 'node:stream'
        import { secureStream as peers } from 'hardware-aes-gcm/session'
        import { PassThrough, Duplex } from 'node:stream'
        const [there, back] = [new PassThrough(), new PassThrough()]
        const socket = Duplex.from({ readable: back, writable: there })
        const peer = peers(Duplex.from({ readable: there, writable: back }), { secret, role: 'responder', allowSelf: true })
        peer.pipe(peer)\n`,
      prints: 'attack at dawn\n',
    },
    { before: KEY, after: 'console.log(restored.equals(key), shares.length)', prints: 'true 5\n' },
  ],
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
    { before: KEY, prints: 'attack at dawn 14\n' },
    { before: KEY, prints: 'attack at dawn 14\n' },
    {
      before: KEY,
      after: `
        const others = ['Ada@example.org', ''].map(seal)
        const forged = Buffer.from(stored)
        forged[0] ^= 1
        console.log(others.some(other => other.equals(stored)), others.map(open).join(), open(forged), open(Buffer.alloc(5)))`,
      prints: 'true ada@example.org\nfalse Ada@example.org, null null\n',
    },
  ],
  'docs/guide/fields.md': [COLUMN, KEYSET_FILE, VARIABLE, SERVICE, LOOKUP, UNKNOWN, RAW],
  'docs/guide/files.md': [FILES, STREAM, UPLOAD, RANGES, MIGRATION, { before: KEY, prints: 'a photo\n' }],
  'docs/guide/in-place.md': [
    {
      before: `${KEY}
        import { EventEmitter } from 'node:events'
        const records = ['one', 'two'].map(text => Buffer.alloc(1024, text))
        const received = [], socket = new EventEmitter(), handle = plaintext => received.push(plaintext.toString('latin1', 0, 3))
        const sent = async frame => void sentFrames.push(Buffer.from(frame)), sentFrames = []\n`,
      after: `for (const frame of sentFrames) socket.emit('frame', frame)
        socket.emit('frame', sentFrames[0])
        console.log(received.join())`,
      prints: 'one,two\n',
    },
    {
      before: `${KEY}
        const rows = [0, 17, 300].map(length => Buffer.alloc(length, length)), ids = ['a', 'b', 'c']\n`,
      after: 'console.log(rows.every((row, i) => row.equals(opened[i])), aes.messagesEncrypted)',
      prints: 'true 3\n',
    },
    {
      before: `${KEY}const records = [1, 2, 3].map(n => Buffer.alloc(64, n))\n`,
      after: `const plain = records.every((record, i) => record.equals(aes.plaintextOf(frameAt(i))))
        console.log(plain, aes.messagesEncrypted)`,
      prints: '0 of 3 refused\ntrue 3\n',
    },
  ],
  'docs/guide/keys.md': [
    { before: KEY, prints: /^1 (?:true|false)\n$/ },
    { before: 'const buffer = Buffer.alloc(9)\n', after: 'console.log(token.length)', prints: '32\n' },
    {
      after: `
        import { AesGcm } from 'hardware-aes-gcm'
        console.warn = console.log
        const spent = new AesGcm(AesGcm.generateKey(), { maxMessages: 0 })
        try { spent.encrypt(Buffer.of(1)) } catch {}`,
      prints: 'a key is at its limit of encryptions\n',
    },
  ],
  'docs/guide/off-thread.md': [
    {
      before: `${KEY}const plaintext = Buffer.from('off the main thread')\n`,
      after: 'console.log(opened.toString())',
      prints: 'off the main thread\n',
    },
  ],
  'docs/guide/quic.md': [
    {
      before: `${PACKETS}
        const [packetNumberOffset, headerLength] = [9, 10]
        const packet = Buffer.concat([Buffer.of(0x40), connectionId, Buffer.from('\\0quic'), Buffer.alloc(16)])\n`,
      after: "console.log(number, packet.toString('latin1', 10, 14))",
      prints: '7 quic\n',
    },
    { before: PACKETS, after: 'console.log([...numbers].join())', prints: '40,41,42\n' },
  ],
  'docs/guide/sessions.md': [
    {
      before: `${SESSION}process.env.PORT = '0'\n`,
      // The client is the next block, in another process.
      after: ([, client]) => `
        import { execFile } from 'node:child_process'
        server.on('listening', () => {
          process.env.PORT = server.address().port
          execFile(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(client)}], (error, stdout, stderr) => {
            server.close()
            console.log(error?.code ?? 0, stdout, stderr)
          })
        })`,
      prints: '0 ATTACK AT DAWN?\n \n',
    },
    // Its errors: no server is there.
    { before: `${SESSION}process.env.PORT = '1'\nconsole.error = console.log\n`, prints: 'ECONNREFUSED\n' },
    {
      before: `${SECRET}
        import { WebSocket } from 'ws'
        const port = 0\n`,
      // session-garbage.test.ts sends garbage to this server. A client in its process would be refused.
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
  'docs/guide/shares.md': [
    {
      before: KEY,
      after: 'console.log(restored.equals(key), again === shares[1], opened.toString())',
      prints: 'true true of any length\n',
    },
  ],
  'docs/guide/text.md': [
    { before: KEY, prints: '17\n' },
    {
      before: "for (const text of ['AQ!ID', 'AQID']) {\n",
      after: 'console.log(isCanonical, bytes.length) }',
      prints: 'false 3\ntrue 3\n',
    },
    {
      before: `process.env.COLUMN_KEY = '07'.repeat(32)\n`,
      after: `
        const others = [place('users', 'email', 18), place('users', 'name', 17), place('users,email', '', 17), undefined]
        console.log(others.map(aad => aes.tryDecrypt(frame, aad)).join('-'), place('users', 'email', 17n).toString())`,
      prints: 'ada@example.org\n--- ["users","email","17"]\n',
    },
  ],
  'docs/guide/tokens.md': [TOKEN, NEXT_AUTH, COOKIE, OLD_DATA, SHAPES, PASSWORD, RAILS, CLEAR],
}

const guide = readdirSync(join(ROOT, 'docs', 'guide')).map(name => `docs/guide/${name}`)

describe.each(Object.entries(BLOCKS))('%s', (file, blocks) => {
  const found = [...read(file).matchAll(/```(?:js|ts)\n(.*?)```/gs)].map(([, block]) => block as string)

  test('every block is tested', () => {
    expect(found.length).toBe(blocks.length)
  })

  for (const [i, block] of blocks.entries()) {
    const code = (part: Code = '') => (typeof part === 'function' ? part(found) : part)
    const script = `${code(block.before)}${found[i]}${code(block.after)}`
    const servesOnWindows = process.platform === 'win32' && /\bfetch\(|'node:http'/.test(script)
    test.skipIf(servesOnWindows)(`block ${i + 1} runs as it stands`, () => {
      const flags = [...(block.flags ?? []), '--input-type=module', '-e', script]
      const { stdout, stderr, status } = spawnSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })
      const prints = block.prints instanceof RegExp ? expect.stringMatching(block.prints) : block.prints
      expect({ stdout, stderr, status }).toEqual({ stdout: prints, stderr: '', status: 0 })
    })
  }
})

test.skipIf(process.platform === 'win32')(
  'the server of ranges in docs/guide/files.md answers for a file without bytes',
  () => {
    const block = [...read('docs/guide/files.md').matchAll(/```js\n(.*?)```/gs)].find(([, code]) =>
      code?.includes('createServer('),
    )
    const script = `${EMPTY_RANGES.before}${block?.[1]}${EMPTY_RANGES.after}`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect({ stdout, stderr }).toEqual({ stdout: EMPTY_RANGES.prints, stderr: '' })
  },
)

test('docs/guide/fields.md encrypts, rotates and counts a column in under 30 lines', () => {
  const [, block = ''] = /```js\n(.*?)```/s.exec(read('docs/guide/fields.md')) ?? []
  for (const part of ['sealText(', 'rotate(', 'count(*)', 'substr(']) expect(block).toContain(part)
  expect(block.split('\n').length - 1).toBeLessThan(30)
})

test('the line of an environment variable in docs/guide/fields.md is a keyset', () => {
  const [, line] = /^KEYSET=(\S+)/m.exec(read('docs/guide/fields.md')) ?? []
  expect(Keyring.parse(line as string).keys).toHaveLength(2)
})

test('every document of the guide is tested', () => {
  expect(Object.keys(BLOCKS).sort()).toEqual(['README.md', 'docs/formats.md', ...guide].sort())
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
