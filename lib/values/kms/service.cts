// One call of a key service: its time-out, its errors, and the bytes of its answer.
import { signalFrom } from '../../cipher/aead/abort.cjs'
import {
  AbortController,
  addAbortListener,
  clearTimeout,
  dispose,
  setTimeout,
  types,
  uncurried,
} from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import {
  AesGcmError,
  abortError,
  mustBe,
  notBytes,
  outOfRange,
  surrogate,
  wrongType,
  wrongValue,
} from '../../cipher/base/errors.cjs'
import { codedIfRevoked, count } from '../../cipher/base/parse.cjs'
import { isWellFormed } from '../../cipher/base/utf8.cjs'
import { byteLength } from '../../cipher/base/views.cjs'

const { isUint8Array } = types
const Promised = Promise
const test: (pattern: RegExp, text: string) => boolean = uncurried(RegExp.prototype.test)

const TIMEOUT = 10_000
const MAX_TIMEOUT = 600_000

/** What every call of a service obeys. */
export interface Patience {
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

type Own = (name: never, fallback?: unknown) => unknown

export function patienceOf(own: Own): Patience {
  const timeout = count('options.timeout', own('timeout' as never, TIMEOUT), 1, MAX_TIMEOUT)
  const signal = signalFrom(own('signal' as never))?.signal
  return { timeout, signal }
}

/** A text of the options that must not be empty. */
export function textOption(own: Own, name: string): string {
  const value = own(name as never)
  if (typeof value !== 'string') throw mustBe(`options.${name}`, 'a string', value)
  if (value === '') throw wrongValue(`"options.${name}" must not be empty`)
  if (!isWellFormed(value)) throw surrogate(`options.${name}`)
  return value
}

/** Refuses a client without the functions that are called. `help` says which client has them. */
export function checkClient(client: unknown, functions: readonly string[], help: string): void {
  const has = (name: string) => {
    try {
      return typeof (client as Record<string, unknown> | null)?.[name] === 'function'
    } catch (error) {
      throw codedIfRevoked('client', client, error)
    }
  }
  for (let i = 0; i < functions.length; i++) {
    if ((typeof client === 'object' || typeof client === 'function') && has(functions[i] as string)) continue
    throw wrongType(`"client" must have the function ${functions[i]}, as ${help} has`)
  }
}

/** Refuses bytes that are none, or too many for the service, before the service is called. */
export function checkKeyset(service: string, keyset: unknown, most: number): Uint8Array {
  if (!isUint8Array(keyset)) throw notBytes('keyset', keyset)
  const length = lengthOf('keyset', keyset)
  if (length <= most) return keyset
  const what = `the keyset has ${length} bytes, and ${service} encrypts at most ${most}: delete unused keys, or wrap it with another keyring, and wrap that one with the service`
  throw outOfRange(what)
}

export function checkWrapped(wrapped: unknown): Uint8Array {
  if (!isUint8Array(wrapped)) throw notBytes('wrapped', wrapped)
  lengthOf('wrapped', wrapped)
  return wrapped
}

/**
 * The answer of one call. `call` gets a signal, which is aborted when the time is over; a client
 * that ignores the signal is not waited for.
 */
export async function ask<Answer>(
  service: string,
  operation: string,
  { timeout, signal }: Patience,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  if (signal?.aborted) throw abortError(signal.reason)
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let listener: Disposable | undefined
  try {
    const end = new Promised<never>((_, reject) => {
      timer = setTimeout(() => {
        const what = `${service} did not answer ${operation} within ${timeout} ms`
        reject(failure(what, undefined))
        controller.abort()
      }, timeout)
      if (signal !== undefined)
        listener = addAbortListener(signal, () => {
          reject(abortError(signal.reason))
          controller.abort()
        })
    })
    const answer = (async () => {
      try {
        return await call(controller.signal)
      } catch (cause) {
        if (cause instanceof AesGcmError) throw cause
        throw failure(`${service} failed at ${operation}${nameOf(cause)}`, cause)
      }
    })()
    return await Promised.race([answer, end])
  } finally {
    clearTimeout(timer)
    listener?.[dispose]()
  }
}

/** The bytes that an answer must have. */
export function bytesIn(service: string, operation: string, answer: unknown, name: string): Uint8Array {
  const value = (answer as Record<string, unknown> | null | undefined)?.[name]
  if (isUint8Array(value) && byteLength(value) > 0) return value
  throw garbage(service, operation, `without ${name}`)
}

export function garbage(service: string, operation: string, what: string): AesGcmError {
  return failure(`${service} answered ${operation} ${what}`, undefined)
}

export function failure(what: string, cause: unknown): AesGcmError {
  return new AesGcmError('ERR_AESGCM_KEY_SERVICE', what, cause === undefined ? undefined : { cause })
}

/** The name of a service's error. Its message, which may contain anything, stays in the cause. */
function nameOf(cause: unknown): string {
  const name = types.isNativeError(cause) ? `${cause.name}` : ''
  return test(/^\w{1,64}$/, name) ? `: ${name}` : ''
}
