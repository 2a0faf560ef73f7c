// Finds, loads and tests the binary for this platform at first use. After a temporary failure, the
// next call tries again.
import type { ErrorCode } from '../../../index.d.ts'
import {
  beginning,
  codeOf,
  hasOwn,
  join,
  keys,
  modules,
  rethrowOverflow,
  uncurried,
  urls,
} from '../base/builtins.cjs'
import { AesGcmError } from '../base/errors.cjs'
import { tryMark } from '../base/slab.cjs'
import { at, transfer } from '../base/views.cjs'
import type { Binding } from './binding.cjs'
import { cLibrary } from './c-library.cjs'
import { selfTest } from './self-test.cjs'
import { openSlate } from './slate.cjs'
import './traced.cjs'

const map: <Element, Result>(list: readonly Element[], each: (element: Element) => Result) => Result[] =
  uncurried(Array.prototype.map as never)
const filter: <Element>(list: readonly Element[], keep: (element: Element) => boolean) => Element[] =
  uncurried(Array.prototype.filter as never)
const indexOf: (text: string, part: string) => number = uncurried(String.prototype.indexOf)

/** The version of the raw functions that lib/ was written for: `ABI_VERSION` in src/node/mod.rs. */
const ABI_VERSION = 18

interface Binary {
  packageName: string
  /** From the platform's package. */
  installed: () => unknown
  /** From the repository's own build. */
  built: () => unknown
}

/**
 * All binaries, as `file` would require them. This module's own `require` would make bundlers
 * follow it to binaries that are not installed. Tools that trace files (@vercel/nft) recognise
 * `module.createRequire` only under this name, and follow only literal paths, so each path is
 * written out. Turbopack does not recognise it: traced.cts.
 */
function binariesFrom(file: string): Record<string, Binary> {
  const module = modules
  const require = module.createRequire(file)
  return {
    'linux-x64-gnu': {
      packageName: '@hardware-aes-gcm/linux-x64-gnu',
      installed: () => require('@hardware-aes-gcm/linux-x64-gnu'),
      built: () => require('../../../npm/linux-x64-gnu/hardware-aes-gcm.linux-x64-gnu.node'),
    },
    'linux-x64-musl': {
      packageName: '@hardware-aes-gcm/linux-x64-musl',
      installed: () => require('@hardware-aes-gcm/linux-x64-musl'),
      built: () => require('../../../npm/linux-x64-musl/hardware-aes-gcm.linux-x64-musl.node'),
    },
    'linux-arm64-gnu': {
      packageName: '@hardware-aes-gcm/linux-arm64-gnu',
      installed: () => require('@hardware-aes-gcm/linux-arm64-gnu'),
      built: () => require('../../../npm/linux-arm64-gnu/hardware-aes-gcm.linux-arm64-gnu.node'),
    },
    'linux-arm64-musl': {
      packageName: '@hardware-aes-gcm/linux-arm64-musl',
      installed: () => require('@hardware-aes-gcm/linux-arm64-musl'),
      built: () => require('../../../npm/linux-arm64-musl/hardware-aes-gcm.linux-arm64-musl.node'),
    },
    'darwin-arm64': {
      packageName: '@hardware-aes-gcm/darwin-arm64',
      installed: () => require('@hardware-aes-gcm/darwin-arm64'),
      built: () => require('../../../npm/darwin-arm64/hardware-aes-gcm.darwin-arm64.node'),
    },
    'darwin-x64': {
      packageName: '@hardware-aes-gcm/darwin-x64',
      installed: () => require('@hardware-aes-gcm/darwin-x64'),
      built: () => require('../../../npm/darwin-x64/hardware-aes-gcm.darwin-x64.node'),
    },
    'win32-x64': {
      packageName: '@hardware-aes-gcm/win32-x64',
      installed: () => require('@hardware-aes-gcm/win32-x64'),
      built: () => require('../../../npm/win32-x64/hardware-aes-gcm.win32-x64.node'),
    },
  }
}

/** The file that requires binaries; a guess in an ESM bundle until `lookFrom` is called. */
let here = typeof __filename === 'string' ? __filename : (process.argv[1] ?? `${process.cwd()}/index.js`)
let binaries = binariesFrom(here)

/**
 * Takes the URL of an ES module of this package. Without a `__filename`, this module is in a bundle
 * of ES modules, whose URL it then is.
 */
export function lookFrom(url: string): void {
  if (typeof __filename === 'string') return
  here = urls.fileURLToPath(url)
  // The paths of `built` are relative to this module, two folders deeper than dist/index.mjs.
  binaries = binariesFrom(urls.fileURLToPath(new urls.URL('cipher/native/binary.cjs', url)))
}

let loaded: Binding | undefined
/** A failure that lasts as long as the process: platform, package, release or self-test. */
let permanentFailure: AesGcmError | undefined

/** The binding. A permanent failure throws the same error every time. */
export function load(): Binding {
  if (loaded !== undefined) return loaded
  if (permanentFailure !== undefined) throw permanentFailure
  loaded = find()
  tryMark()
  return loaded
}

function find(): Binding {
  // Node aborts when it writes a snapshot that has loaded an addon.
  if (isBuildingSnapshot()) {
    const how = 'require hardware-aes-gcm in the function of v8.startupSnapshot.setDeserializeMainFunction'
    throw failure('BINARY_LOAD_FAILED', `a startup snapshot cannot contain native code: ${how}`)
  }
  const candidates = candidatesHere()
  let missing: unknown
  let broken: unknown
  for (const candidate of candidates) {
    let binding: Binding
    try {
      binding = requireBinary(candidate) as Binding
    } catch (error) {
      rethrowOverflow(error)
      if (isMissing(error)) missing ??= error
      else broken ??= error
      continue
    }
    return verify(binding, candidate.packageName)
  }
  const names = join(
    map(candidates, ({ packageName }) => packageName),
    ' or ',
  )
  if (broken !== undefined) throw failure('BINARY_LOAD_FAILED', `${names} could not be loaded`, broken)
  const install = 'install hardware-aes-gcm with its optional dependencies, on the platform it runs on'
  const ship =
    'if a bundler left the package behind, make hardware-aes-gcm external there (docs/platforms.md)'
  throw permanent('BINARY_NOT_FOUND', `${names} is not installed: ${install}; ${ship}`, missing)
}

function isBuildingSnapshot(): boolean {
  try {
    // Node's returns a number.
    return Boolean(process.getBuiltinModule('node:v8')?.startupSnapshot?.isBuildingSnapshot?.())
  } catch (error) {
    // Bun has the function, which throws.
    rethrowOverflow(error)
    return false
  }
}

/** The binary for this platform; both Linux binaries if the C library is unknown. */
function candidatesHere(): readonly Binary[] {
  const { platform, arch } = process
  // Deno is built for glibc alone, and would ask its user for permission to read a file.
  const library = 'deno' in process.versions ? 'gnu' : cLibrary(here)
  const libraries = library === undefined ? ['-gnu', '-musl'] : [`-${library}`]
  const suffixes = platform === 'linux' ? libraries : ['']
  const names = map(suffixes, suffix => `${platform}-${arch}${suffix}`)
  const known = filter(names, name => hasOwn(binaries, name))
  const candidates = map(known, name => binaries[name] as Binary)
  if (candidates.length > 0) return candidates
  const there = join(keys(binaries), ', ')
  throw permanent('UNSUPPORTED_PLATFORM', `there is no binary for ${names[0]}, only for ${there}`)
}

function requireBinary({ installed, built }: Binary): unknown {
  try {
    return installed()
  } catch (error) {
    if (!isMissing(error)) throw error
    try {
      return built()
    } catch (second) {
      throw isMissing(second) ? error : second
    }
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'MODULE_NOT_FOUND'
}

/** The binding, if it is of this release and passes the self-test. */
function verify(binding: Binding | null | undefined, packageName: string): Binding {
  if (binding?.abiVersion !== ABI_VERSION) {
    const found = `version ${binding?.abiVersion} where ${ABI_VERSION} is needed`
    throw permanent('INCOMPATIBLE_BINARY', `${packageName} is of another release: ${found}`)
  }
  const short = binding.validateWith(at, transfer)
  const wrong = selfTest(binding)
  if (wrong !== undefined) throw permanent('SELF_TEST_FAILED', `the self-test failed: ${wrong}`)
  openSlate(binding, short)
  return binding
}

/** Keeps the error for every later call. */
function permanent(code: string, message: string, cause?: unknown): AesGcmError {
  permanentFailure = failure(code, message, cause)
  return permanentFailure
}

function failure(code: string, message: string, cause?: unknown): AesGcmError {
  const full = `ERR_AESGCM_${code}` as ErrorCode
  if (cause === undefined) return new AesGcmError(full, message)
  const { message: why } = Object(cause) as Error
  const reason = typeof why === 'string' ? `: ${withoutStack(why)}` : ''
  return new AesGcmError(full, `${message}${reason}`, { cause })
}

/** Node's message without its list of requiring files, which the cause keeps. */
function withoutStack(message: string): string {
  const end = indexOf(message, '\nRequire stack:')
  return end < 0 ? message : beginning(message, end)
}
