// A consumer of the streams of the web, which TypeScript's lib.dom declares in one way and @types/node in another.
import { Readable } from 'node:stream'
import { AesGcm } from 'hardware-aes-gcm'
import { DecryptionReader, DecryptionStream, EncryptionStream, encryptBuffer } from 'hardware-aes-gcm/stream'

const key: Buffer = AesGcm.generateKey()

const sealed = new Blob([Buffer.from('typed')]).stream().pipeThrough(new EncryptionStream(key))
const response = new Response(sealed)
if (response.body === null) throw new Error('a response has no body')
const text: ReadableStream<Buffer> = response.body.pipeThrough(new DecryptionStream(key))
if ((await new Response(text).text()) !== 'typed') throw new Error('a stream of the web came back otherwise')

const reader = await DecryptionReader.open(encryptBuffer(Buffer.from('typed'), key), key)
const read: string[] = [await new Response(reader.stream(1)).text()]
for await (const bytes of reader.stream(2)) read.push(bytes.toString('latin1'))
for await (const bytes of Readable.fromWeb(reader.stream(3))) read.push(String(bytes))
if (read.join() !== 'yped,ped,ed') throw new Error(`parts of a message came back as ${read}`)

/** Never called: each line compiles only because it is an error, which it would not be if the types were lost. */
export function mistakes(stream: DecryptionStream): void {
  // @ts-expect-error text is no chunk
  stream.writable.getWriter().write('text')
  // @ts-expect-error what is read is bytes
  stream.readable satisfies ReadableStream<string>
}
