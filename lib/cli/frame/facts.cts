// Facts about this machine, as `info` shows them. A fact that cannot be had is null.
import type { CpuInfo, RandomInfo } from '../../../index.d.ts'
import { AesGcm } from '../../cipher/aead/aes-gcm.cjs'
import { buffer, fs, modules } from '../../cipher/base/builtins.cjs'
import { KeyArena } from '../../cipher/machine/arena.cjs'
import { cpu } from '../../cipher/machine/cpu.cjs'
import { randomBytes, randomInfo } from '../../cipher/machine/random.cjs'
import { load } from '../../cipher/native/binary.cjs'

const { cpus } = process.getBuiltinModule('node:os')
const { dirname, join } = process.getBuiltinModule('node:path')

export interface Facts {
  readonly version: string
  readonly runtime: { readonly name: string; readonly version: string; readonly nodeApi: string | null }
  readonly platform: { readonly os: string; readonly arch: string }
  readonly cpu: { readonly model: string | null } & (CpuInfo | { readonly backend: null })
  readonly binary: {
    readonly package: string
    readonly version: string | null
    readonly interface: number
    readonly path: string
  } | null
  readonly random: RandomInfo | null
  readonly memory: {
    /** Whether a new key is in locked memory. */
    readonly keysLocked: boolean | null
    /** Whether the system leaves that memory out of core dumps. */
    readonly keysExcludedFromDumps: boolean | null
    /** Bytes that this process may lock; null if the system does not say, or has no limit. */
    readonly lockedLimit: number | 'unlimited' | null
    readonly longestBuffer: number
  }
}

/** The version in this package's package.json. */
export function version(): string {
  return String(manifestIn(join(__dirname, '../../..'))?.version)
}

/** The facts, and the failure if this machine cannot run the package. */
export function facts(): { facts: Facts; failure: unknown } {
  let failure: unknown
  const attempt = <Result,>(question: () => Result): Result | null => {
    try {
      return question()
    } catch (error) {
      failure ??= error
      return null
    }
  }
  const found = attempt(cpu)
  const random = attempt(() => {
    // A generator reports its seed after its first use.
    randomBytes(1)
    return randomInfo()
  })
  const memory = attempt(() => {
    const key = new AesGcm(AesGcm.generateKey())
    const { locked, excludedFromDumps } = KeyArena.default
    key.destroy()
    return { keysLocked: locked, keysExcludedFromDumps: excludedFromDumps }
  })
  const { bun, deno, napi } = process.versions
  const [name, release] = bun ? ['Bun', bun] : deno ? ['Deno', deno] : ['Node', process.versions.node]
  return {
    facts: {
      version: version(),
      runtime: { name, version: release, nodeApi: napi ?? null },
      platform: { os: process.platform, arch: process.arch },
      cpu: { model: cpus()[0]?.model.trim() || null, ...(found ?? { backend: null }) },
      binary: found === null ? null : binary(),
      random,
      memory: {
        ...(memory ?? { keysLocked: null, keysExcludedFromDumps: null }),
        lockedLimit: lockedLimit(),
        longestBuffer: buffer.constants.MAX_LENGTH,
      },
    },
    failure,
  }
}

/** The loaded binary: the only `.node` file of this package among the modules of this process. */
function binary(): Facts['binary'] {
  const { abiVersion } = load()
  const loaded = Object.keys(modules.createRequire(__filename).cache)
  const path = loaded.find(file => /hardware-aes-gcm\.[\w-]+\.node$/.test(file))
  if (path === undefined) return null
  const manifest = manifestIn(dirname(path))
  return {
    package: String(manifest?.name),
    version: manifest?.version ?? null,
    interface: abiVersion,
    path,
  }
}

function manifestIn(folder: string): { name: string; version: string } | null {
  try {
    return JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    return null
  }
}

/** The soft limit on locked memory (`ulimit -l`), where Linux reports it. */
function lockedLimit(): number | 'unlimited' | null {
  // Elsewhere the path is anybody's: on Windows, it is on the working folder's drive.
  if (process.platform !== 'linux') return null
  try {
    const limits = fs.readFileSync('/proc/self/limits', 'utf8')
    const [, soft] = /^Max locked memory\s+(\d+|unlimited)/m.exec(limits) ?? []
    return soft === undefined ? null : soft === 'unlimited' ? soft : Number(soft)
  } catch {
    return null
  }
}
