// What the tests share: seeded randomness, node:crypto as the oracle, memory between canaries, errors by code.
import { spawnSync } from 'node:child_process'
import { createCipheriv, createDecipheriv, createHash, randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { AesGcm, type AesGcmOptions, type Backend, cpu } from 'hardware-aes-gcm'
import { expect } from 'vitest'

/** Where all randomness of a file comes from: set AESGCM_SEED to what a failed run printed to see it again. */
export const SEED = Number(process.env.AESGCM_SEED ?? randomInt(2 ** 31))
console.log(`AESGCM_SEED=${SEED}`)

/** A generator for one purpose, so that a test run alone sees the bytes it sees among others. */
export class Random {
  readonly #keystream
  readonly #pool = Buffer.alloc(1 << 16)
  #at = this.#pool.length

  constructor(purpose: string) {
    const key = createHash('sha256').update(`${SEED} ${purpose}`).digest()
    this.#keystream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  }

  fill<T extends Uint8Array>(target: T): T {
    for (let done = 0; done < target.length; ) {
      if (this.#at === this.#pool.length) {
        this.#pool.set(this.#keystream.update(Buffer.alloc(this.#pool.length)))
        this.#at = 0
      }
      const some = this.#pool.subarray(this.#at, this.#at + target.length - done)
      target.set(some, done)
      done += some.length
      this.#at += some.length
    }
    return target
  }

  bytes(length: number): Buffer<ArrayBuffer> {
    return this.fill(Buffer.alloc(length))
  }

  below(end: number): number {
    return this.bytes(4).readUInt32LE() % end
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}

export type NonceAt = 'start' | 'end'
export type Aad = Uint8Array | null | undefined
export interface Parts {
  nonce: Buffer
  text: Buffer
  tag: Buffer
}

export const LAYOUTS = ['start', 'end'] as const
export const KEY_BYTES = [16, 32] as const

/** What node:crypto makes of a message. */
export function sealed(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad?: Aad): Parts {
  const cipher = createCipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, nonce)
  if (aad) cipher.setAAD(aad)
  const text = cipher.update(plaintext)
  cipher.final()
  return { nonce: Buffer.from(nonce), text, tag: cipher.getAuthTag() }
}

/** What node:crypto finds in a message; it throws for a bad one. */
export function opened(key: Uint8Array, { nonce, text, tag }: Parts, aad?: Aad): Buffer {
  const decipher = createDecipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, nonce)
  if (aad) decipher.setAAD(aad)
  decipher.setAuthTag(tag)
  const plaintext = decipher.update(text)
  decipher.final()
  return plaintext
}

export function frameOf(nonceAt: NonceAt, { nonce, text, tag }: Parts): Buffer {
  return Buffer.concat(nonceAt === 'start' ? [nonce, text, tag] : [text, tag, nonce])
}

export function partsOf(nonceAt: NonceAt, frame: Uint8Array): Parts {
  const [from, end] = nonceAt === 'start' ? [12, frame.length - 16] : [0, frame.length - 28]
  const part = (start: number, stop: number) => Buffer.from(frame.subarray(start, stop))
  const nonce = nonceAt === 'start' ? part(0, 12) : part(frame.length - 12, frame.length)
  return { nonce, text: part(from, end), tag: part(end, end + 16) }
}

const CANARY_BYTES = 64
const CANARIES = Buffer.alloc(2 * CANARY_BYTES, 0xa5)

/** Memory for one argument, used again and again: its bytes at any offset, and canaries on both sides. */
export class Place {
  #memory = Buffer.alloc(4096, CANARIES)
  #start = CANARY_BYTES
  #end = CANARY_BYTES

  /** `content`, beginning 64 + `offset` bytes into its ArrayBuffer. */
  put(content: Uint8Array, offset = 0): Buffer {
    this.#start = CANARY_BYTES + offset
    this.#end = this.#start + content.length
    if (this.#memory.length < this.#end + CANARY_BYTES) this.#memory = Buffer.alloc(this.#end + CANARY_BYTES)
    this.#memory.set(CANARIES.subarray(0, this.#start))
    this.#memory.set(content, this.#start)
    this.#memory.set(CANARIES.subarray(0, CANARY_BYTES), this.#end)
    return this.#memory.subarray(this.#start, this.#end)
  }

  /** Whether nobody wrote beside the content. */
  get intact(): boolean {
    const end = this.#end + CANARY_BYTES
    return (
      this.#memory.compare(CANARIES, 0, this.#start, 0, this.#start) === 0 &&
      this.#memory.compare(CANARIES, 0, CANARY_BYTES, this.#end, end) === 0
    )
  }
}

/** `expect` costs more than a message: for loops of many thousands. */
export function must(holds: boolean, what: () => string): void {
  if (!holds) throw new Error(`${what()}; AESGCM_SEED=${SEED}`)
}

/** A Buffer that shares its memory with nobody. */
export function isOwn(buffer: Buffer): void {
  expect(Buffer.isBuffer(buffer)).toBe(true)
  expect([buffer.buffer.constructor, buffer.byteOffset]).toEqual([ArrayBuffer, 0])
  expect(buffer.buffer.byteLength).toBe(buffer.length)
}

/** What `run` throws, which it must. */
export function thrown(run: () => unknown): Error & { code?: string } {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return error as Error
  }
  throw new Error('nothing was thrown')
}

const CLASS_OF: Record<string, string> = {
  ERR_INVALID_ARG_TYPE: 'TypeError',
  ERR_INVALID_ARG_VALUE: 'TypeError',
  ERR_INVALID_THIS: 'TypeError',
  ERR_OUT_OF_RANGE: 'RangeError',
  ERR_AESGCM_AUTHENTICATION_FAILED: 'AuthenticationError',
}

/** `run` throws with this code and the class that belongs to it. */
export function refuses(run: () => unknown, code: string, what = code): Error {
  const error = thrown(run)
  expect(`${error.name} ${error.code}`, `${what}: ${error.message}`).toBe(
    `${CLASS_OF[code] ?? 'AesGcmError'} ${code}`,
  )
  return error
}

/** One object for each backend of this machine, layout and order of verification, all on `key`. */
export function* variants(key: Uint8Array): Generator<{ aes: AesGcm; nonceAt: NonceAt; name: string }> {
  for (const backend of cpu().backends) {
    for (const nonceAt of LAYOUTS) {
      for (const verifyFirst of [false, true]) {
        const options: AesGcmOptions = { backend: backend as Backend, nonceAt, verifyFirst }
        const aes = new AesGcm(key, options)
        yield { aes, nonceAt, name: `${backend} AES-${key.length * 8} ${nonceAt} verifyFirst=${verifyFirst}` }
      }
    }
  }
}

/** One key for tests of what calls refuse, and messages under it. */
export const KEY = new Random('key').bytes(32)
const NONCE = new Random('nonce').bytes(12)
const TEXT = new Random('text').bytes(50)
const AAD = new Random('aad').bytes(20)
const MESSAGE = sealed(KEY, NONCE, TEXT, AAD)
const FRAME = frameOf('start', MESSAGE)

export type Method =
  | 'encrypt'
  | 'decrypt'
  | 'tryDecrypt'
  | 'encryptInto'
  | 'decryptInto'
  | 'tryDecryptInto'
  | 'encryptInPlace'
  | 'decryptInPlace'
  | 'tryDecryptInPlace'
  | 'plaintextOf'
  | 'encryptDetached'
  | 'decryptDetached'
  | 'tryDecryptDetached'

const into = { target: Buffer.alloc(90, 0x77) }
const room = { tag: Buffer.alloc(16, 0x77) }
const good = { data: MESSAGE.text, nonce: NONCE, tag: MESSAGE.tag, aad: AAD }

/** Every method that takes memory: arguments with which it succeeds, by name and in order, and which it writes. */
export const METHODS: Record<Method, { takes: Record<string, Buffer>; writes: readonly string[] }> = {
  encrypt: { takes: { plaintext: TEXT, aad: AAD }, writes: [] },
  decrypt: { takes: { frame: FRAME, aad: AAD }, writes: [] },
  tryDecrypt: { takes: { frame: FRAME, aad: AAD }, writes: [] },
  encryptInto: { takes: { ...into, plaintext: TEXT, aad: AAD }, writes: ['target'] },
  decryptInto: { takes: { ...into, frame: FRAME, aad: AAD }, writes: ['target'] },
  tryDecryptInto: { takes: { ...into, frame: FRAME, aad: AAD }, writes: ['target'] },
  encryptInPlace: { takes: { frame: FRAME, aad: AAD }, writes: ['frame'] },
  decryptInPlace: { takes: { frame: FRAME, aad: AAD }, writes: ['frame'] },
  tryDecryptInPlace: { takes: { frame: FRAME, aad: AAD }, writes: ['frame'] },
  plaintextOf: { takes: { frame: FRAME }, writes: [] },
  encryptDetached: { takes: { data: TEXT, nonce: NONCE, ...room, aad: AAD }, writes: ['data', 'tag'] },
  decryptDetached: { takes: good, writes: ['data'] },
  tryDecryptDetached: { takes: good, writes: ['data'] },
}

/** What a method that does not throw gives for a message that is not authentic. */
export const refusalOf = (method: Method): false | null => (/Detached|InPlace/.test(method) ? false : null)

/** Each method with each of its arguments. */
export const ARGUMENTS = Object.entries(METHODS).flatMap(([method, { takes }]) =>
  Object.keys(takes).map(name => [method as Method, name] as const),
)

/** Fresh arguments for a method, each on memory of its own. */
export function argumentsOf(method: Method): Record<string, Uint8Array> {
  const copies = Object.entries(METHODS[method].takes).map(([name, bytes]) => [name, new Uint8Array(bytes)])
  return Object.fromEntries(copies)
}

export function call(aes: AesGcm, method: Method, values: readonly unknown[]): unknown {
  return (aes[method] as (...values: unknown[]) => unknown).apply(aes, [...values])
}

/** With one argument replaced, the call is refused with `code`, by name, and nothing is written or counted. */
export function refusesArgument(
  aes: AesGcm,
  method: Method,
  name: string,
  value: unknown,
  code: string,
  what = '',
): void {
  const values: Record<string, unknown> = argumentsOf(method)
  const before = Object.entries(argumentsOf(method)).filter(([other]) => other !== name)
  values[name] = value
  const counts = () => [aes.messagesEncrypted, aes.bytesEncrypted, aes.failedDecryptions].join()
  const counted = counts()
  const error = refuses(() => call(aes, method, Object.values(values)), code, `${method}: ${name} ${what}`)
  expect(error.message).toContain(`"${name}"`)
  expect(counts()).toBe(counted)
  for (const [other, bytes] of before) {
    must(Buffer.compare(values[other] as Uint8Array, bytes) === 0, () => `${method} changed ${other}`)
  }
}

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** This platform's name among the packages, and its addon as the build leaves it. */
export const PLATFORM = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
export const BINARY = `${ROOT}npm/${PLATFORM}/hardware-aes-gcm.${PLATFORM}.node`

/** A script in a process of its own, which imports the package of the folder it runs in. */
export function run(script: string, { flags = [] as string[], cwd = ROOT } = {}) {
  const source = `import { AesGcm, cpu } from 'hardware-aes-gcm'\n${script}`
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module', '-e', source],
    {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  )
  return { status: status ?? signal, stdout, stderr }
}

/** A structured clone of an object, or an empty one where the runtime refuses to clone it. */
export function cloned(object: object): object {
  try {
    return structuredClone(object)
  } catch (error) {
    expect((error as Error).name).toBe('DataCloneError')
    return {}
  }
}

/** What the compiler's library does not know of yet. */
export const Resizable = ArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => ArrayBuffer & { resize(length: number): void }

/** Throws wherever it is touched, so that whoever runs code of an argument's shows. */
export function touchy(target: object): never {
  const trap = () => {
    throw new Error('code of an argument ran')
  }
  const traps = [
    'get',
    'has',
    'getPrototypeOf',
    'getOwnPropertyDescriptor',
    'ownKeys',
    'apply',
    'isExtensible',
  ]
  return new Proxy(target, Object.fromEntries(traps.map(name => [name, trap]))) as never
}

/** The raw functions behind the package. */
export type Raw = Record<string, (...values: unknown[]) => unknown> & { reasons: string[] }

/** The view, its memory taken away. */
export function detach<T extends Uint8Array>(view: T): T {
  structuredClone(view.buffer, { transfer: [view.buffer as ArrayBuffer] })
  return view
}
