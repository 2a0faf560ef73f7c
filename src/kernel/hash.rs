//! How GHASH and POLYVAL read blocks. Their sums over powers of H are one (RFC 8452 appendix A).

use super::products::multiply;
use crate::lanes::{Block, Lanes, Single};

/// x^129 modulo POLYVAL's polynomial, x^128 + x^127 + x^126 + x^121 + 1, least significant byte
/// first. Its Montgomery product with the reversed H is H·x, without a test of a carry or copy of
/// H.
const X129: Block = {
    let mut block = [0; 16];
    block[0] = 0x03;
    block[15] = 0x46;
    block
};

/// The hash of a mode, by how it reads its key and its blocks as elements of POLYVAL's field.
pub trait Hash {
    /// The element that H stands for.
    fn key<B: Single>(h: B) -> B;
    /// The elements that blocks stand for.
    fn elements<V: Lanes>(blocks: V) -> V;
    /// The element of the length block, least significant byte first, from the numbers of bits.
    fn lengths(aad: u64, text: u64) -> u128;
}

/// GHASH (SP 800-38D 6.4).
pub struct Ghash;

impl Hash for Ghash {
    #[inline(always)]
    fn key<B: Single>(h: B) -> B {
        multiply(h.reflect(), B::splat(&X129))
    }

    #[inline(always)]
    fn elements<V: Lanes>(blocks: V) -> V {
        blocks.reflect()
    }

    #[inline(always)]
    fn lengths(aad: u64, text: u64) -> u128 {
        u128::from(aad) << 64 | u128::from(text)
    }
}

/// POLYVAL (RFC 8452 section 3).
pub struct Polyval;

impl Hash for Polyval {
    #[inline(always)]
    fn key<B: Single>(h: B) -> B {
        h
    }

    #[inline(always)]
    fn elements<V: Lanes>(blocks: V) -> V {
        blocks
    }

    #[inline(always)]
    fn lengths(aad: u64, text: u64) -> u128 {
        u128::from(text) << 64 | u128::from(aad)
    }
}
