// Wycheproof's 70 messages of Cobblestone-128 and -256, through every interface that decrypts and through the tests' own model.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuthenticationError } from 'hardware-aes-gcm'
import {
  createDecryptStream,
  DecryptionReader,
  DecryptionStream,
  decryptBuffer,
  decryptFile,
} from 'hardware-aes-gcm/stream'
import { afterAll, describe, expect, test } from 'vitest'
import {
  CHUNK_BYTES,
  HEADER_BYTES,
  open,
  SALT_BYTES,
  SEALED_CHUNK_BYTES,
  seal,
} from '../../models/cobblestone.mjs'
import { CASES, type Case } from '../../vectors/wycheproof.js'

/** Bytes of a write. It divides neither a header nor a chunk. */
const PIECE = 10_007
const folder = mkdtempSync(join(tmpdir(), 'wycheproof-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

/** How an interface ended: with the plaintext, or with an error after some chunks. */
interface Outcome {
  plaintext: Buffer
  error?: (Error & { code?: string; position?: number }) | undefined
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

/** Collects what comes out, up to the error. */
async function collected(chunks: () => AsyncIterable<Uint8Array>): Promise<Outcome> {
  const parts: Uint8Array[] = []
  try {
    for await (const chunk of chunks()) parts.push(chunk)
    return { plaintext: Buffer.concat(parts) }
  } catch (error) {
    return { plaintext: Buffer.concat(parts), error: error as Error }
  }
}

/** A call that gives all of the plaintext, or none of it. */
async function whole(call: () => Uint8Array | Promise<Uint8Array>): Promise<Outcome> {
  return collected(async function* () {
    yield await call()
  })
}

/** The interfaces that read a message from its beginning. */
const INTERFACES: Record<string, (one: Case) => Promise<Outcome>> = {
  createDecryptStream: ({ key, context, sealed }) =>
    collected(() => {
      const stream = createDecryptStream(key, { context })
      for (const piece of pieces(sealed)) stream.write(piece)
      return stream.end()
    }),
  DecryptionStream: ({ key, context, sealed }) =>
    collected(() => {
      const source = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces(sealed)) controller.enqueue(piece)
          controller.close()
        },
      })
      return source.pipeThrough(new DecryptionStream(key, { context }) as never) as never
    }),
  decryptBuffer: ({ key, context, sealed }) => whole(() => decryptBuffer(sealed, key, { context })),
  decryptFile: ({ key, context, sealed }) => {
    const [from, to] = [join(folder, 'sealed'), join(folder, 'opened')]
    writeFileSync(from, sealed)
    rmSync(to, { force: true })
    return whole(async () => {
      try {
        await decryptFile(from, to, key, { context })
        return readFileSync(to)
      } finally {
        expect(readdirSync(folder)).toEqual(existsSync(to) ? ['opened', 'sealed'] : ['sealed'])
      }
    })
  },
}

const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex')

/** The code and position that an error must have. */
function failureOf({ key, sealed, context, flags }: Case): { code: string; position?: number } {
  if (flags.includes('InvalidKeySize')) return { code: 'ERR_AESGCM_INVALID_KEY_LENGTH' }
  const verdict = open(key, sealed, context)
  if (verdict.ok) throw new Error('this message is valid')
  if (verdict.failure === 'wrong key') return { code: 'ERR_AESGCM_WRONG_KEY' }
  if (verdict.failure === 'truncated') return { code: 'ERR_AESGCM_STREAM_TRUNCATED' }
  return { code: 'ERR_AESGCM_AUTHENTICATION_FAILED', position: verdict.position as number }
}

test('there are 35 messages of each suite, 10 of them valid', () => {
  for (const suite of [128, 256]) {
    const cases = CASES.filter(one => one.suite === suite)
    expect([cases.length, cases.filter(({ valid }) => valid).length]).toEqual([35, 10])
  }
})

describe.each(CASES)('$name', one => {
  const { key, context, sealed, valid, flags, plaintext } = one

  const model = () => {
    const verdict = open(key, sealed, context)
    expect(verdict.ok).toBe(valid)
    expect(verdict.plaintext).toHaveLength(plaintext?.bytes ?? 0)
    if (plaintext !== undefined) expect(sha512(verdict.plaintext)).toBe(plaintext.sha512)
    if (verdict.ok) {
      const salt = sealed.subarray(0, SALT_BYTES)
      expect(seal(key, verdict.plaintext, salt, context).equals(sealed)).toBe(true)
    } else if (flags.includes('HeaderFailure'))
      expect(verdict.failure).toBe(sealed.length < HEADER_BYTES ? 'truncated' : 'wrong key')
    else {
      const isCut = (sealed.length - HEADER_BYTES) % SEALED_CHUNK_BYTES === 0
      expect(verdict.failure).toBe(isCut ? 'truncated' : 'invalid')
      expect(verdict.position).toBe(verdict.plaintext.length)
    }
  }
  // The model takes no keys of other lengths.
  if (!flags.includes('InvalidKeySize')) test('the model', model)

  test.each(Object.entries(INTERFACES))('%s', async (_, opened) => {
    const outcome = await opened(one)
    if (valid) {
      expect(outcome.error).toBeUndefined()
      expect([outcome.plaintext.length, sha512(outcome.plaintext)]).toEqual([
        plaintext?.bytes,
        plaintext?.sha512,
      ])
      return
    }
    const { error } = outcome
    const { code, position } = failureOf(one)
    expect([error?.code, error?.position]).toEqual([code, position])
    expect(error instanceof AuthenticationError).toBe(position !== undefined)
    // What came out before the failure is authentic.
    const verdict = flags.includes('InvalidKeySize') ? undefined : open(key, sealed, context).plaintext
    const some = outcome.plaintext.length
    expect(outcome.plaintext.equals((verdict ?? Buffer.alloc(0)).subarray(0, some))).toBe(true)
    expect([some % CHUNK_BYTES, some <= (plaintext?.bytes ?? 0)]).toEqual([0, true])
  })

  test('DecryptionReader', async () => {
    const path = join(folder, 'random-access')
    writeFileSync(path, sealed)
    const file = await openFile(path)
    try {
      for (const source of [file, new Blob([sealed]), sealed]) {
        const reading = DecryptionReader.open(source, key, { context })
        if (valid) {
          using reader = await reading
          expect([reader.size, sha512(await reader.read())]).toEqual([plaintext?.bytes, plaintext?.sha512])
          expect(sha512(await reader.read(-reader.size))).toEqual(plaintext?.sha512)
        } else if (flags.includes('ValidFinalChunk')) {
          // The size is authentic, so that the reader opens; the chunks before the first wrong one can be read.
          using reader = await reading
          await expect(reader.read()).rejects.toMatchObject(failureOf(one))
          const some = await reader.read(0, plaintext?.bytes ?? 0)
          if (plaintext !== undefined) expect(sha512(some)).toBe(plaintext.sha512)
        } else await expect(reading).rejects.toMatchObject({ code: failureOf(one).code })
      }
    } finally {
      await file.close()
      rmSync(path)
    }
  })
})
