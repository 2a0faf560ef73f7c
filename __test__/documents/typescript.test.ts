// Compiles the examples of the README and the guide as TypeScript, under strict options, with the library of browsers, which is the
// compiler's default, and without it.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PAGES } from '../../checks/databases/pages.mjs'
import { ROOT } from '../tools/support.js'
import { examplesOf } from './examples.js'

/** Without the pages that checks/databases compiles against the packages that they need. */
const PAGES_HERE = readdirSync(join(ROOT, 'docs/guide')).filter(
  name => !PAGES.includes(basename(name, '.md')),
)
const DOCUMENTS = ['README.md', ...PAGES_HERE.map(name => `docs/guide/${name}`)]

/** Modules without types here: node:sqlite as newer versions of @types/node declare it, and what the guide uses of `ws`. */
const MODULES = `
  declare module 'node:sqlite' {
    type Value = null | number | bigint | string | Uint8Array
    interface Statement {
      run(...values: Value[]): unknown
      get(...values: Value[]): Record<string, Value> | undefined
      all(...values: Value[]): Record<string, Value>[]
    }
    export class DatabaseSync {
      constructor(path: string)
      exec(sql: string): void
      prepare(sql: string): Statement
    }
  }
  declare module 'ws' {
    interface WebSocket {
      on(event: string, listener: (value: any) => void): this
      once(event: string, listener: (value: any) => void): this
      send(data: Uint8Array, done?: () => void): void
      close(): void
      terminate(): void
    }
    export class WebSocketServer {
      constructor(options: object)
      on(event: 'connection', listener: (webSocket: WebSocket) => void): this
    }
  }`

/** Regression: with lib.dom, `pipeThrough` refused the streams of the web. */
const WEB_STREAMS = `
  import { Readable } from 'node:stream'
  import { DecryptionStream, EncryptionStream, type DecryptionReader } from 'hardware-aes-gcm/stream'
  declare const key: Buffer, response: Response, reader: DecryptionReader
  const text: ReadableStream<Buffer> = response.body!.pipeThrough(new DecryptionStream(key))
  export const again = new Response(text.pipeThrough(new EncryptionStream(key)))
  export const part = [new Response(reader.stream(1, 2)), Readable.fromWeb(reader.stream())]
  export const gzip = new Response(reader.stream().pipeThrough(new CompressionStream('gzip')))
  for await (const bytes of reader.stream()) bytes.readUInt8()
  // @ts-expect-error what is read is bytes
  export const wrong: ReadableStream<string> = response.body!.pipeThrough(new DecryptionStream(key))`

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ['node'],
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
}
/** JavaScript cannot name the type of an exported function's parameter. */
const UNTYPED = [
  "cookies/lambda.mts:4: Parameter 'event' implicitly has an 'any' type.",
  "cookies/route.mts:4: Parameter 'request' implicitly has an 'any' type.",
]
const LIBRARY = ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts']

/** In the package, whose name then means itself. */
let folder: string
const files: string[] = []
beforeAll(() => {
  mkdirSync(join(ROOT, 'target'), { recursive: true })
  folder = mkdtempSync(join(ROOT, 'target/documents-'))
  const add = (path: string, text: string) => {
    files.push(join(folder, path))
    writeFileSync(files.at(-1) as string, text)
  }
  for (const document of DOCUMENTS) {
    const page = basename(document, '.md')
    mkdirSync(join(folder, page))
    for (const { file, code } of examplesOf(document)) add(`${page}/${file.replace('.mjs', '.mts')}`, code)
  }
  add('modules.d.ts', MODULES.replaceAll('\n  ', '\n'))
  add('web-streams.mts', WEB_STREAMS)
})
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

/** Parsed files, which depend on no option in which the programs differ. */
const parsed = new Map<string, ts.SourceFile | undefined>()
const hostFor = (options: ts.CompilerOptions): ts.CompilerHost => {
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...more) => {
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...more))
    return parsed.get(name)
  }
  return host
}

const programOf = (options: ts.CompilerOptions) => ts.createProgram(files, options, hostFor(options))
const faults = (options: ts.CompilerOptions) =>
  ts.getPreEmitDiagnostics(programOf({ ...OPTIONS, ...options })).map(({ file, start = 0, messageText }) => {
    const where =
      file &&
      `${file.fileName.slice(folder.length + 1)}:${file.getLineAndCharacterOfPosition(start).line + 1}`
    return `${where}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })

describe('examples compile as they are pasted', () => {
  test('there are more than 40', () => expect(files.length).toBeGreaterThan(40))

  test.each([
    ['without lib.dom', { lib: LIBRARY }],
    ['with lib.dom, and no iteration of its streams', { lib: [...LIBRARY, 'lib.dom.d.ts'] }],
    ["with the compiler's default", {}],
  ])('%s', (_, options) => {
    expect(faults(options)).toEqual(UNTYPED)
  })
})
