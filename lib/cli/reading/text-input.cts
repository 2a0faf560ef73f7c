// The text that `seal` and `open` read from standard input.
import { util } from '../../cipher/base/builtins.cjs'
import { unusable } from '../frame/failure.cjs'
import { STANDARD, type Streams } from '../frame/streams.cjs'
import { isUtf16, UTF_16, withoutMark } from '../frame/text.cjs'
import { readInput } from './input.cjs'

/** Standard input as a text, without its last line break. Arguments as those of `readInput`. */
export async function readText(
  streams: Streams,
  limit: number,
  kind: string,
  wanted: string,
): Promise<string> {
  const { name, bytes } = await readInput(streams, STANDARD, limit, kind, wanted)
  try {
    if (isUtf16(bytes)) throw unusable(name, UTF_16)
    const text = new util.TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(withoutMark(bytes))
    return text.replace(/\r?\n$/, '')
  } catch (error) {
    throw error instanceof TypeError ? unusable(name, 'is not UTF-8 text') : error
  } finally {
    bytes.fill(0)
  }
}
