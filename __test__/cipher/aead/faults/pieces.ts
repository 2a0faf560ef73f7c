// Faults of the methods that take a plaintext in pieces.
import { type Any, afterwards, changing, fault, forgiving } from './planted.js'

const joined = (change: (list: Any[]) => Any) =>
  changing(values => values.map(value => (Array.isArray(value) ? change(value) : value)))
fault(
  'drops the last piece',
  /^every split/,
  'encryptInto',
  joined(list => list.slice(0, -1)),
)
fault(
  'takes pieces in another order',
  /^pieces of random lengths/,
  'encrypt',
  joined(list => list.toSorted((a, b) => a.length - b.length)),
)
const twice = joined(list => {
  for (const _ of list);
  return list
})
fault('reads pieces twice', /^pieces by getters are read once/, 'encrypt', twice)
fault(
  'reads pieces by their iterator',
  /^pieces beside a polluted/,
  'encrypt',
  joined(list => [...list]),
)
fault(
  'runs the code of an array',
  /^pieces in odd arrays/,
  'encryptInto',
  joined(list => list.slice()),
)
const filling = joined(list => Array.from(list, piece => piece ?? new Uint8Array(0)))
fault('takes a hole for an empty piece', /^a hole among the pieces/, 'encrypt', filling)
const anyNumber = joined(list => (list.length > 2 ** 16 ? Buffer.alloc(0) : list))
fault('takes any number of pieces', /^more than 2\^16 pieces/, 'encrypt', anyNumber)
const withoutGone = joined(list => list.filter(piece => piece?.length !== 0))
fault('takes a piece that is gone for empty', /^pieces whose memory is gone/, 'encryptInto', withoutGone)
const overlapped = forgiving('ERR_AESGCM_BUFFER_OVERLAP', (aes, [target, list, aad], original) =>
  original.call(aes, target, Array.isArray(list) ? list.map(piece => Buffer.from(piece)) : list, aad),
)
fault('accepts pieces over the target', /^pieces over the target/, 'encryptInto', overlapped)
const zeroing = afterwards((written, [target, list]) => {
  if (Array.isArray(list)) target.fill(0, written)
  return written
})
fault('writes past a frame of pieces', /^pieces of random lengths/, 'encryptInto', zeroing)
const trusting = joined(list => list.map(piece => piece.subarray(0, piece.length)))
fault('trusts the length that a piece tells', /^pieces in disguise/, 'encrypt', trusting)
const converting = joined(list =>
  Array.from(list, piece => (Array.isArray(piece) ? Buffer.from(piece) : piece)),
)
fault('converts pieces', /^pieces of every wrong type/, 'encryptInto', converting)
const vague = forgiving('ERR_OUT_OF_RANGE', () => {
  throw Object.assign(new RangeError('"target" is too short'), { code: 'ERR_OUT_OF_RANGE' })
})
fault('does not say how long a target must be', /^a target too short/, 'encryptInto', vague)
const exceeding = forgiving('ERR_AESGCM_KEY_EXHAUSTED', () => Buffer.alloc(0))
fault('takes pieces past maxMessages', /^pieces at the limits/, 'encrypt', exceeding)
const late = joined(
  list => new Proxy(list, { get: (target, name) => (name === '0' ? target.at(-1) : target[name as never]) }),
)
fault('takes pieces as they are later', /^pieces by getters that change/, 'encrypt', late)
const losing = changing(([target, ...rest]) => [
  target.buffer?.byteLength <= 64 ? target.slice() : target,
  ...rest,
])
fault('loses writes to small targets', /^pieces into small targets/, 'encryptInto', losing)
const counted = joined(list => (list.length === 0 ? [new Uint8Array(1)] : list))
fault('takes no pieces for a byte', /^no pieces/, 'encrypt', counted)
const refusing = joined(list => {
  if (Object.getPrototypeOf(list) !== Array.prototype) throw new TypeError('no array')
  return list
})
fault('refuses arrays that are not plain', /^pieces in odd arrays/, 'encrypt', refusing)
const revoked = joined(list => list.length < 0 || list)
fault('runs into a revoked Proxy', /^pieces in a Proxy/, 'encrypt', revoked)
