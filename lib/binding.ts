// Finds and loads the native binding for this platform, once, at first use; what went wrong is a typed error.
import { createRequire } from 'node:module'
import { AesGcmError, type ErrorCode } from './errors.js'
import { selfTest } from './self-test.js'
import { at } from './views.js'

/** A key in native memory. Only the binding can read it. */
export type Handle = object & { readonly __handle: never }

/** An arena of keys in native memory. */
export type ArenaHandle = object & { readonly __arena: never }

/**
 * The raw functions (src/node). Each gives zero or more when it did its work, and a negative number when it
 * refused, which `refusal` turns into an error.
 */
export interface Binding {
  readonly abiVersion: number
  readonly reasons: readonly string[]
  /** What this CPU runs, best first. */
  readonly backends: readonly string[]
  /** Every backend on any CPU: `create` takes a position in it. */
  readonly backendNames: readonly string[]
  cpuFeatures(): Record<string, boolean>
  create(
    backend: number,
    key: unknown,
    nonceAtEnd: boolean,
    verifyFirst: boolean,
    maxMessages: number,
    maxFailures: number,
    arena: ArenaHandle | undefined,
  ): Handle | number
  destroy(handle: Handle): number
  /** Gives the binding `%TypedArray%.prototype.at` as it was when this package was imported. */
  validateWith(at: unknown): number
  counts(handle: Handle, which: number): number
  createArena(keys: number): ArenaHandle | number
  /** Of an arena, or of the thread's own: its capacity (0), keys in use (1), whether it is locked (2). */
  arenaInfo(arena: ArenaHandle | undefined, which: number): number
  disposeArena(arena: ArenaHandle): number
  /** Random bytes in all of `view`; 1 where the CPU's entropy source was dropped on the way. */
  random(view: unknown): number
  /** As `random`. */
  reseed(): number
  /** Facts of the generator, by the numbers that `random.ts` gives names. */
  randomInfo(which: number): number
  encryptInPlace(handle: Handle, frame: unknown, aad?: unknown): number
  decryptInPlace(handle: Handle, frame: unknown, aad?: unknown): number
  encryptInto(handle: Handle, target: unknown, plaintext: unknown, aad?: unknown): number
  decryptInto(handle: Handle, target: unknown, frame: unknown, aad?: unknown): number
  encryptDetached(handle: Handle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
  decryptDetached(handle: Handle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
}

/** What this side was written for: `ABI_VERSION` in src/node/mod.rs. */
const ABI_VERSION = 2

// A CommonJS bundle of this module has no `import.meta.url`.
const require = createRequire(import.meta.url ?? __filename)

// Bundlers follow literal names only, so each is written out. Behind the package comes the repository's own build.
const BINARIES: Record<string, { packageName: string; candidates: readonly (() => unknown)[] }> = {
  'linux-x64-gnu': {
    packageName: '@hardware-aes-gcm/linux-x64-gnu',
    candidates: [
      () => require('@hardware-aes-gcm/linux-x64-gnu'),
      () => require('../npm/linux-x64-gnu/hardware-aes-gcm.linux-x64-gnu.node'),
    ],
  },
  'linux-x64-musl': {
    packageName: '@hardware-aes-gcm/linux-x64-musl',
    candidates: [
      () => require('@hardware-aes-gcm/linux-x64-musl'),
      () => require('../npm/linux-x64-musl/hardware-aes-gcm.linux-x64-musl.node'),
    ],
  },
  'linux-arm64-gnu': {
    packageName: '@hardware-aes-gcm/linux-arm64-gnu',
    candidates: [
      () => require('@hardware-aes-gcm/linux-arm64-gnu'),
      () => require('../npm/linux-arm64-gnu/hardware-aes-gcm.linux-arm64-gnu.node'),
    ],
  },
  'darwin-arm64': {
    packageName: '@hardware-aes-gcm/darwin-arm64',
    candidates: [
      () => require('@hardware-aes-gcm/darwin-arm64'),
      () => require('../npm/darwin-arm64/hardware-aes-gcm.darwin-arm64.node'),
    ],
  },
}

let loaded: Binding | undefined
let failure: AesGcmError | undefined

/** The binding. Throws the same typed error every time where it cannot be loaded. */
export function load(): Binding {
  if (loaded !== undefined) return loaded
  if (failure !== undefined) throw failure
  try {
    loaded = find()
    return loaded
  } catch (error) {
    failure = error instanceof AesGcmError ? error : problem('BINARY_LOAD_FAILED', 'the binary failed', error)
    throw failure
  }
}

function find(): Binding {
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? `-${libc()}` : ''}`
  const binary = Object.hasOwn(BINARIES, platform) ? BINARIES[platform] : undefined
  if (binary === undefined) {
    const there = Object.keys(BINARIES).join(', ')
    throw problem('UNSUPPORTED_PLATFORM', `there is no binary for ${platform}, only for ${there}`)
  }
  let missing: unknown
  for (const candidate of binary.candidates) {
    let binding: Binding
    try {
      binding = candidate() as Binding
    } catch (error) {
      missing ??= error
      if (isMissing(error)) continue
      throw problem('BINARY_LOAD_FAILED', `the binary for ${platform} could not be loaded`, error)
    }
    if (binding.abiVersion !== ABI_VERSION) {
      const found = `version ${binding.abiVersion} where ${ABI_VERSION} is needed`
      throw problem('INCOMPATIBLE_BINARY', `${binary.packageName} is of another release: ${found}`)
    }
    binding.validateWith(at)
    const wrong = selfTest(binding)
    if (wrong !== undefined) throw problem('SELF_TEST_FAILED', `the self-test failed: ${wrong}`)
    return binding
  }
  throw new AesGcmError(
    'ERR_AESGCM_BINARY_NOT_FOUND',
    `${binary.packageName} is not installed: install hardware-aes-gcm with its optional dependencies, on the platform it runs on`,
    { cause: missing },
  )
}

/** glibc or musl, by Node's own report: no process is started and no file is searched. */
function libc(): 'gnu' | 'musl' {
  // Deno is built for glibc alone, and would ask its user for permissions before it reports.
  if ('deno' in process.versions) return 'gnu'
  const report = process.report as typeof process.report & { excludeNetwork?: boolean }
  const before = report.excludeNetwork
  report.excludeNetwork = true
  const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } }
  if (before !== undefined) report.excludeNetwork = before
  return header?.glibcVersionRuntime === undefined ? 'musl' : 'gnu'
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND'
}

function problem(code: string, message: string, cause?: unknown): AesGcmError {
  if (!(cause instanceof Error)) return new AesGcmError(`ERR_AESGCM_${code}` as ErrorCode, message)
  return new AesGcmError(`ERR_AESGCM_${code}` as ErrorCode, `${message}: ${cause.message}`, { cause })
}
