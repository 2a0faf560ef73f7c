// The raw functions behind the package: a row for each, with good arguments to follow a handle of its kind.
import { createRequire } from 'node:module'
import { splitKey } from 'hardware-aes-gcm/shamir'
import { clear, forged, HEADER, NUMBER_AT, PACKET_BYTES, sealed } from '../protocols/quic/samples.js'
import { argumentsOf, BINARY, KEY, type Method, made, type Raw, touchy } from '../tools/support.js'

/** The addon as the package loads it. */
export const raw = createRequire(import.meta.url)(BINARY) as Raw

/** Another loading of the addon, which knows no handle of the first one. */
export const load = (): Raw => {
  const loaded = { exports: {} as Raw }
  process.dlopen(loaded as unknown as NodeModule, BINARY)
  return loaded.exports
}

/** The functions of the key on the slate, which the first `validateWith` gives beside the slate. */
export const SHORT = [
  ...['remember', 'call', 'sealIntoShortly', 'openIntoShortly', 'sealTextShortly', 'openTextShortly'],
  'openBytesShortly',
]

/** Another loading of the addon with its short way: the slate, and the functions beside the exports. */
export const loadWithShortWay = () => {
  const loaded = load()
  const given: unknown = loaded.validateWith?.(Uint8Array.prototype.at)
  const { words, ...short } = given as Raw & { words: Int32Array }
  return { by: { ...loaded, ...short } as Raw, words }
}

export const bytes = (length: number) => new Uint8Array(length)
export const invoke = (name: string, ...values: unknown[]) => raw[name]?.(...values)
export const reasonOf = (result: unknown) => raw.reasons[(-Number(result) - 1) & 0xff]

export const trap = () => {
  throw new Error('code of an argument ran')
}
const empty = [undefined, null, '', {}, [], Object.create(null)]
/** Values that are neither bytes nor numbers nor handles. Many run code when a program reads their properties. */
export const JUNK: readonly unknown[] = [
  ...[...empty, true, false, 'aad', 7n, Symbol('x'), trap, touchy({}), { valueOf: trap }],
]
export const NUMBERS: readonly number[] = [
  ...[0, 1, -1, 0.5, 2 ** 24, 2 ** 32, 2 ** 53, 2 ** 64, -0, Number.NaN, Infinity, 255, 257],
]

/** More than there are backends: the best one. More than a key may have: no limit. */
const MOST = 2 ** 32

/** The functions that make a handle, or refuse, with default arguments. */
export const create = {
  key: (
    by = raw,
    algorithm: unknown = 0,
    { nonceAtEnd = false, maxMessages = MOST, arena = undefined as unknown } = {},
  ) => by.create?.(algorithm, MOST, KEY, nonceAtEnd, false, maxMessages, MOST, arena),
  packets: (
    by = raw,
    key: unknown = bytes(16),
    iv: unknown = bytes(12),
    hp: unknown = bytes(16),
    arena?: unknown,
  ) => by.packetCreate?.(MOST, key, iv, hp, 0, 2 ** 23, 2 ** 52, 0, arena),
  chunks: (by = raw, key: unknown = bytes(32), base: unknown = bytes(12), arena?: unknown) =>
    by.chunksCreate?.(MOST, key, base, arena),
  arena: (by = raw, keys: unknown = 1) => by.createArena?.(keys),
}

const takenBy = (method: Method) => () => Object.values(argumentsOf(method))
const job = () => [new ArrayBuffer(40), null, trap]

/** The functions that accept a handle, by its kind. */
export const KINDS = {
  key: {
    end: 'destroy',
    facts: { messagesEncrypted: 0, bytesEncrypted: 0, failedDecryptions: 0, isDestroyed: true },
    calls: {
      encryptInPlace: takenBy('encryptInPlace'),
      decryptInPlace: takenBy('decryptInPlace'),
      encryptInto: takenBy('encryptInto'),
      decryptInto: takenBy('decryptInto'),
      encryptDetached: takenBy('encryptDetached'),
      decryptDetached: takenBy('decryptDetached'),
      encryptPiecesInto: () => [Buffer.alloc(60), Buffer.from('aad'), Buffer.alloc(5), bytes(7)],
      encryptBatchInPlace: () => [Buffer.alloc(64), new Uint32Array([28, 60]), undefined, undefined],
      decryptBatchInPlace: () => [Buffer.alloc(64), 32, Buffer.from('aad'), new Uint32Array([1, 3])],
      encryptInPlaceAsync: job,
      decryptInPlaceAsync: job,
      sealInto: () => [2 ** 32, bytes(40), bytes(3), 'aad'],
      openInto: () => [5, bytes(40), bytes(50), bytes(4)],
      sealText: () => [2 ** 40, 'text', 'aad'],
      openText: () => [5, 'AQAAAAc', bytes(4)],
      keyBytes: () => [bytes(32)],
    },
  },
  packets: {
    end: 'packetDestroy',
    facts: { packetsSealed: 0, failedOpens: 0, keyUpdates: 0, packetIsDestroyed: true },
    calls: {
      packetSetNext: () => [bytes(16), bytes(12), undefined],
      packetSeal: () => [clear(), HEADER, 2 ** 53 - 1, undefined],
      packetSealRun: () => [clear(), PACKET_BYTES, HEADER, 2 ** 53 - 1, 5],
      packetOpen: () => [sealed(), NUMBER_AT, -1, 0],
      packetOpenRun: () => [forged(), Uint32Array.of(PACKET_BYTES), NUMBER_AT, -1, undefined, bytes(8)],
      packetMask: () => [bytes(16)],
    },
  },
  chunks: {
    end: 'chunksDestroy',
    facts: {},
    calls: {
      chunksSeal: () => [bytes(5), bytes(21), true],
      chunksOpen: () => [0, bytes(21), bytes(5), true],
    },
  },
  arena: {
    end: 'destroyArena',
    facts: {
      arenaCapacity: 1,
      arenaUsed: 0,
      isArenaLocked: false,
      isArenaExcludedFromDumps: false,
      isArenaDestroyed: true,
    },
    calls: {},
  },
} as const satisfies Record<keyof typeof create, Kind>

export interface Kind {
  /** The function that destroys the object behind a handle. */
  end: string
  /** Functions of the handle alone, with what they give for a destroyed object. */
  facts: Record<string, unknown>
  /** Other functions, each with arguments after the handle. */
  calls: Record<string, () => unknown[]>
}
export type KindName = keyof typeof KINDS

export const make = (kind: KindName, by = raw) => made(create[kind](by))
/** The functions of a kind, each with its arguments after the handle. */
export const functionsOf = ({ end, facts, calls }: Kind): [string, () => unknown[]][] => [
  ...[end, ...Object.keys(facts)].map(name => [name, () => []] as [string, () => unknown[]]),
  ...Object.entries(calls),
]

export const digits = (length: number) => bytes(length).fill(0x41)
export const records = (shares: number) =>
  new Uint8Array(Buffer.concat(splitKey(bytes(32), { threshold: 2, shares })))
/** Points with x from 1 on, and values of zeros: a polynomial of zeros. */
export const points = (shares: number) => bytes(64 * shares).map((_, i) => (i % 64 === 7 ? (i >> 6) + 1 : 0))

/** Functions of shares, which have no handle; the last argument is written. */
export const SHARES: Record<string, () => unknown[]> = {
  sharesSplit: () => [bytes(16), bytes(32), bytes(16), 2, bytes(84 * 3)],
  sharesCombine: () => [records(2), bytes(64)],
  sharesLeaveOut: () => [records(3), bytes(64 * 3)],
  sharesLocate: () => [records(4), bytes(4)],
  sharesRecover: () => [records(2), 7, bytes(84)],
  pointsSplit: () => [bytes(32), 2, true, bytes(64 * 3)],
  pointsCombine: () => [points(3), 2, bytes(32)],
  pointsLocate: () => [points(4), 2, bytes(4)],
  pointsRecover: () => [points(2), 2, points(1).subarray(0, 32), bytes(64)],
  encodeBase32: () => [bytes(87), bytes(140)],
  decodeBase32: () => [digits(140), bytes(87)],
  encodeHex: () => [bytes(32), bytes(64)],
  decodeHex: () => [digits(64), bytes(32)],
}

/** The other functions without a handle. Test builds, which cap the backends, also have `fault`. */
export const GENERAL = [
  ...['create', 'random', 'reseed', 'randomInfo', 'cpuFeatures', 'validateWith', 'cancelJob'],
  'numberOf',
  ...(process.env.AESGCM_CAP === undefined ? [] : ['fault']),
]
export const MAKERS = ['create', 'packetCreate', 'chunksCreate', 'createArena']
