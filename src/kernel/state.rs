//! The memory of an expanded key: round keys, and powers of H. Both are plain bytes, so that wiping them is one operation.

use crate::lanes::Block;

/// The round keys of AES (FIPS 197 5.2): 240 bytes. AES-128 leaves the last four zero.
#[repr(C, align(16))]
pub struct Schedule {
    /// In the order of the rounds.
    pub round_keys: [Block; 15],
}

/// `N` powers of one H, and beside each the XOR of its halves: `32 * N + 16 * GAP` bytes.
///
/// `N` is one more than a group has blocks, since the length block may follow. A group therefore starts at the second power
/// and at the second half. In a [`KeyState`] that starts a cache line, so does that power; `GAP` is 3 where a group's powers
/// fill whole cache lines, so that the second half starts one, too. Registers of one block never cross a line and need no gap.
#[repr(C, align(16))]
pub struct Powers<const N: usize, const GAP: usize> {
    /// `H^N … H^1`, reflected and times x (see `ghash`): ascending lanes meet descending powers.
    pub powers: [Block; N],
    /// Unused.
    pub gap: [Block; GAP],
    /// Of each power, the XOR of its halves in both halves: Karatsuba's third factor, computed once.
    pub halves: [Block; N],
}

/// An expanded key of AES-GCM: the round keys, and the powers of H that belong to them.
#[repr(C, align(16))]
pub struct KeyState<const N: usize, const GAP: usize> {
    /// The round keys.
    pub schedule: Schedule,
    /// The powers of H.
    pub powers: Powers<N, GAP>,
}
