// The error of an invalid keyset. It names the place, and shows no character of the keyset.
import { AesGcmError } from '../../../cipher/base/errors.cjs'

/** `place` is a path such as `key[2].keyData.value`; empty for the whole keyset. */
export function invalidKeyset(place: string, what: string): AesGcmError {
  const subject = place === '' ? 'the keyset' : `"${place}" of the keyset`
  return new AesGcmError('ERR_AESGCM_INVALID_KEYSET', `${subject} ${what}`)
}
