// Random calls of the batches of rows.
import { equal } from '../conformance/checks.mjs'
import { codes } from './codes.mjs'

const CODES = codes(
  ...[
    'ERR_AESGCM_AUTHENTICATION_FAILED',
    'ERR_AESGCM_DESTROYED',
    'ERR_AESGCM_KEY_EXHAUSTED',
    'ERR_AESGCM_ARENA_FULL',
  ],
)

/** encryptBatch, decryptBatch or tryDecryptBatch of `key`. */
export function rowsCall({ chance, values }, key, args) {
  const method = chance.pick(['encryptBatch', 'decryptBatch', 'tryDecryptBatch'])
  const number = chance.below(6)
  const each = Array.from({ length: number }, () => Buffer.from(values.bytes(chance.below(40))))
  const kind = chance.pick(['none', 'one', 'function'])
  const aadOf = n => ({ none: undefined, one: each[0], function: each[n] })[kind]
  const aad = kind === 'function' ? (_, n) => each[n] : aadOf(0)
  const rows = each.map((_, n) => {
    if (method === 'encryptBatch') return values.bytes()
    const frame = key.twin.encrypt(values.bytes(), aadOf(n))
    if (chance.once(10)) frame[chance.below(frame.length)] ^= 1
    return chance.once(30) ? frame.subarray(0, chance.below(frame.length)) : frame
  })
  const options = { aad }
  args.push(rows, options)
  const check = (results, _, before) => {
    if (args[0] !== rows || args[1] !== options) return
    for (const [n, result] of results.entries()) {
      if (method === 'encryptBatch') equal(key.open(result, aadOf(n)), before[n], method)
      else equal(result ?? undefined, key.open(before[n], aadOf(n)), method)
    }
  }
  return { method, args, inside: rows, codes: CODES, check }
}
