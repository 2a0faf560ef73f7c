// The integrity tag of Retry packets (RFC 9001 section 5.8).
import type { Buffer } from 'node:buffer'
import type { Version } from '../../../types/quic.d.ts'
import { withKey } from '../../cipher/aead/once.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { outOfRange, wrongLength } from '../../cipher/base/errors.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { allocate, allocateOffHeap, bytesOver, copy } from '../../cipher/base/views.cjs'
import { encryptDetached } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { MAX_CONNECTION_ID_BYTES } from './schedule.cjs'
import { constantsOf } from './versions.cjs'

const MAX_PACKET_BYTES = 65_535

export function retryIntegrityTag(
  version: Version,
  originalDestinationConnectionId: Uint8Array,
  retryPacketWithoutTag: Uint8Array,
): Buffer<ArrayBuffer> {
  const { retryKey, retryNonce } = constantsOf('version', version)
  const pseudoPacket = pseudoPacketOf(originalDestinationConnectionId, retryPacketWithoutTag)
  return withKey(retryKey, handle => {
    const [empty, tag] = [allocate(0), allocateOffHeap(TAG_BYTES)]
    const status = encryptDetached(handle, empty, retryNonce, tag, pseudoPacket)
    if (!(status >= 0)) throw refusal(status, ['handle', 'data', 'nonce', 'tag', 'aad'])
    return tag
  })
}

/** The length of the connection id, the id, and the packet. */
function pseudoPacketOf(id: Uint8Array, packet: Uint8Array): Uint8Array {
  const idBytes = lengthOf('originalDestinationConnectionId', id)
  if (idBytes > MAX_CONNECTION_ID_BYTES)
    throw wrongLength('originalDestinationConnectionId', 'at most 20 bytes', id)
  const packetBytes = lengthOf('retryPacketWithoutTag', packet)
  if (packetBytes > MAX_PACKET_BYTES - TAG_BYTES)
    throw outOfRange(`"retryPacketWithoutTag" must be at most 65519 bytes, got length ${packetBytes}`)
  const memory = allocateOffHeap(1 + idBytes + packetBytes)
  memory[0] = idBytes
  copy(bytesOver(memory.buffer, 1, idBytes), id)
  copy(bytesOver(memory.buffer, 1 + idBytes, packetBytes), packet)
  return memory
}
