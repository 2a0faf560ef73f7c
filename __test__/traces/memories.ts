// Notes the memory that the library allocates or gets from Node, and makes one of these steps fail. Import it before the library.
//
// The library keeps the built-ins that it finds when it is loaded. Here they are replaced before, by functions that do the same and
// note their results. Only calls out of the library count: those whose nearest callers lie in dist/ of this package.
import crypto from 'node:crypto'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import util from 'node:util'

const LIBRARY = fileURLToPath(new URL('../../dist/', import.meta.url))

/** The error of a step that a test makes fail. */
export class Planted extends Error {}

/** All memory of the library, with what it held at first where node:crypto filled it. */
const noted: { bytes: Uint8Array; derived: boolean }[] = []
/** What node:crypto derived from secrets. */
const derived: Buffer[] = []
let steps = 0
let failing = 0

const isInLibrary = (_: Error, nearest: NodeJS.CallSite[]) =>
  nearest.some(site => site.getFileName()?.includes(LIBRARY))

/** Looks at the call sites themselves: a stack as text would be mapped to its sources first, which takes longer than the call. */
function isOfLibrary(): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = 5
  Error.prepareStackTrace = isInLibrary
  const { stack } = new Error()
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  return stack as unknown as boolean
}

// As they are before they are replaced: what this file does itself does not count.
const bufferOf = Buffer.from.bind(Buffer) as typeof Buffer.from
const { randomBytes } = crypto

type Method = (this: unknown, ...parameters: unknown[]) => unknown

/** Replaces a method by one that counts as a step and hands its result to `note`. */
function watch(object: object, name: string, note: (result: never) => void): void {
  const methods = object as Record<string, Method>
  const method = methods[name] as Method
  methods[name] = function (...parameters) {
    if (!isOfLibrary()) return method.apply(this, parameters)
    if (++steps === failing) throw new Planted(`step ${steps}, ${name}`)
    const result = method.apply(this, parameters)
    note(result as never)
    return result
  }
}

const allocated = (bytes: Uint8Array) => void noted.push({ bytes, derived: false })
const secret = (result: Uint8Array | ArrayBuffer) => {
  const bytes = ArrayBuffer.isView(result) ? result : new Uint8Array(result)
  noted.push({ bytes, derived: true })
  derived.push(bufferOf(bytes))
}
const nothing = () => {}

watch(Buffer, 'allocUnsafeSlow', allocated)
watch(Buffer, 'alloc', allocated)
watch(Buffer, 'from', allocated)
watch(fs, 'readFileSync', (content: Buffer | string) => {
  if (typeof content !== 'string') allocated(content)
})
watch(util.TextEncoder.prototype, 'encode', allocated)
watch(crypto, 'createHmac', nothing)
watch(crypto, 'createHash', nothing)
watch(crypto, 'createCipheriv', nothing)
watch(crypto, 'createDecipheriv', nothing)
watch(crypto, 'timingSafeEqual', nothing)
watch(crypto, 'hkdfSync', secret)
watch(crypto, 'pbkdf2Sync', secret)
// Secret in a run. What the library hashes when it is loaded is public, and stays.
watch(crypto, 'hash', (result: Buffer | string) => {
  if (typeof result !== 'string') allocated(result)
  derived.push(bufferOf(result as string, 'latin1'))
})
watch(crypto, 'diffieHellman', secret)
for (const name of ['createPrivateKey', 'createPublicKey', 'createSecretKey', 'generateKeyPairSync'])
  watch(crypto, name, nothing)
// Node has these from 24.7 on.
if ('encapsulate' in crypto) {
  watch(crypto, 'encapsulate', ({ sharedKey }: { sharedKey: Uint8Array }) => secret(sharedKey))
  watch(crypto, 'decapsulate', secret)
}
watch(crypto.Hmac.prototype, 'update', nothing)
watch(crypto.Hash.prototype, 'update', nothing)
watch(crypto.Hmac.prototype, 'digest', secret)
watch(crypto.Hash.prototype, 'digest', allocated)
const ciphers = crypto as never as Record<'Cipheriv' | 'Decipheriv', { prototype: object }>
for (const { prototype } of [ciphers.Cipheriv, ciphers.Decipheriv])
  for (const name of ['update', 'final']) watch(prototype, name, allocated)
watch(Object.getPrototypeOf(crypto.createSecretKey(new Uint8Array(1))), 'export', allocated)
globalThis.ArrayBuffer = new Proxy(ArrayBuffer, {
  construct(Class, parameters, target) {
    const isOurs = isOfLibrary()
    if (isOurs && ++steps === failing) throw new Planted(`step ${steps}, ArrayBuffer`)
    const memory = Reflect.construct(Class, parameters, target)
    if (isOurs) allocated(new Uint8Array(memory))
    return memory
  },
})

const WINDOW = 8
const ZEROS = Buffer.alloc(2 ** 16)

const viewOf = (bytes: Uint8Array) => bufferOf(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function isZero(memory: Buffer): boolean {
  for (let at = 0; at < memory.length; at += ZEROS.length) {
    const part = memory.subarray(at, at + ZEROS.length)
    if (!part.equals(ZEROS.subarray(0, part.length))) return false
  }
  return true
}

/** The parts of these bytes, any of which gives them away. */
function partsOf(needles: readonly Uint8Array[]): Buffer[] {
  const parts: Buffer[] = []
  for (const needle of needles)
    for (let at = 0; at + WINDOW <= needle.length; at += WINDOW)
      parts.push(bufferOf(needle.subarray(at, at + WINDOW)))
  return parts
}

/** Tells whether a memory has one of the parts. Most memories are wiped, and one comparison is enough for them. */
function holder(parts: readonly Buffer[]): (memory: Buffer) => boolean {
  const mayBeZero = parts.some(isZero)
  return memory => (mayBeZero || !isZero(memory)) && parts.some(part => memory.includes(part))
}

/** What became of a run. */
interface Trace {
  /** The steps that could have failed. */
  readonly steps: number
  readonly error: unknown
  /** Memory of the library that still has a secret. */
  readonly left: readonly string[]
}

/** What a run tells about its values. */
export interface Teller {
  /** Random bytes that no memory may have afterwards. */
  secret(length: number): Buffer
  /** Says the same of some bytes. */
  hide<Bytes extends Uint8Array | string>(bytes: Bytes): Bytes
  /** Says that a value may stay: the result of a call. */
  keep<Value>(value: Value): Value
  /** Says that an object is in use until the run has ended. */
  live<Value extends { destroy(): unknown }>(object: Value): Value
}

function* memoriesIn(value: unknown): Generator<ArrayBufferLike> {
  if (ArrayBuffer.isView(value)) yield value.buffer
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* memoriesIn(member)
}

/**
 * Runs `run`, and looks for its secrets in all memory of the library, and in what node:crypto derived from them. `fail` is the number of
 * the step to fail; 0 for none. Of a derived value, the bytes from `from` to `to` are secret; if `to` is 0, it may stay. With
 * `forget`, objects in use are left to the garbage collector. Memory of a run with `first` is searched in later runs too, because the library may use it again.
 */
export async function traced(
  run: (tell: Teller) => unknown,
  { fail = 0, from = 0, to = Infinity, forget = false, first = false } = {},
): Promise<Trace> {
  const hidden: Uint8Array[] = []
  // Referenced until the run ends: freed memory keeps its bytes, and the library may get it for a result that it has not filled.
  const sources: unknown[] = []
  const kept = new Set<ArrayBufferLike>()
  const alive: { destroy(): unknown }[] = []
  const hide = <Bytes extends Uint8Array | string>(bytes: Bytes) => {
    hidden.push(bufferOf(bytes as string))
    sources.push(bytes)
    return bytes
  }
  const keep = <Value>(value: Value) => {
    for (const memory of memoriesIn(value)) kept.add(memory)
    return value
  }
  const tell: Teller = {
    hide,
    keep,
    secret: length => hide(randomBytes(length)),
    live(object) {
      alive.push(object)
      return object
    },
  }
  const before = noted.length
  derived.length = 0
  steps = 0
  failing = fail
  let error: unknown
  try {
    keep(await run(tell))
  } catch (thrown) {
    error = thrown
  }
  const taken = steps
  failing = 0
  sources.length = 0
  if (!forget) for (const object of alive) object.destroy()
  const left = () => {
    const secrets = [...hidden, ...derived.map(bytes => bytes.subarray(from, to))]
    const holds = holder(partsOf(secrets))
    return noted
      .filter(({ bytes }) => !kept.has(bytes.buffer))
      .filter(({ bytes, derived }) => {
        const memory = viewOf(bytes)
        return (derived && to > 0 && !isZero(memory)) || holds(memory)
      })
      .map(
        ({ bytes, derived }) =>
          `${bytes.length} bytes${derived ? ', derived' : ''}: ${bufferOf(bytes).toString('hex').slice(0, 80)}`,
      )
  }
  if (forget) alive.length = 0
  for (let turn = 0; forget && turn < 50 && left().length > 0; turn++) {
    ;(globalThis as { gc?: () => void }).gc?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  const found = left()
  const again = first
    ? noted.slice(before).filter(({ bytes, derived }) => !derived && !kept.has(bytes.buffer))
    : []
  noted.splice(before, Infinity, ...again)
  return { steps: taken, error, left: found }
}

/** Notes memory as if it were the library's. */
export const note = allocated

/** How many memories of the library have a part of these bytes at this moment. */
export const held = (needle: Uint8Array | string): number => {
  const holds = holder(partsOf([bufferOf(needle as string)]))
  return noted.filter(({ bytes }) => holds(viewOf(bytes))).length
}
