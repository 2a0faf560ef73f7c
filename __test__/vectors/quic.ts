// Published answers: RFC 9001 appendix A, RFC 9369 appendix A, and header protection masks from ring's tests.
// Left out: ChaCha20 (A.5), except for the secret of its key update, which has no cipher in it.
import { loadBytes } from './load.js'

/** Hex digits on several lines. */
const bytes = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')

interface PacketVector {
  name: string
  secret: Buffer
  key: Buffer
  iv: Buffer
  hp: Buffer
  packetNumber: number
  /** The unprotected header, with the packet number. */
  header: Buffer
  sample: Buffer
  mask: Buffer
  packet: Buffer
}

/** A CRYPTO frame, and PADDING. Both RFCs protect the same payloads. */
const CLIENT_PAYLOAD = Buffer.alloc(1162)
bytes(`
  060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c000004130113
  02010000c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d00170018001000070005
  04616c706e000500050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171fa71f50f1ce1
  5d43e994ec74d748002b0003020304000d0010000e0403050306030203080408050806002d00020101001c0002400100
  3900320408ffffffffffffffff05048000ffff07048000ffff0801100104800075300901100f088394c8f03e51570806
  048000ffff
`).copy(CLIENT_PAYLOAD)

const SERVER_PAYLOAD = bytes(`
  02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a1200
  130100002e00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00
  020304
`)

interface Vectors {
  versions: {
    version: 1 | 0x6b3343cf
    name: string
    destinationConnectionId: Buffer
    packets: PacketVector[]
    retry: { originalId: Buffer; packet: Buffer }
  }[]
  updates: { version: 1 | 0x6b3343cf; secret: Buffer; next: Buffer }[]
  masks: { hp: Buffer; sample: Buffer; mask: Buffer }[]
}
const { versions, updates, masks }: Vectors = loadBytes('./quic.json')

export const VERSIONS = versions.map(({ packets, ...rest }) => ({
  ...rest,
  packets: packets.map(packet => ({
    ...packet,
    payload: packet.name === 'client initial' ? CLIENT_PAYLOAD : SERVER_PAYLOAD,
  })),
}))
/** RFC 9001 A.5 and RFC 9369 A.5: a secret, and the secret after a key update. */
export const UPDATES = updates
/** From ring's tests/quic_aes_*_tests.txt. Two samples of each key length end in ffffffff. */
export const MASKS = masks
