// Data of any size on the way through a cipher, and failures of decryption in the command's words.
import { codeOf } from '../../base/builtins.cjs'
import { ownOptions, settingsOf } from '../../stream/options.cjs'
import { decryptTo, encryptTo, type Route } from '../../stream/transfer.cjs'
import type { Call } from '../frame/command.cjs'
import { Failure, SHORTER, shortened } from '../frame/failure.cjs'
import type { Progress } from '../frame/progress.cjs'
import type { Source } from '../reading/source.cjs'

/** Writes bytes, which are used again when it has resolved. */
type Write = (bytes: Uint8Array) => Promise<void>

/** Work that writes its output piece by piece, and returns the number of bytes. */
export type Work = (write: Write, progress: Progress) => Promise<number>

/** How a message is encrypted, or was. The key stays the caller's. */
export interface Secret {
  readonly key: Uint8Array
  readonly context?: string | undefined
}

/** Encrypts a source, and returns the number of bytes written. */
export async function encryptSource(
  source: Source,
  { key, context }: Secret,
  write: Write,
  progress: Progress,
): Promise<number> {
  const settings = settingsOf(ownOptions({ context }))
  try {
    return await encryptTo(routeOf(source, write, progress), key, settings)
  } catch (error) {
    throw codeOf(error) === SHORTER ? shortened(source.name) : error
  }
}

/**
 * Decrypts a source, and returns the number of bytes written.
 * @param other the reason why another key may be needed, for a failure
 */
export async function decryptSource(
  call: Call,
  source: Source,
  { key, context }: Secret,
  write: Write,
  progress: Progress,
  other = OTHER_KEY,
): Promise<number> {
  const settings = settingsOf(ownOptions({ context }))
  let written = 0
  const counted = async (bytes: Uint8Array) => {
    await write(bytes)
    written += bytes.length
  }
  try {
    return await decryptTo(routeOf(source, counted, progress), key, settings)
  } catch (error) {
    throw notDecrypted(error, source.name, { other, incomplete: call.out === undefined && written > 0 })
  }
}

function routeOf(source: Source, write: Write, progress: Progress): Route {
  const { size } = source
  progress.begin(size)
  return {
    read: into => source.read(into),
    write,
    size,
    progress: done => progress.at(done),
    stop: () => source.stop(),
  }
}

const OTHER_KEY = 'it was encrypted with another key or --context'

/** A failure of decryption in the words of a user of the command; other errors as they are. */
export function notDecrypted(
  error: unknown,
  name: string,
  { other = OTHER_KEY, incomplete }: { other?: string; incomplete: boolean },
): unknown {
  const code = codeOf(error)
  const { position } = error as { position?: number }
  const what =
    code === 'ERR_AESGCM_WRONG_KEY'
      ? `does not open: ${other}, or it was changed`
      : code === 'ERR_AESGCM_STREAM_TRUNCATED'
        ? 'was cut off: its end is missing'
        : code === 'ERR_AESGCM_AUTHENTICATION_FAILED'
          ? `was changed, or cut off: its data are not authentic from byte ${position} on`
          : undefined
  if (what === undefined) return error
  const rest = incomplete ? '; the output is incomplete, discard it' : ''
  return new Failure(code as string, `${what}${rest}`, { about: name })
}
