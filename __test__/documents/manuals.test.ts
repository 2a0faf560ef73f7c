// Tests the manuals, whose comments editors show: each begins with one sentence, is short, and has an example that runs.
import { subscribe } from 'node:diagnostics_channel'
import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as main from 'hardware-aes-gcm'
import * as columns from 'hardware-aes-gcm/columns'
import * as cookie from 'hardware-aes-gcm/cookie'
import * as drizzle from 'hardware-aes-gcm/drizzle'
import * as hybrid from 'hardware-aes-gcm/hybrid'
import * as keyring from 'hardware-aes-gcm/keyring'
import * as kms from 'hardware-aes-gcm/kms'
import * as legacy from 'hardware-aes-gcm/legacy'
import * as passphrases from 'hardware-aes-gcm/passphrase'
import * as prisma from 'hardware-aes-gcm/prisma'
import * as quic from 'hardware-aes-gcm/quic'
import * as rotation from 'hardware-aes-gcm/rotation'
import * as sequelize from 'hardware-aes-gcm/sequelize'
import * as session from 'hardware-aes-gcm/session'
import * as shamir from 'hardware-aes-gcm/shamir'
import * as siv from 'hardware-aes-gcm/siv'
import * as stream from 'hardware-aes-gcm/stream'
import * as typeorm from 'hardware-aes-gcm/typeorm'
import * as xaes from 'hardware-aes-gcm/xaes'
import { afterAll, describe, expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'
import { EXAMPLES } from './manuals/examples.js'
import { compiled, faults, symbols } from './manuals/symbols.js'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const MANUALS = [
  'index.d.ts',
  'types/columns.d.ts',
  'types/cookie.d.ts',
  'types/drizzle.d.ts',
  'types/hybrid.d.ts',
  'types/keyring.d.ts',
  'types/kms.d.ts',
  'types/legacy.d.ts',
  'types/passphrase.d.ts',
  'types/prisma.d.ts',
  'types/quic.d.ts',
  'types/rotation.d.ts',
  'types/sequelize.d.ts',
  'types/session.d.ts',
  'types/shamir.d.ts',
  'types/siv.d.ts',
  'types/stream.d.ts',
  'types/typeorm.d.ts',
  'types/xaes.d.ts',
]
const all = MANUALS.flatMap(file => symbols(read(file)))
const examples = all.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example] as const]))

test.each(MANUALS)('every text of %s begins with one sentence, is short, and has an example', file => {
  const found = symbols(read(file))
  expect(found.length).toBeGreaterThan(4)
  expect(found.flatMap(faults)).toEqual([])
})

test('planted: no comment, two sentences, a long text, no example, a long example', () => {
  const long = 'word '.repeat(131)
  const wrong = symbols(`
    /** One. Two. */ export declare const a: 1
    /** One. */ export interface B { c: { d: 1 }\n /** Of \`e.f. g\` and 1.5. */ e: 1 }
    /** One.\n *\n * ${long} */ export type G = 1
    /** One. */ export declare function h(): void
    /** One.\n *\n * @example\n * 1\n * 2\n * 3\n * 4\n * 5\n */ export declare function i(): void
    /** One.\n *\n * @example\n * 1\n * @throws two. */ export declare function j(): void
    type Unexported = 1`)
  expect(wrong.flatMap(faults)).toEqual([
    'a: does not begin with one sentence',
    'B.c: no comment',
    'B.c.d: no comment',
    'G: 132 words',
    'h: no example',
    'i: a long example',
  ])
})

/** The headings of a document, as a manual names them. */
const headings = (file: string) => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading)

test('documents and headings that the manuals name are there', () => {
  const named = all.flatMap(({ text = '' }) => [
    ...text.replace(/\s+/g, ' ').matchAll(/(docs\/[\w/-]+\.md)(?:, "([^"]+)")?/g),
  ])
  expect(named.length).toBeGreaterThan(10)
  for (const [, file, heading] of named)
    if (heading !== undefined) expect(headings(file as string)).toContain(heading)
    else expect(read(file as string)).not.toBe('')
})

test('the packed manuals name documents by their addresses in the repository', async () => {
  const { NAMED, withAddresses } = await import(new URL('../../scripts/dist/stage.mjs', import.meta.url).href)
  const manuals = MANUALS.map(read).join('\n')
  const named = manuals.match(NAMED) as string[]
  expect(named.length).toBeGreaterThan(30)
  const packed: string = withAddresses(manuals)
  expect(packed.match(NAMED)).toBe(null)
  expect(
    packed.match(/https:\/\/github\.com\/[\w./-]+\.md/g)?.map(url => url.replace(/.*?(?=docs)/, '')),
  ).toEqual(named)
})

test('docs/errors.md has every code', () => {
  const codes = [...read('index.d.ts').matchAll(/^ {2}\| '(ERR_\w+)'$/gm)].map(([, code]) => code as string)
  expect(codes.length).toBeGreaterThan(15)
  expect(codes.filter(code => !read('docs/errors.md').includes(code))).toEqual([])
})

describe('examples', () => {
  test('each has a row in the table, and each row an example', () => {
    expect(examples.map(([name]) => name).sort()).toEqual(Object.keys(EXAMPLES).sort())
  })

  /** Two ends of one connection in memory. */
  const pair = () => {
    const [there, back] = [new PassThrough(), new PassThrough()]
    return [
      Duplex.from({ readable: back, writable: there }),
      Duplex.from({ readable: there, writable: back }),
    ]
  }
  /** Functions of files, whose paths begin in a folder of the test. */
  const folder = mkdtempSync(join(tmpdir(), 'manuals-'))
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))
  const files = (key: Uint8Array) => {
    const at = (file: string) => join(folder, file)
    const read = (file: string) => readFileSync(at(file), 'utf8')
    return {
      createReadStream: (file: string) => createReadStream(at(file)),
      createWriteStream: (file: string) => createWriteStream(at(file)),
      open: async (file: string) => new Blob([readFileSync(at(file))]),
      encryptFile: (from: string, to: string, ...rest: [never, never?]) =>
        stream.encryptFile(at(from), at(to), ...rest),
      decryptFile: (from: string, to: string, ...rest: [never, never?]) =>
        stream.decryptFile(at(from), at(to), ...rest),
      writeFileSync: (file: string, bytes: Uint8Array) => writeFileSync(at(file), bytes),
      read,
      opened: (file: string, context = '') =>
        stream.decryptBuffer(readFileSync(at(file)), key, { context }).toString(),
    }
  }
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor

  test.each(examples)('%s', async (name, example) => {
    const { before = '', holds } = EXAMPLES[name] ?? { holds: 'false' }
    const key = main.AesGcm.generateKey()
    const scope = {
      // Constants of two entries have one name: the examples use those of the main entry.
      ...{
        ...typeorm,
        ...sequelize,
        ...xaes,
        ...siv,
        ...main,
        ...columns,
        ...cookie,
        ...drizzle,
        ...hybrid,
        ...keyring,
        ...kms,
        ...legacy,
        ...passphrases,
        ...prisma,
        ...quic,
        ...rotation,
        ...session,
        ...shamir,
        ...stream,
        subscribe,
        PassThrough,
        pair,
        pipeline,
        files,
      },
      ...{ key, aes: new main.AesGcm(key), secret: main.AesGcm.generateKey() },
    }
    const script = `return (async () => { ${before} {\n${compiled(example)}\n return ${holds} } })()`
    const run = new AsyncFunction(...Object.keys(scope), script)
    expect(await run(...Object.values(scope)), script).toBe(true)
  })
})
