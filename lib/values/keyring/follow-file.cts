// Reads the file of a followed keyset.
import { buffer, fs, uncurried } from '../../cipher/base/builtins.cjs'
import { allocateOffHeap, wipe } from '../../cipher/base/views.cjs'
import { invalidKeyset } from './keyset/errors.cjs'
import { MAX_CHARACTERS } from './keyset/model.cjs'

const { constants, promises } = fs
const toText: (bytes: Uint8Array, encoding: 'utf8', start: number, end: number) => string = uncurried(
  buffer.Buffer.prototype.toString as never,
)
// Without the last flag, a pipe without a writer would block a thread of Node.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The text of a regular file of at most MAX_CHARACTERS bytes. A link is followed each time, as
 * in the volumes of Kubernetes. Throws for a file that changes meanwhile: it may be half written.
 */
export async function readKeysetFile(path: string | URL): Promise<string> {
  const file = await promises.open(path, FLAGS)
  let bytes: Uint8Array | undefined
  try {
    const before = await file.stat({ bigint: true })
    if (!before.isFile()) throw invalidKeyset('', 'must be in a regular file')
    if (before.size > MAX_CHARACTERS) throw tooLong()
    // A byte more shows that the file has grown.
    bytes = allocateOffHeap(Number(before.size) + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null)
      length += bytesRead
      if (bytesRead === 0 || length === bytes.length) break
    }
    const after = await file.stat({ bigint: true })
    if (BigInt(length) !== before.size || after.size !== before.size || after.mtimeNs !== before.mtimeNs)
      throw invalidKeyset('', 'changed while it was read')
    return toText(bytes, 'utf8', 0, length)
  } finally {
    if (bytes !== undefined) wipe(bytes, 0)
    await file.close()
  }
}

function tooLong(): Error {
  return invalidKeyset('', `must be a file of at most ${MAX_CHARACTERS} bytes`)
}
