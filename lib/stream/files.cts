// Messages from file to file. types/stream.d.ts documents the functions.
import type { KeyObject } from 'node:crypto'
import type { FileOptions } from '../../types/stream.d.ts'
import { signalFrom } from '../aead/abort.cjs'
import { fs, util } from '../base/builtins.cjs'
import { abortError, mistake } from '../base/errors.cjs'
import { optionsOf } from '../base/parse.cjs'
import { kindOf, wipe } from '../base/views.cjs'
import { flushFolder, PartFile } from '../files/part-file.cjs'
import { copyOfKey, OPTIONS, type Own, type Settings, settingsOf } from './options.cjs'
import { decryptTo, encryptTo, type Route } from './transfer.cjs'

const { promisify } = util
const [open, close, stat, flush] = [
  promisify(fs.open),
  promisify(fs.close),
  promisify(fs.fstat),
  promisify(fs.fsync),
]
const [read, write] = [promisify(fs.read), promisify(fs.write)]
const NAMES = [...OPTIONS, 'force', 'signal', 'onProgress'] as const satisfies (keyof FileOptions)[]

type Transfer = (route: Route, key: Uint8Array, settings: Settings) => Promise<number>

export async function encryptFile(
  from: string,
  to: string,
  key: Uint8Array | KeyObject,
  options?: FileOptions,
): Promise<{ bytes: number }> {
  return rewrite(encryptTo, from, to, key, options)
}

export async function decryptFile(
  from: string,
  to: string,
  key: Uint8Array | KeyObject,
  options?: FileOptions,
): Promise<{ bytes: number }> {
  return rewrite(decryptTo, from, to, key, options)
}

async function rewrite(
  transfer: Transfer,
  from: string,
  to: string,
  key: Uint8Array | KeyObject,
  options: FileOptions | undefined,
): Promise<{ bytes: number }> {
  checkPath('from', from)
  checkPath('to', to)
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  const settings = settingsOf(own as Own)
  const force = own('force', false)
  if (typeof force !== 'boolean') throw wrongOption('force', 'a boolean', force)
  const onProgress = own('onProgress') as FileOptions['onProgress']
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw wrongOption('onProgress', 'a function', onProgress)
  const signal = signalFrom(own('signal'))?.signal
  const bytes = copyOfKey(key)
  try {
    endIfAborted(signal)
    const source = await open(from, 'r')
    let isOpen = true
    const closeSource = async () => {
      if (!isOpen) return
      isOpen = false
      await close(source)
    }
    try {
      const facts = await stat(source)
      const size = facts.isFile() ? facts.size : null
      const progress = (done: number) => {
        endIfAborted(signal)
        onProgress?.(done, size)
      }
      return await written(to, force, signal, async target => {
        const made = await transfer({ ...between(source, target), size, progress }, bytes, settings)
        // Windows does not replace a file that is open, and the target may be the source.
        await closeSource()
        return made
      })
    } finally {
      await closeSource()
    }
  } finally {
    wipe(bytes, 0)
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

function checkPath(name: string, path: unknown): void {
  if (typeof path === 'string') return
  throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"${name}" must be a string, got ${kindOf(path)}`)
}

function wrongOption(name: string, wanted: string, value: unknown): Error {
  return mistake(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `"options.${name}" must be ${wanted}, got ${kindOf(value)}`,
  )
}
