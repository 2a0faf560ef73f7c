// Messages from file to file. types/stream.d.ts documents the functions.
import type { URL } from 'node:url'
import type { DecryptionKey, EncryptionKey, FileOptions } from '../../../types/stream.d.ts'
import { signalFrom } from '../../cipher/aead/abort.cjs'
import { codeOf, fs, urls, util } from '../../cipher/base/builtins.cjs'
import { abortError, mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { flushFolder, PartFile, refuseTaken } from '../../cipher/files/part-file.cjs'
import { sameFile } from '../../cipher/files/same-file.cjs'
import { openingKey, sealingKey } from './keys.cjs'
import { OPTIONS, type Own, type Settings, settingsOf } from './options.cjs'
import { decryptTo, encryptTo, type Route } from './transfer.cjs'

const { fileURLToPath } = urls
const { promisify } = util
const [open, close, stat, flush] = [
  promisify(fs.open),
  promisify(fs.close),
  promisify(fs.fstat),
  promisify(fs.fsync),
]
const [read, write] = [promisify(fs.read), promisify(fs.write)]
const NAMES = [...OPTIONS, 'force', 'signal', 'onProgress'] as const satisfies (keyof FileOptions)[]

type Transfer<Key> = (route: Route, key: Key, settings: Settings) => Promise<number>

export async function encryptFile(
  from: string | URL,
  to: string | URL,
  key: EncryptionKey,
  options?: FileOptions,
): Promise<{ bytes: number }> {
  return rewrite(encryptTo, from, to, () => sealingKey(key), options)
}

export async function decryptFile(
  from: string | URL,
  to: string | URL,
  key: DecryptionKey,
  options?: FileOptions,
): Promise<{ bytes: number }> {
  return rewrite(decryptTo, from, to, () => openingKey(key), options)
}

async function rewrite<Key extends { readonly bytes: Uint8Array }>(
  transfer: Transfer<Key>,
  from: string | URL,
  to: string | URL,
  keyOf: () => Key,
  options: FileOptions | undefined,
): Promise<{ bytes: number }> {
  const source = pathOf('from', from)
  const target = pathOf('to', to)
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  const settings = settingsOf(own as Own)
  const force = own('force', false)
  if (typeof force !== 'boolean') throw mustBe('options.force', 'a boolean', force)
  const onProgress = own('onProgress') as FileOptions['onProgress']
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw mustBe('options.onProgress', 'a function', onProgress)
  const signal = signalFrom(own('signal'))?.signal
  const key = keyOf()
  try {
    endIfAborted(signal)
    const descriptor = await open(source, 'r')
    try {
      // A link to the source is refused as a link.
      refuseTaken(target, force)
      if (sameFile(source, target)) throw sourceAsTarget()
      const facts = await stat(descriptor)
      const size = facts.isFile() ? facts.size : null
      const progress = (done: number) => {
        endIfAborted(signal)
        onProgress?.(done, size)
      }
      return await written(target, force, signal, to =>
        transfer({ ...between(descriptor, to), size, progress }, key, settings),
      )
    } finally {
      await close(descriptor)
    }
  } finally {
    wipe(key.bytes, 0)
  }
}

/** Reads from one descriptor's position on, and writes to another. */
function between(from: number, to: number): Pick<Route, 'read' | 'write'> {
  return {
    async read(into) {
      const { bytesRead } = await read(from, into, 0, into.length, null)
      return bytesRead
    },
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await write(to, bytes, at, bytes.length - at)
        at += bytesWritten
      }
    },
  }
}

/** Has `work` write a file, which gets its name if `work` succeeds. */
async function written(
  path: string,
  force: boolean,
  signal: AbortSignal | undefined,
  work: (descriptor: number) => Promise<number>,
): Promise<{ bytes: number }> {
  const file = new PartFile(path, force)
  try {
    const bytes = await work(file.descriptor)
    await flush(file.descriptor)
    endIfAborted(signal)
    file.close()
    file.name()
    flushFolder(file.folder)
    return { bytes }
  } finally {
    file.discard()
  }
}

function endIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal.reason)
}

/** The path of a string or a URL, as node:fs accepts it. Throws Node's errors. */
function pathOf(name: string, path: unknown): string {
  if (typeof path === 'string') return path
  try {
    return fileURLToPath(path as URL)
  } catch (error) {
    if (codeOf(error) !== 'ERR_INVALID_ARG_TYPE') throw error
    throw mustBe(name, 'a string or a URL', path)
  }
}

/** A file overwritten by its own message would be lost at the first failure. */
function sourceAsTarget(): Error {
  return wrongValue('"to" must not be the same file as "from"')
}
