// The errors about shares. They show positions and the x of shares, never other bytes.
import { define, join, toSpliced } from '../../cipher/base/builtins.cjs'
import { AesGcmError } from '../../cipher/base/errors.cjs'

/** One share is wrong. `what` follows its name. */
export function invalidShare(index: number, what: string): AesGcmError {
  return about([index], new AesGcmError('ERR_AESGCM_INVALID_SHARE', `"shares[${index}]" ${what}`))
}

/** Corrupted shares were located: the others yield a key without them. */
export function corruptedShares(indexes: readonly number[]): AesGcmError {
  const names = join(indexes as never, '], shares[')
  const what =
    indexes.length === 1
      ? `"shares[${names}]" is corrupted: the other shares agree without it`
      : `"shares" has corrupted elements, without which the others agree: shares[${names}]`
  return about(indexes, new AesGcmError('ERR_AESGCM_INVALID_SHARE', what))
}

/** `indexes`: the shares outside the largest consistent group, if that group is unique. */
export function sharesMismatch(what: string, indexes?: readonly number[]): AesGcmError {
  const error = new AesGcmError('ERR_AESGCM_SHARES_MISMATCH', what)
  return indexes === undefined ? error : about(indexes, error)
}

function about(indexes: readonly number[], error: AesGcmError): AesGcmError {
  define(error, 'index', indexes[0], true)
  define(error, 'indexes', toSpliced(indexes, 0, 0), true)
  return error
}
