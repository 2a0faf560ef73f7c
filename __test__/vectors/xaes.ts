// Published answers of XAES-256-GCM: C2SP's specification (version 1), and messages that Tink 1.16.1 for Python sealed.
import { sealedBy, TINK as VECTORS_OF_TINK } from './tink.js'

const bytes = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'hex')

export interface Message {
  key: Uint8Array
  nonce: Uint8Array
  plaintext: Uint8Array
  aad: Uint8Array
}

export interface Sealed {
  text: Buffer
  tag: Buffer
}

/** The two vectors of the specification: the highest bit of L is 0 in the first and 1 in the second. */
export const VECTORS = [
  {
    name: 'L begins with a bit 0',
    key: Buffer.alloc(32, 1),
    nonce: Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX'),
    l: bytes('7298caa565031eadc6ce23d23ea66378'),
    k1: bytes('e531954aca063d5b8d9c47a47d4cc6f0'),
    derivedKey: bytes('c8612c9ed53fe43e8e005b828a1631a0bbcb6ab2f46514ec4f439fcfd0fa969b'),
    derivedNonce: bytes('4d4e4f505152535455565758'),
    plaintext: Buffer.from('XAES-256-GCM'),
    aad: Buffer.alloc(0),
    text: bytes('ce546ef63c9cc60765923609'),
    tag: bytes('b33a9a1974e96e52daf2fcf7075e2271'),
  },
  {
    name: 'L begins with a bit 1',
    key: Buffer.alloc(32, 3),
    nonce: Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX'),
    l: bytes('91c08762876dccf9ba204a33768fa5fe'),
    k1: bytes('23810ec50edb99f374409466ed1f4b7b'),
    derivedKey: bytes('e9c621d4cdd9b11b00a6427ad7e559aeedd66b3857646677748f8ca796cb3fd8'),
    derivedNonce: bytes('4d4e4f505152535455565758'),
    plaintext: Buffer.from('XAES-256-GCM'),
    aad: Buffer.from('c2sp.org/XAES-256-GCM'),
    text: bytes('986ec1832593df5443a17943'),
    tag: bytes('7fd083bf3fdb41abd740a21f71eb769d'),
  },
]

/** The hashes of the specification's accumulated tests, by the number of messages. */
export const ACCUMULATED: Record<number, string> = {
  10000: 'e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939',
  1000000: '2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15',
}

/**
 * Tink's messages, with nonces of 24 bytes: `salt ‖ iv(12) ‖ ciphertext ‖ tag(16)`. A salt of 8 bytes, in Tink's nonces of 160 bits, is
 * padded with zeros to 12 bytes for the key derivation, so such a message is one whose nonce has four zeros after the salt.
 */
export const TINK = VECTORS_OF_TINK.xaes.flatMap(({ template, ...sealed }) =>
  sealedBy(sealed).map(({ message, ...rest }, i) => {
    const saltBytes = template.includes('160_BIT') ? 8 : 12
    const iv = message.subarray(saltBytes, saltBytes + 12)
    const nonce = Buffer.concat([message.subarray(0, saltBytes), Buffer.alloc(12 - saltBytes), iv])
    const text = message.subarray(saltBytes + 12, -16)
    return { name: `${template} ${i}`, ...rest, nonce, text, tag: message.subarray(-16) }
  }),
)
