//! The algorithms, once, over [`Lanes`](crate::lanes::Lanes): no `unsafe`, no `cfg`, no allocation, no panic, no policy.
//!
//! Every function is `#[inline(always)]`, so that it is compiled inside a backend's entry point, with that
//! backend's instructions. `S` is how many registers are in flight.

pub mod aes;
pub mod ctr;
pub mod gcm;
pub mod ghash;

use crate::lanes::Block;

/// An expanded key: the round keys and `N` powers of H. Plain bytes, so that wiping is one operation.
///
/// `N` is one more than a group has blocks, since the length block may follow. A group therefore starts at the second
/// power and at the second half. Where the state lies on a cache line, so does that power; so does that half if a group's
/// powers fill whole lines and `PAD` is 3. Registers of one block never cross a line, and have no use for it.
#[repr(C, align(16))]
pub struct KeyState<const N: usize, const PAD: usize> {
    /// Round keys; AES-128 leaves the last four zero.
    pub round_keys: [Block; 15],
    /// `H^N … H^1`, reflected and times x (see `ghash`): ascending lanes meet descending powers.
    pub powers: [Block; N],
    /// Unused.
    pub pad: [Block; PAD],
    /// Of each power, the XOR of its halves in both halves: Karatsuba's third factor, made once.
    pub halves: [Block; N],
}

/// A key as the caller gave it.
#[derive(Clone, Copy)]
pub enum RawKey<'a> {
    /// AES-128.
    Aes128(&'a [u8; 16]),
    /// AES-256.
    Aes256(&'a [u8; 32]),
}

impl RawKey<'_> {
    /// 128 or 256.
    pub fn bits(&self) -> KeyBits {
        match self {
            Self::Aes128(_) => KeyBits::Aes128,
            Self::Aes256(_) => KeyBits::Aes256,
        }
    }
}

/// Which of the two ciphers a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBits {
    /// AES-128: ten rounds.
    Aes128,
    /// AES-256: fourteen rounds.
    Aes256,
}
