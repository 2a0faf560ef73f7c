// Proves that the search finds every half of every block, at every offset and across the borders of single readings; and that
// the powers of AES-GCM-SIV's authentication key are computed rightly.
import { dot } from '../../__test__/models/ghash.mjs'
import { AT_ONCE, Search } from './search.mjs'

/** Plants each in a haystack, and throws if it is not found exactly there. Returns how many were found. */
export function selfTest(blocks) {
  const search = new Search(blocks)
  const border = AT_ONCE
  const haystack = Buffer.alloc(2 * border + 100, 0xee)
  const read = (buffer, at) => haystack.copy(buffer, 0, at - 0x1000)
  const look = () => search.in(read, 0x1000, haystack.length)
  if (look().length > 0) throw new Error('self-test: something found where there is nothing')
  let planted = 0
  for (const [name, block] of blocks) {
    for (const half of [block.subarray(0, 8), block.subarray(8)]) {
      const near = (planted % 24) - 16
      const at = [0, border + near, haystack.length - 8, 2 * border - 16 + (planted % 32)][planted % 4]
      half.copy(haystack, at)
      const found = look()
      if (!found.some(find => find.name === name && find.address === at + 0x1000))
        throw new Error(`self-test: ${name}, planted at ${at}, not found`)
      if (found.some(find => find.address !== at + 0x1000)) throw new Error(`self-test: ${name} found twice`)
      haystack.fill(0xee, at, at + 8)
      planted++
    }
  }
  // RFC 8452 section 7.
  const [a, b] = ['66e94bd4ef8a2c3b884cfa59ca342b2e', 'ff000000000000000000000000000000']
  const product = dot(Buffer.from(a, 'hex'), Buffer.from(b, 'hex')).toString('hex')
  if (product !== 'ebe563401e7e91ea3ad6426b8140c394') throw new Error(`self-test: dot(a, b) is ${product}`)
  return `${planted} halves`
}
