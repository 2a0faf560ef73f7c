// Faults planted in the functions of hardware-aes-gcm/shamir, each with a pattern for the cases of which one must fail.
import * as reference from '../../models/shares.js'
import { type Api, CASES, INVALID, MISMATCH } from './sets.js'

// biome-ignore lint/suspicious/noExplicitAny: errors of any class.
type Any = any
type Change = (api: Api) => Partial<Api>

export const FAULTS: [does: string, found: RegExp, change: Change][] = []
const fault = (does: string, found: RegExp, change: Change) => void FAULTS.push([does, found, change])

/** The names of the cases that fail, among those whose names match. */
export const failing = (api: Api, word: RegExp): string[] =>
  CASES.filter(([name, run]) => {
    if (!word.test(name)) return false
    try {
      run(api)
      return false
    } catch {
      return true
    }
  }).map(([name]) => name)

/** Both functions that read shares, with other lists. */
const reading =
  (change: (list: readonly Any[], options?: Any) => readonly Any[]): Change =>
  api => ({
    combineKey: (list, options) => api.combineKey(change(list, options), options),
    recoverShare: (list, x, options) => api.recoverShare(change(list, options), x, options),
  })

/** combineKey, with `otherwise` for errors of this code. */
const forgiving =
  (code: string, otherwise: (error: Any, list: readonly Any[], options?: Any) => Buffer): Change =>
  api => ({
    combineKey(list, options) {
      try {
        return api.combineKey(list, options)
      } catch (error) {
        if ((error as Any).code !== code) throw error
        return otherwise(error, list, options)
      }
    },
  })

/** combineKey, whose errors are changed. */
const telling = (code: string, change: (error: Any, list: readonly Any[]) => void): Change =>
  forgiving(code, (error, list) => {
    change(error, list)
    throw error
  })

const texts = (change: (text: string) => string) =>
  reading(list =>
    list.map(share => (typeof share === 'string' && !share.includes('|') ? change(share) : share)),
  )

// The values of shares.

fault(
  'ignores the check',
  /can be located/,
  forgiving(MISMATCH, (_, list) => {
    const binaries = list.map(share => (typeof share === 'string' ? reference.binaryOf(share) : share))
    return reference.bytesOf(reference.through(binaries, 0).secret)
  }),
)
fault(
  'reads only as many shares as the threshold',
  /located/,
  reading((list, options) => {
    const [first] = list
    const binary =
      typeof first === 'string' && first.startsWith(reference.PREFIX) ? reference.binaryOf(first) : first
    return list.slice(0, options?.threshold ?? Math.max(1, binary[reference.AT.threshold]))
  }),
)
fault(
  'reads only the first share',
  /every subset/,
  reading(list => list.slice(0, 1)),
)
fault(
  "does not compare horcrux's surplus shares",
  /^horcrux's form/,
  reading((list, options) => list.slice(0, options?.threshold)),
)
fault('leaves wrong shares out', /are named/, api =>
  forgiving(INVALID, (error, list, options) =>
    api.combineKey(
      list.filter((_, at) => !error.indexes?.includes(at)),
      options,
    ),
  )(api),
)
fault(
  'gives a key of zeros for shares that do not verify',
  /^headers/,
  forgiving(MISMATCH, () => Buffer.alloc(32)),
)
fault('gives 16 bytes for all secrets', /^our answers, 32/, api => ({
  combineKey: (list, options) => api.combineKey(list, options).subarray(0, 16),
}))
fault('reads words in another order', /^horcrux's published compact/, api => ({
  combineKey: (list, options) => api.combineKey(list, options).swap64(),
}))
fault('splits another secret', /^the reference reads/, api => ({
  splitKey: (secret, options) => api.splitKey(Buffer.from(secret).reverse(), options),
}))
fault('gives x from 0 on', /^the reference reads/, api => ({
  splitKey: (secret, options) =>
    api.splitKey(secret, options).map(share => {
      if (typeof share === 'string') return share
      share[3] = (share[3] as number) - 1
      return share
    }),
}))
fault('writes capital hex digits', /^horcrux's published compact shares: each/, api => ({
  recoverShare: (list, x, options) => {
    const share = api.recoverShare(list, x, options)
    return typeof share === 'string' ? share.toUpperCase() : share
  },
}))

// Errors.

fault(
  'names no share',
  /^every byte/,
  telling(INVALID, error => {
    delete error.index
    delete error.indexes
  }),
)
fault(
  'names the first wrong share alone',
  /are named/,
  telling(INVALID, error => {
    error.indexes = [error.index]
  }),
)
fault(
  'names one share too many',
  /are named/,
  telling(INVALID, (error, list) => {
    error.indexes = [...error.indexes, list.length - 1]
  }),
)
fault(
  'names the next share',
  /^every character replaced/,
  telling(INVALID, error => {
    error.index++
    error.indexes = [error.index]
  }),
)
fault(
  'names a share that cannot be told',
  /more changed shares/,
  telling(MISMATCH, error => {
    error.index ??= 0
    error.indexes ??= [0]
  }),
)
fault(
  'does not tell the strangers',
  /^shares of different splits/,
  telling(MISMATCH, error => {
    delete error.index
    delete error.indexes
  }),
)
fault(
  'takes mixed shares for corrupted ones',
  /^shares of different splits/,
  telling(MISMATCH, error => {
    error.code = INVALID
  }),
)
fault(
  'takes a share twice',
  /twice/,
  reading(list => [...new Set(list)]),
)
fault(
  'asks for no threshold',
  /^every subset/,
  forgiving('ERR_OUT_OF_RANGE', () => Buffer.alloc(32)),
)

// Text.

fault(
  'takes any last character',
  /bits that must be 0/,
  texts(text => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
    return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1) as string) & 16]
  }),
)
fault(
  'makes other letters capital',
  /not in the alphabet/,
  texts(text => text.toUpperCase()),
)
fault(
  'takes text in capitals alone',
  /^lower case/,
  texts(text => (/[a-z]/.test(text) ? '' : text)),
)
fault(
  'takes hyphens in their places alone',
  /^lower case/,
  texts(text => (/^.{4}-(.{5}-){27}.{5}\s*$/.test(text) ? text : '')),
)
fault(
  'takes padding',
  /characters lost/,
  texts(text => text.replace(/=+$/, '')),
)
fault(
  'takes text after a share',
  /characters lost/,
  texts(text => text.slice(0, 172)),
)
fault(
  'takes any version',
  /^other prefixes/,
  texts(text => text.replace(/^AGS2/, 'AGS1')),
)
fault(
  'refuses 0, 1 and 8',
  /^0, 1 and 8/,
  texts(text => (/^.{5}.*[018]/s.test(text) ? '' : text)),
)
fault(
  'refuses AGSI',
  /^0, 1 and 8/,
  texts(text => text.replace(/^AGSI/, 'AGS2')),
)
fault(
  'reads 1 as L',
  /^0, 1 and 8/,
  texts(text => text.slice(0, 5) + text.slice(5).replaceAll('1', 'L')),
)
fault(
  'takes a share without its prefix',
  /^other prefixes/,
  texts(text => (text.startsWith('EA') ? `AGS1-${text}` : text)),
)
fault('writes small letters', /^texts have/, api => ({
  splitKey: (secret, options) =>
    api.splitKey(secret, options).map(share => (typeof share === 'string' ? share.toLowerCase() : share)),
}))

// Further shares.

fault('recovers at another x', /^every share of a split/, api => ({
  recoverShare: (list, x, options) =>
    api.recoverShare(list, typeof x === 'number' ? (x % 255) + 1 : x, options),
}))
fault('takes x modulo 256', /^x that no share/, api => ({
  recoverShare: (list, x, options) =>
    api.recoverShare(list, typeof x === 'number' ? x & 255 || 1 : x, options),
}))
fault('gives bytes for text', /^every share of a split|^all 255/, api => ({
  recoverShare: (list, x, options) => Buffer.from(api.recoverShare(list, x, options)),
}))
fault('changes a share that it reads', /^every share of a split/, api => ({
  recoverShare: (list, x, options) => {
    const share = api.recoverShare(list, x, options)
    for (const one of list) if (Buffer.isBuffer(one)) one.fill(0)
    return share
  },
}))
fault('recovers shares without a check', /^shares that do not verify/, api => ({
  recoverShare: (list, x, options) => {
    try {
      return api.recoverShare(list, x, options)
    } catch (error) {
      if ((error as Any).code !== MISMATCH) throw error
      return list[0] as Buffer
    }
  },
}))
