//! GHASH (SP 800-38D 6.4) and POLYVAL (RFC 8452 section 3) over powers of H, one reduction a group.
//!
//! GHASH numbers the bits of a byte from the left, the instructions from the right. RFC 8452
//! appendix A connects the two: GHASH(H, X) is POLYVAL over byte-reversed blocks, under the key
//! mulX(byte-reversed H). POLYVAL's product and Montgomery's reduction share the factor x^-128: no
//! shift is needed.

use super::hash::{Ghash, Hash};
use super::products::{Factor, Products, multiply, zero};
use super::state::Powers;
use crate::lanes::{Block, Bytes, Lanes};
use core::cell::Cell;

/// Fills `powers` with `H^POWERS … H^1` and their halves, or at least the lowest `blocks` of them:
/// enough for a message of as many blocks, length block included. `h` is the key of the hash `M`.
///
/// With two lanes and `S` = 4: [H^2 H^1]; times H^2, [H^4 H^3]; times H^4, [H^6 H^5], [H^8 H^7].
#[inline(always)]
pub fn expand<M: Hash, V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    powers: &mut Powers<POWERS, GAP>,
    h: V::One,
    blocks: usize,
) {
    const { assert!(POWERS == S * V::BLOCKS + 1) };
    let h = M::key(h);
    // The lowest powers, one lane at a time.
    let mut lowest = V::first(zero());
    let mut top = h;
    for above in (0..V::BLOCKS).rev() {
        let power = V::spread(top);
        lowest = lowest.xor(power.truncate((above + 1) * 16)).xor(power.truncate(above * 16));
        if above > 0 {
            top = multiply(top, h);
        }
    }
    powers.set(0, lowest);
    // Each step doubles the registers: the existing powers, times the highest of them, are the
    // next. They are read back from `powers`, since an array of registers would lie on the stack.
    let mut filled = 1;
    while filled < S && filled * V::BLOCKS < blocks {
        let step = V::spread(top);
        for i in 0..filled.min(S - filled) {
            powers.set(filled + i, multiply(powers.register::<V>(i), step));
        }
        top = multiply(top, top);
        filled *= 2;
    }
    if blocks < POWERS {
        return;
    }
    // `POWERS` is one more than the registers hold: the highest power is computed alone.
    let below: V::One = powers.factor(S * V::BLOCKS, 0).h;
    powers.set(S * V::BLOCKS, multiply(below, h));
}

/// Sets to zero the powers that [`expand`] wrote for as many blocks.
#[inline(always)]
pub fn wipe<V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    powers: &mut Powers<POWERS, GAP>,
    blocks: usize,
) {
    let mut written = 1;
    while written < S && written * V::BLOCKS < blocks {
        written *= 2;
    }
    for i in 0..S {
        if i < written {
            powers.set(i, zero::<V>());
        }
    }
    if blocks >= POWERS {
        powers.set(S * V::BLOCKS, zero::<V::One>());
    }
}

/// The product of two blocks in GHASH's order of bits (SP 800-38D 6.3); zero if lanes disagree.
#[inline(always)]
pub fn product<V: Lanes>(a: &Block, b: &Block) -> Block {
    let b = V::spread(Ghash::key(V::One::splat(b)));
    let mut block = [[0; 16]; 4];
    let target = block.get_mut(..V::BLOCKS).unwrap_or(&mut []).as_flattened_mut();
    multiply(V::splat(a).reflect(), b).reflect().write(Cell::from_mut(target).as_slice_of_cells());
    let [first, second, third, fourth] = block;
    let equal =
        [second, third, fourth].iter().take(V::BLOCKS.wrapping_sub(1)).all(|other| *other == first);
    if equal { first } else { [0; 16] }
}

/// The powers of H, and their halves, for `R` registers that share a reduction. The last register
/// may be partial. Separate slices tell the compiler all other lengths, so loads need no test.
#[derive(Clone, Copy, Default)]
pub struct Factors<'a, const R: usize> {
    powers: &'a [Block],
    halves: &'a [Block],
    last_powers: &'a [Block],
    last_halves: &'a [Block],
}

impl<const R: usize> Factors<'_, R> {
    /// The powers for register `i`. Lanes past the last block get zeros.
    #[inline(always)]
    pub fn register<V: Lanes>(&self, i: usize) -> Factor<V> {
        if i.wrapping_add(1) == R {
            return Factor { h: V::load(self.last_powers), halves: V::load(self.last_halves) };
        }
        let at = i.wrapping_mul(V::BLOCKS);
        Factor {
            h: V::load(self.powers.get(at..).unwrap_or(&[])),
            halves: V::load(self.halves.get(at..).unwrap_or(&[])),
        }
    }
}

impl<const POWERS: usize, const GAP: usize> Powers<POWERS, GAP> {
    /// The powers for register `i` of `blocks` blocks that share a reduction; zeros in other lanes.
    #[inline(always)]
    pub fn factor<V: Lanes>(&self, blocks: usize, i: usize) -> Factor<V> {
        let at = POWERS.wrapping_sub(blocks).wrapping_add(i.wrapping_mul(V::BLOCKS));
        Factor {
            h: V::load(self.powers.get(at..).unwrap_or(&[])),
            halves: V::load(self.halves.get(at..).unwrap_or(&[])),
        }
    }

    /// The powers for `R` registers, the first of `blocks` blocks that share a reduction. `None`
    /// without so many powers, or if `blocks` end before the last register.
    #[inline(always)]
    pub fn factors<V: Lanes, const R: usize>(&self, blocks: usize) -> Option<Factors<'_, R>> {
        let at = POWERS.wrapping_sub(blocks);
        let full = (R - 1) * V::BLOCKS;
        let (powers, last_powers) = self.powers.get(at..)?.split_at_checked(full)?;
        let (halves, last_halves) = self.halves.get(at..)?.split_at_checked(full)?;
        Some(Factors { powers, halves, last_powers, last_halves })
    }

    /// The powers of register `i`, counted from the lowest powers.
    #[inline(always)]
    fn register<V: Lanes>(&self, i: usize) -> V {
        let at = POWERS.wrapping_sub((i + 1) * V::BLOCKS);
        V::load(self.powers.get(at..).unwrap_or(&[]))
    }

    /// Writes `h` and its halves as register `i`, counted from the lowest powers.
    #[inline(always)]
    fn set<V: Lanes>(&mut self, i: usize, h: V) {
        let at = POWERS.wrapping_sub((i + 1) * V::BLOCKS);
        for (blocks, register) in [(&mut self.powers, h), (&mut self.halves, h.halves())] {
            if let Some(blocks) = blocks.get_mut(at..at + V::BLOCKS) {
                register.write(Cell::from_mut(blocks.as_flattened_mut()).as_slice_of_cells());
            }
        }
    }
}

impl<V: Lanes> Products<V> {
    /// Adds the product of H and the length block (bits of AAD and of text), with `sum` added.
    #[inline(always)]
    pub fn add_lengths<M: Hash, const POWERS: usize, const GAP: usize>(
        &mut self,
        powers: &Powers<POWERS, GAP>,
        sum: V::One,
        lengths: Lengths,
    ) {
        let bits = |bytes: usize| (bytes as u64).wrapping_mul(8);
        let lengths = M::lengths(bits(lengths.aad), bits(lengths.text));
        let lengths = V::One::splat(&lengths.to_le_bytes());
        let Products { low, middle, high } = Products::of(lengths.xor(sum), powers.factor(1, 0));
        *self =
            self.plus(Self { low: V::first(low), middle: V::first(middle), high: V::first(high) });
    }

    /// Adds the products of the registers `x`. `sum` is added to the first block.
    #[inline(always)]
    pub fn add_registers<M: Hash, const R: usize>(
        &mut self,
        factors: Factors<'_, R>,
        mut sum: V::One,
        x: [V; R],
    ) {
        for (i, x) in x.into_iter().enumerate() {
            *self = self.plus(Self::of(M::elements(x).xor(V::first(sum)), factors.register(i)));
            sum = zero();
        }
    }

    /// Adds the products of `bytes`, padded with zeros to whole blocks: the first of `blocks`
    /// blocks that share a reduction. `sum` is added to the first block.
    #[inline(always)]
    pub fn add_bytes<M: Hash, const POWERS: usize, const GAP: usize>(
        &mut self,
        powers: &Powers<POWERS, GAP>,
        mut sum: V::One,
        bytes: Bytes,
        blocks: usize,
    ) {
        for (i, bytes) in bytes.chunks(V::BYTES).enumerate() {
            let x = M::elements(V::read(bytes)).xor(V::first(sum));
            *self = self.plus(Self::of(x, powers.factor(blocks, i)));
            sum = zero();
        }
    }
}

/// Bytes of AAD and of text.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// Bytes of AAD.
    pub aad: usize,
    /// Bytes of plaintext or ciphertext.
    pub text: usize,
}

/// The hash of `bytes`, padded with zeros to whole blocks, after `sum`: for associated data.
/// Unrolled as in [`absorb_text`], this loop would make those of the cipher spill registers.
#[inline(always)]
pub fn absorb<M: Hash, V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    powers: &Powers<POWERS, GAP>,
    mut sum: V::One,
    bytes: Bytes,
) -> V::One {
    for group in bytes.chunks(S * V::BYTES) {
        let mut products = Products::<V>::zero();
        products.add_bytes::<M, POWERS, GAP>(powers, sum, group, group.len().div_ceil(16));
        sum = products.reduce();
    }
    sum
}

/// The same, faster for whole groups, and more code: for a text hashed apart from the cipher.
#[inline(always)]
pub fn absorb_text<M: Hash, V: Lanes, const S: usize, const POWERS: usize, const GAP: usize>(
    powers: &Powers<POWERS, GAP>,
    mut sum: V::One,
    bytes: Bytes,
) -> V::One {
    let groups = bytes.chunks_exact(S * V::BYTES);
    let rest = groups.remainder();
    let factors = powers.factors::<V, S>(S * V::BLOCKS).unwrap_or_default();
    for group in groups {
        let mut products = Products::<V>::zero();
        for i in 0..S {
            let block = V::read(group.get(i.wrapping_mul(V::BYTES)..).unwrap_or(&[]));
            let x = M::elements(block).xor(V::first(sum));
            products = products.plus(Products::of(x, factors.register(i)));
            sum = zero();
        }
        sum = products.reduce();
    }
    if !rest.is_empty() {
        let mut products = Products::<V>::zero();
        products.add_bytes::<M, POWERS, GAP>(powers, sum, rest, rest.len().div_ceil(16));
        sum = products.reduce();
    }
    sum
}
