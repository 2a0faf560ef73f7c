//! The memory of an expanded key: round keys and powers of H. Both are plain bytes, so that one operation wipes a key.

use crate::lanes::Block;

/// The round keys of AES (FIPS 197 5.2): 240 bytes. AES-128 does not write the last four keys.
#[repr(C, align(16))]
pub struct Schedule {
    /// The keys in the order of the rounds.
    pub round_keys: [Block; 15],
}

/// `N` powers of one H, and for each power the XOR of its halves: `32 * N + 16 * GAP` bytes.
///
/// `N` is the number of blocks in a group plus one for the length block, which may follow the group. A group without the
/// length block therefore starts at the second power and at the second entry of `halves`. If a [`KeyState`] starts on a cache
/// line of 64 bytes, the second power does so, too. A `GAP` of 3 does the same for the second entry of `halves`. Registers of
/// one block never cross a line, so that `GAP` is 0 for them.
#[repr(C, align(16))]
pub struct Powers<const POWERS: usize, const GAP: usize> {
    /// `H^POWERS … H^1`, reflected and times x (see `ghash`). Earlier blocks use higher powers.
    pub powers: [Block; POWERS],
    /// Unused.
    pub gap: [Block; GAP],
    /// For each power, the XOR of its halves, in both halves: Karatsuba's third factor, computed once.
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
