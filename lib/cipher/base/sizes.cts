// The sizes of AES-GCM's messages, in bytes (NIST SP 800-38D).

export const NONCE_BYTES = 12
export const TAG_BYTES = 16
/** The bytes of a frame round its plaintext: nonce and tag. */
export const OVERHEAD = 28
/** SP 800-38D 5.2.1.1: 2^39 - 256 bits. */
export const MAX_MESSAGE_BYTES = 2 ** 36 - 32
