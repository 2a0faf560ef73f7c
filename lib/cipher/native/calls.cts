// Calls the raw functions of the loaded binding. binary.cts and self-test.cts call some before
// `load` returns; no other file does.
//
// A negative status is a refusal, which `refusal` turns into an error. Callers ask `!(status >= 0)`
// instead of `status < 0`: if Node-API fails, the status is undefined and the error internal.
//
// A caller's memory must not be immutable if a function would write it. This package's never is.
//
// The functions with `aad` leave it out if it is undefined: native code would spend 5 ns on its
// type. They are declared as functions, which V8 inlines into the methods of AesGcm. The functions
// that only forward have the types of binding.cts.
import type { RandomInfo } from '../../../index.d.ts'
import { apply, parseJson } from '../base/builtins.cjs'
import { liesOnImmutable } from '../base/views.cjs'
import { load } from './binary.cjs'
import type { ArenaHandle, Binding, Job, KeyHandle, PacketHandle } from './binding.cjs'
import { DECRYPT, ENCRYPT, inPlaceShortly } from './slate.cjs'
import { immutableAt } from './status.cjs'

/** The best backend of this CPU, since it is no position in `backendNames`. */
export const BEST_BACKEND = 255

/** The loaded binding. Set before the first handle exists, so functions need not check. */
let raw = {} as Binding

export function create(
  cipher: number,
  backend: number,
  bytes: unknown,
  nonceAtEnd: boolean,
  verifyFirst: boolean,
  maxMessages: number,
  maxFailures: number,
  arena: ArenaHandle | undefined,
): KeyHandle | number {
  raw = load()
  return raw.create(cipher, backend, bytes, nonceAtEnd, verifyFirst, maxMessages, maxFailures, arena)
}

export const destroy: Binding['destroy'] = key => raw.destroy(key)
export const messagesEncrypted: Binding['messagesEncrypted'] = key => raw.messagesEncrypted(key)
export const bytesEncrypted: Binding['bytesEncrypted'] = key => raw.bytesEncrypted(key)
export const failedDecryptions: Binding['failedDecryptions'] = key => raw.failedDecryptions(key)
export const isDestroyed: Binding['isDestroyed'] = key => raw.isDestroyed(key)

// Those in place try the short way first: a key crosses as its handle and its number, in halves.

export function encryptInPlace(
  key: KeyHandle,
  low: number,
  high: number,
  frame: unknown,
  aad: unknown,
): number {
  const status = inPlaceShortly(ENCRYPT, low, high, frame, aad)
  if (status <= 0) return status
  if (liesOnImmutable(frame)) return immutableAt(1)
  return aad === undefined ? raw.encryptInPlace(key, frame) : raw.encryptInPlace(key, frame, aad)
}

export function decryptInPlace(
  key: KeyHandle,
  low: number,
  high: number,
  frame: unknown,
  aad: unknown,
): number {
  const status = inPlaceShortly(DECRYPT, low, high, frame, aad)
  if (status <= 0) return status
  if (liesOnImmutable(frame)) return immutableAt(1)
  return aad === undefined ? raw.decryptInPlace(key, frame) : raw.decryptInPlace(key, frame, aad)
}

export function encryptInto(key: KeyHandle, target: unknown, plaintext: unknown, aad: unknown): number {
  if (liesOnImmutable(target)) return immutableAt(1)
  return aad === undefined
    ? raw.encryptInto(key, target, plaintext)
    : raw.encryptInto(key, target, plaintext, aad)
}

export function decryptInto(key: KeyHandle, target: unknown, frame: unknown, aad: unknown): number {
  if (liesOnImmutable(target)) return immutableAt(1)
  return aad === undefined ? raw.decryptInto(key, target, frame) : raw.decryptInto(key, target, frame, aad)
}

export function encryptPiecesInto(
  key: KeyHandle,
  target: unknown,
  aad: unknown,
  pieces: readonly unknown[],
): number {
  if (liesOnImmutable(target)) return immutableAt(1)
  // The binding reads an argument in half the time of an element.
  if (pieces.length === 3) return raw.encryptPiecesInto(key, target, aad, pieces[0], pieces[1], pieces[2])
  if (pieces.length === 2) return raw.encryptPiecesInto(key, target, aad, pieces[0], pieces[1])
  return raw.encryptPiecesInto(key, target, aad, pieces)
}

export function encryptBatchInPlace(
  key: KeyHandle,
  frames: unknown,
  ends: unknown,
  aad: unknown,
  aadEnds: unknown,
): number {
  if (liesOnImmutable(frames)) return immutableAt(1)
  return raw.encryptBatchInPlace(key, frames, ends, aad, aadEnds)
}

export function decryptBatchInPlace(
  key: KeyHandle,
  frames: unknown,
  ends: unknown,
  aad: unknown,
  aadEnds: unknown,
): Uint32Array | number {
  if (liesOnImmutable(frames)) return immutableAt(1)
  return raw.decryptBatchInPlace(key, frames, ends, aad, aadEnds)
}

export function encryptDetached(
  key: KeyHandle,
  data: unknown,
  nonce: unknown,
  tag: unknown,
  aad: unknown,
): number {
  if (liesOnImmutable(data)) return immutableAt(1)
  if (liesOnImmutable(tag)) return immutableAt(3)
  return aad === undefined
    ? raw.encryptDetached(key, data, nonce, tag)
    : raw.encryptDetached(key, data, nonce, tag, aad)
}

export function decryptDetached(
  key: KeyHandle,
  data: unknown,
  nonce: unknown,
  tag: unknown,
  aad: unknown,
): number {
  if (liesOnImmutable(data)) return immutableAt(1)
  return aad === undefined
    ? raw.decryptDetached(key, data, nonce, tag)
    : raw.decryptDetached(key, data, nonce, tag, aad)
}

export const encryptInPlaceAsync: Job = (key, memory, aad, done) =>
  raw.encryptInPlaceAsync(key, memory, aad, done)

export const decryptInPlaceAsync: Job = (key, memory, aad, done) =>
  raw.decryptInPlaceAsync(key, memory, aad, done)

export const cancelJob: Binding['cancelJob'] = job => raw.cancelJob(job)

export const packetCreate: Binding['packetCreate'] = (...values) => {
  raw = load()
  return apply(raw.packetCreate, raw, values)
}

export const packetSetNext: Binding['packetSetNext'] = (packets, key, iv, arena) =>
  raw.packetSetNext(packets, key, iv, arena)
export const packetDestroy: Binding['packetDestroy'] = packets => raw.packetDestroy(packets)
export const packetIsDestroyed: Binding['packetIsDestroyed'] = packets => raw.packetIsDestroyed(packets)
export const packetsSealed: Binding['packetsSealed'] = packets => raw.packetsSealed(packets)
export const failedOpens: Binding['failedOpens'] = packets => raw.failedOpens(packets)
export const keyUpdates: Binding['keyUpdates'] = packets => raw.keyUpdates(packets)

export function packetSeal(
  packets: PacketHandle,
  packet: unknown,
  headerLength: unknown,
  packetNumber: unknown,
  pathId: unknown,
): number {
  if (liesOnImmutable(packet)) return immutableAt(1)
  return raw.packetSeal(packets, packet, headerLength, packetNumber, pathId)
}

export function packetSealRun(
  packets: PacketHandle,
  run: unknown,
  ends: unknown,
  headerLength: unknown,
  firstPacketNumber: unknown,
  pathId: unknown,
): number {
  if (liesOnImmutable(run)) return immutableAt(1)
  return raw.packetSealRun(packets, run, ends, headerLength, firstPacketNumber, pathId)
}

export function packetOpen(
  packets: PacketHandle,
  packet: unknown,
  packetNumberOffset: unknown,
  largestReceived: unknown,
  pathId: unknown,
): number {
  if (liesOnImmutable(packet)) return immutableAt(1)
  return raw.packetOpen(packets, packet, packetNumberOffset, largestReceived, pathId)
}

export function packetOpenRun(
  packets: PacketHandle,
  run: unknown,
  ends: unknown,
  packetNumberOffset: unknown,
  largestReceived: unknown,
  pathId: unknown,
  numbers: Uint8Array,
): number {
  if (liesOnImmutable(run)) return immutableAt(1)
  return raw.packetOpenRun(packets, run, ends, packetNumberOffset, largestReceived, pathId, numbers)
}

export const packetMask: Binding['packetMask'] = (packets, sample) => raw.packetMask(packets, sample)

export const chunksCreate: Binding['chunksCreate'] = (...values) => {
  raw = load()
  return apply(raw.chunksCreate, raw, values)
}

export const chunksDestroy: Binding['chunksDestroy'] = chunks => raw.chunksDestroy(chunks)
export const chunksSeal: Binding['chunksSeal'] = (chunks, source, target, last) =>
  raw.chunksSeal(chunks, source, target, last)
export const chunksOpen: Binding['chunksOpen'] = (chunks, first, source, target, last) =>
  raw.chunksOpen(chunks, first, source, target, last)

export function sealInto(
  key: KeyHandle,
  prefix: number,
  target: unknown,
  plaintext: unknown,
  aad: unknown,
): number {
  return aad === undefined
    ? raw.sealInto(key, prefix, target, plaintext)
    : raw.sealInto(key, prefix, target, plaintext, aad)
}

export function openInto(
  key: KeyHandle,
  skip: number,
  target: unknown,
  sealed: unknown,
  aad: unknown,
): number {
  return aad === undefined
    ? raw.openInto(key, skip, target, sealed)
    : raw.openInto(key, skip, target, sealed, aad)
}

export function sealText(key: KeyHandle, prefix: number, text: unknown, aad: unknown): string | number {
  return aad === undefined ? raw.sealText(key, prefix, text) : raw.sealText(key, prefix, text, aad)
}

export function openText(key: KeyHandle, skip: number, sealed: unknown, aad: unknown): string | number {
  return aad === undefined ? raw.openText(key, skip, sealed) : raw.openText(key, skip, sealed, aad)
}

export const keyBytes: Binding['keyBytes'] = (key, out) => raw.keyBytes(key, out)

// From here on, a call may be the first use of the binding. An undefined arena is the default one.

export const createArena: Binding['createArena'] = keys => load().createArena(keys)
export const arenaCapacity: Binding['arenaCapacity'] = arena => load().arenaCapacity(arena)
export const arenaUsed: Binding['arenaUsed'] = arena => load().arenaUsed(arena)
export const isArenaLocked: Binding['isArenaLocked'] = arena => load().isArenaLocked(arena)
export const isArenaExcludedFromDumps: Binding['isArenaExcludedFromDumps'] = arena =>
  load().isArenaExcludedFromDumps(arena)
export const isArenaDestroyed: Binding['isArenaDestroyed'] = arena => load().isArenaDestroyed(arena)
export const destroyArena: Binding['destroyArena'] = arena => load().destroyArena(arena)

export function random(view: unknown): number {
  if (liesOnImmutable(view)) return immutableAt(0)
  return load().random(view)
}

export const reseed: Binding['reseed'] = () => load().reseed()
export const sharesSplit: Binding['sharesSplit'] = (secret, blind, check, threshold, set) =>
  load().sharesSplit(secret, blind, check, threshold, set)
export const sharesCombine: Binding['sharesCombine'] = (set, out) => load().sharesCombine(set, out)
export const sharesLeaveOut: Binding['sharesLeaveOut'] = (set, out) => load().sharesLeaveOut(set, out)
export const sharesLocate: Binding['sharesLocate'] = (set, flags) => load().sharesLocate(set, flags)
export const sharesRecover: Binding['sharesRecover'] = (set, x, out) => load().sharesRecover(set, x, out)
export const pointsSplit: Binding['pointsSplit'] = (secret, threshold, random, set) =>
  load().pointsSplit(secret, threshold, random, set)
export const pointsCombine: Binding['pointsCombine'] = (set, threshold, out) =>
  load().pointsCombine(set, threshold, out)
export const pointsLocate: Binding['pointsLocate'] = (set, threshold, flags) =>
  load().pointsLocate(set, threshold, flags)
export const pointsRecover: Binding['pointsRecover'] = (set, threshold, x, out) =>
  load().pointsRecover(set, threshold, x, out)
export const encodeBase32: Binding['encodeBase32'] = (bytes, out) => load().encodeBase32(bytes, out)
export const decodeBase32: Binding['decodeBase32'] = (text, out) => load().decodeBase32(text, out)
export const encodeHex: Binding['encodeHex'] = (bytes, out) => load().encodeHex(bytes, out)
export const decodeHex: Binding['decodeHex'] = (text, out) => load().decodeHex(text, out)

export function randomInfo(): RandomInfo | number {
  return facts(load().randomInfo())
}

export function cpuFeatures(): Record<string, boolean> | number {
  return facts(load().cpuFeatures())
}

/** The facts in a JSON text of the binding; a refusal as it is. */
function facts<Facts>(text: string | number): Facts | number {
  return typeof text === 'number' ? text : parseJson(text)
}
