// Data of any size on the way through a cipher, and failures of decryption in the command's words.
import type { DecryptionKey, EncryptionKey } from '../../../types/stream.d.ts'
import { codeOf } from '../../cipher/base/builtins.cjs'
import { FOR_RECIPIENTS, NOT_FOR_RECIPIENTS } from '../../protocols/stream/errors.cjs'
import {
  KeyBytes,
  type OpeningKey,
  openingKey,
  type SealingKey,
  sealingKey,
} from '../../protocols/stream/keys.cjs'
import { ownOptions, settingsOf } from '../../protocols/stream/options.cjs'
import { decryptTo, encryptTo, type Route } from '../../protocols/stream/transfer.cjs'
import type { PrivateKeyring } from '../../values/hybrid/private-keyring.cjs'
import type { PublicKeyring } from '../../values/hybrid/public-keyring.cjs'
import type { Call } from '../frame/command.cjs'
import { Failure, SHORTER, shortened } from '../frame/failure.cjs'
import type { Progress } from '../frame/progress.cjs'
import type { Source } from '../reading/source.cjs'

/** Writes bytes, which are used again when it has resolved. */
type Write = (bytes: Uint8Array) => Promise<void>

/** Work that writes its output piece by piece, and returns the number of bytes. */
export type Work = (write: Write, progress: Progress) => Promise<number>

/** How a message is encrypted. The key stays the caller's. */
interface SealingSecret {
  readonly key: Uint8Array | readonly PublicKeyring[]
  readonly context?: string | undefined
}

/** How a message was encrypted. The key stays the caller's. */
export interface OpeningSecret {
  readonly key: Uint8Array | PrivateKeyring
  readonly context?: string | undefined
}

// Without the warning about text of the library, because `keyIn` has judged that already.
const sealingKeyOf = (key: SealingSecret['key']): SealingKey =>
  key instanceof Uint8Array ? new KeyBytes(key) : sealingKey(key as never as EncryptionKey)
const openingKeyOf = (key: OpeningSecret['key']): OpeningKey =>
  key instanceof Uint8Array ? new KeyBytes(key) : openingKey(key as never as DecryptionKey)

/** Encrypts a source, and returns the number of bytes written. */
export async function encryptSource(
  source: Source,
  { key, context }: SealingSecret,
  write: Write,
  progress: Progress,
): Promise<number> {
  const settings = settingsOf(ownOptions({ context }))
  const own = sealingKeyOf(key)
  try {
    return await encryptTo(routeOf(source, write, progress), own, settings)
  } catch (error) {
    throw codeOf(error) === SHORTER ? shortened(source.name) : error
  } finally {
    if (own.bytes !== key) own.bytes.fill(0)
  }
}

/**
 * Decrypts a source, and returns the number of bytes written.
 * @param other the reason why another key may be needed, for a failure
 */
export async function decryptSource(
  call: Call,
  source: Source,
  { key, context }: OpeningSecret,
  write: Write,
  progress: Progress,
  other?: string,
): Promise<number> {
  const settings = settingsOf(ownOptions({ context }))
  let written = 0
  const counted = async (bytes: Uint8Array) => {
    await write(bytes)
    written += bytes.length
  }
  try {
    return await decryptTo(routeOf(source, counted, progress), openingKeyOf(key), settings)
  } catch (error) {
    throw notDecrypted(error, source.name, {
      key,
      other,
      incomplete: call.out === undefined && written > 0,
    })
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

/** Why data do not open with a key, or a keyring, as far as the library's message shows it. */
function otherThan(key: OpeningSecret['key'], { message }: Error): string {
  if (message.endsWith(FOR_RECIPIENTS))
    return 'it was probably encrypted with --to, which needs a private keyset'
  if (message.endsWith(NOT_FOR_RECIPIENTS)) return 'it was not encrypted with --to'
  if (key instanceof Uint8Array) return 'it was encrypted with another key or --context'
  return 'it was encrypted to other recipients or with another --context'
}

/** A failure of decryption in the words of a user of the command; other errors as they are. */
export function notDecrypted(
  error: unknown,
  name: string,
  {
    key,
    other = otherThan(key, error as Error),
    incomplete,
  }: { key: OpeningSecret['key']; other?: string | undefined; incomplete: boolean },
): unknown {
  const code = codeOf(error)
  const { position } = error as { position?: number }
  const what =
    code === 'ERR_AESGCM_WRONG_KEY'
      ? `cannot be decrypted: ${other}, or it was modified`
      : code === 'ERR_AESGCM_STREAM_TRUNCATED'
        ? 'is truncated: its end is missing'
        : code === 'ERR_AESGCM_AUTHENTICATION_FAILED'
          ? `was modified or truncated: authentication fails from byte ${position} on`
          : undefined
  if (what === undefined) return error
  const rest = incomplete ? '; discard the output, which is incomplete' : ''
  return new Failure(code as string, `${what}${rest}`, { about: name })
}
