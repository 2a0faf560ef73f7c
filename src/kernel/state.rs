//! The memory of an expanded key: round keys and powers of H, plain bytes that are wiped at once.

use crate::lanes::Block;

/// The round keys of AES (FIPS 197 5.2): 240 bytes. AES-128 does not write the last four keys.
#[repr(C, align(16))]
pub struct Schedule {
    /// The keys in the order of the rounds.
    pub round_keys: [Block; 15],
}

/// `POWERS` powers of one H, and the XOR of the halves of each: `32 * POWERS + 16 * GAP` bytes.
///
/// `POWERS` is the number of blocks in a group plus one for the length block, which may follow. A
/// group without it starts at the second power and at the second entry of `halves`. If a
/// [`KeyState`] starts on a cache line of 64 bytes, so does the second power; a `GAP` of 3 does the
/// same for the second entry. Registers of one block never cross a line, so their `GAP` is 0.
#[repr(C, align(16))]
pub struct Powers<const POWERS: usize, const GAP: usize> {
    /// `H^POWERS … H^1`, reflected and times x (see `ghash`). Earlier blocks use higher powers.
    pub powers: [Block; POWERS],
    /// Unused.
    pub gap: [Block; GAP],
    /// For each power, the XOR of its halves, in both halves: Karatsuba's third factor.
    pub halves: [Block; POWERS],
}

/// An expanded key of AES-GCM: the round keys, and the powers of their H.
#[repr(C, align(16))]
pub struct KeyState<const POWERS: usize, const GAP: usize> {
    /// The round keys.
    pub schedule: Schedule,
    /// The powers of H.
    pub powers: Powers<POWERS, GAP>,
}
