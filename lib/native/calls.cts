// Calls the raw functions of the loaded binding. Only binary.cts and self-test.cts also call some, before `load` returns.
//
// A negative status is a refusal, of which `refusal` makes an error. Callers ask `!(status >= 0)` instead of `status < 0`,
// because a status is undefined if Node-API failed; the error is then an internal one.
//
// Memory of a caller's that a function would write must not be immutable. Memory of this package never is.
//
// The functions that take `aad` leave it out if it is undefined, so that native code need not ask for its type, which takes
// 5 ns. They are functions of the module, so that V8 inlines them into the methods of AesGcm.
import type { RandomInfo } from '../../index.d.ts'
import { apply, parseJson } from '../base/builtins.cjs'
import { liesOnImmutable } from '../base/views.cjs'
import { load } from './binary.cjs'
import type { ArenaHandle, Binding, ChunksHandle, Job, KeyHandle, PacketHandle } from './binding.cjs'
import { immutableAt } from './status.cjs'

/** For `create` and `packetCreate`: the best backend of this CPU, because it is no position in `backendNames`. */
export const BEST_BACKEND = 255

/** The loaded binding. Set before the first key handle exists, so the functions that take one need not ask. */
let raw = {} as Binding

export function create(
  algorithm: number,
  backend: number,
  bytes: unknown,
  nonceAtEnd: boolean,
  verifyFirst: boolean,
  maxMessages: number,
  maxFailures: number,
  arena: ArenaHandle | undefined,
): KeyHandle | number {
  raw = load()
  return raw.create(algorithm, backend, bytes, nonceAtEnd, verifyFirst, maxMessages, maxFailures, arena)
}

export function destroy(key: KeyHandle): number {
  return raw.destroy(key)
}

export function messagesEncrypted(key: KeyHandle): number {
  return raw.messagesEncrypted(key)
}

export function bytesEncrypted(key: KeyHandle): number {
  return raw.bytesEncrypted(key)
}

export function failedDecryptions(key: KeyHandle): number {
  return raw.failedDecryptions(key)
}

export function isDestroyed(key: KeyHandle): boolean {
  return raw.isDestroyed(key)
}

export function encryptInPlace(key: KeyHandle, frame: unknown, aad: unknown): number {
  if (liesOnImmutable(frame)) return immutableAt(1)
  return aad === undefined ? raw.encryptInPlace(key, frame) : raw.encryptInPlace(key, frame, aad)
}

export function decryptInPlace(key: KeyHandle, frame: unknown, aad: unknown): number {
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

export function cancelJob(job: number): number {
  return raw.cancelJob(job)
}

export const packetCreate: Binding['packetCreate'] = (...values) => {
  raw = load()
  return apply(raw.packetCreate, raw, values)
}

export function packetSetNext(
  packets: PacketHandle,
  key: Uint8Array,
  iv: Uint8Array,
  arena: ArenaHandle | undefined,
): number {
  return raw.packetSetNext(packets, key, iv, arena)
}

export function packetDestroy(packets: PacketHandle): number {
  return raw.packetDestroy(packets)
}

export function packetIsDestroyed(packets: PacketHandle): boolean {
  return raw.packetIsDestroyed(packets)
}

export function packetsSealed(packets: PacketHandle): number {
  return raw.packetsSealed(packets)
}

export function failedOpens(packets: PacketHandle): number {
  return raw.failedOpens(packets)
}

export function keyUpdates(packets: PacketHandle): number {
  return raw.keyUpdates(packets)
}

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

export function packetMask(packets: PacketHandle, sample: Uint8Array): number {
  return raw.packetMask(packets, sample)
}

export const chunksCreate: Binding['chunksCreate'] = (...values) => {
  raw = load()
  return apply(raw.chunksCreate, raw, values)
}

export function chunksDestroy(chunks: ChunksHandle): number {
  return raw.chunksDestroy(chunks)
}

export function chunksSeal(chunks: ChunksHandle, source: unknown, target: unknown, last: boolean): number {
  return raw.chunksSeal(chunks, source, target, last)
}

export function chunksOpen(
  chunks: ChunksHandle,
  first: number,
  source: unknown,
  target: unknown,
  last: boolean,
): number {
  return raw.chunksOpen(chunks, first, source, target, last)
}

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

export function keyBytes(key: KeyHandle, out: Uint8Array): number {
  return raw.keyBytes(key, out)
}

// The functions from here on may be the first use of the binding. An undefined arena is the default arena.

export function createArena(keys: number): ArenaHandle | number {
  return load().createArena(keys)
}

export function arenaCapacity(arena: ArenaHandle): number {
  return load().arenaCapacity(arena)
}

export function arenaUsed(arena: ArenaHandle | undefined): number {
  return load().arenaUsed(arena)
}

export function isArenaLocked(arena: ArenaHandle | undefined): boolean {
  return load().isArenaLocked(arena)
}

export function isArenaExcludedFromDumps(arena: ArenaHandle | undefined): boolean {
  return load().isArenaExcludedFromDumps(arena)
}

export function isArenaDestroyed(arena: ArenaHandle): boolean {
  return load().isArenaDestroyed(arena)
}

export function destroyArena(arena: ArenaHandle): number {
  return load().destroyArena(arena)
}

export function random(view: unknown): number {
  if (liesOnImmutable(view)) return immutableAt(0)
  return load().random(view)
}

export function reseed(): number {
  return load().reseed()
}

export function sharesSplit(
  secret: Uint8Array,
  blind: Uint8Array,
  check: Uint8Array,
  threshold: number,
  set: Uint8Array,
): number {
  return load().sharesSplit(secret, blind, check, threshold, set)
}

export function sharesCombine(set: Uint8Array, out: Uint8Array): number {
  return load().sharesCombine(set, out)
}

export function sharesLeaveOut(set: Uint8Array, out: Uint8Array): number {
  return load().sharesLeaveOut(set, out)
}

export function sharesLocate(set: Uint8Array, flags: Uint8Array): number {
  return load().sharesLocate(set, flags)
}

export function sharesRecover(set: Uint8Array, x: number, out: Uint8Array): number {
  return load().sharesRecover(set, x, out)
}

export function pointsSplit(secret: Uint8Array, threshold: number, random: boolean, set: Uint8Array): number {
  return load().pointsSplit(secret, threshold, random, set)
}

export function pointsCombine(set: Uint8Array, threshold: number, out: Uint8Array): number {
  return load().pointsCombine(set, threshold, out)
}

export function pointsLocate(set: Uint8Array, threshold: number, flags: Uint8Array): number {
  return load().pointsLocate(set, threshold, flags)
}

export function pointsRecover(set: Uint8Array, threshold: number, x: Uint8Array, out: Uint8Array): number {
  return load().pointsRecover(set, threshold, x, out)
}

export function encodeBase32(bytes: Uint8Array, out: Uint8Array): number {
  return load().encodeBase32(bytes, out)
}

export function decodeBase32(text: Uint8Array, out: Uint8Array): number {
  return load().decodeBase32(text, out)
}

export function encodeHex(bytes: Uint8Array, out: Uint8Array): number {
  return load().encodeHex(bytes, out)
}

export function decodeHex(text: Uint8Array, out: Uint8Array): number {
  return load().decodeHex(text, out)
}

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
