// Shared by the tests: the conformance suite's tools, its arguments for AesGcm, programs of their own, the built addon.
import { spawnSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AesGcm } from 'hardware-aes-gcm'
import { Aead, type METHODS } from '../conformance/aead.mjs'
import { SEED } from '../conformance/checks.mjs'
import { CLASSES } from '../conformance/classes.mjs'

export { METHODS, refusalOf } from '../conformance/aead.mjs'
export { must, refuses, SEED, thrown } from '../conformance/checks.mjs'
export { isCiphertext, isOwn } from '../conformance/frames.mjs'
export { detach, touchy } from '../conformance/hostile.mjs'
export { cloned } from '../conformance/objects.mjs'
export { Place, Random } from '../conformance/random.mjs'

console.log(`AESGCM_SEED=${SEED}`)

const subject = CLASSES.find(({ Class }) => Class === AesGcm) as (typeof CLASSES)[0]
const aesGcm = new Aead(subject, { keyBytes: 32 })

/** One key for tests of calls that are refused. `argumentsOf` gives messages under this key. */
export const KEY = aesGcm.key
export type Method = keyof typeof METHODS
export const argumentsOf = (method: Method) => aesGcm.argumentsOf(method)

export function call(aes: AesGcm, method: Method, values: readonly unknown[]): unknown {
  return (aes[method] as (...values: unknown[]) => unknown).apply(aes, [...values])
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The name of this platform's package. `BINARY` is the addon that the build makes. */
export const PLATFORM = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`
export const BINARY = join(ROOT, 'npm', PLATFORM, `hardware-aes-gcm.${PLATFORM}.node`)

/** The events of failed authentication that `body` causes. */
export function eventsOf(body: () => void): number {
  let events = 0
  const count = () => {
    events++
  }
  subscribe('hardware-aes-gcm:authentication-failed', count)
  try {
    body()
  } finally {
    unsubscribe('hardware-aes-gcm:authentication-failed', count)
  }
  return events
}

/** Runs a script in a process of its own, with the package that is in `cwd`. */
export function run(script: string, { flags = [] as string[], cwd = ROOT } = {}) {
  const source = `import { AesGcm, cpu } from 'hardware-aes-gcm'\n${script}`
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module', '-e', source],
    { cwd, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
  )
  return { status: status ?? signal, stdout, stderr }
}

/** ArrayBuffer with resizable memory, which the compiler's library does not know yet. */
export const Resizable = ArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => ArrayBuffer & { resize(length: number): void }

/** The raw functions behind the package. */
export type Raw = Record<string, (...values: unknown[]) => unknown> & { reasons: string[] }

/** What a raw function has made. Fails for a refusal, which is a number and would be no handle of any kind. */
export function made(result: unknown): object {
  if (typeof result === 'object' && result !== null) return result
  throw new Error(`a raw function gave ${String(result)} where it should make a handle`)
}
