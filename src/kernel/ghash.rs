//! GHASH (SP 800-38D 6.4) over powers of H, one reduction per group of registers.
//!
//! GHASH numbers bits from the left, the instructions from the right. RFC 8452 appendix A gives the bridge:
//! GHASH(H, X) is POLYVAL over byte-reversed blocks with mulX(reversed H) for its key. POLYVAL's product carries
//! a factor x^-128, which is what Montgomery's reduction leaves, so no product ever needs a shift.
//!
//! Products are Karatsuba's: three multiplications a block, the third of the sums of the halves.

use super::aes::{Meanwhile, PARTS};
use super::state::Powers;
use crate::lanes::{Block, Bytes, Lanes};
use core::cell::Cell;

/// x^129 modulo x^128 + x^127 + x^126 + x^121 + 1, least significant byte first. Its Montgomery product with
/// reversed H is H·x, with no carry to test and no copy of H outside registers.
const X129: Block = {
    let mut block = [0; 16];
    block[0] = 0x03;
    block[15] = 0x46;
    block
};

/// Fills `powers` with `H^N … H^1` and their halves, for `h` as the cipher gave it.
#[inline(always)]
pub fn expand<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    powers: &mut Powers<N, GAP>,
    h: V::One,
) {
    const { assert!(N == S * V::BLOCKS + 1) };
    let h = multiply(h.reflect(), V::One::splat(&X129));
    // The lowest register, lane by lane.
    let mut lowest = V::first(zero());
    let mut top = h;
    for above in (0..V::BLOCKS).rev() {
        let power = V::spread(top);
        lowest = lowest.xor(power.keep((above + 1) * 16)).xor(power.keep(above * 16));
        if above > 0 {
            top = multiply(top, h);
        }
    }
    // Then twice as many each time: those that are there times the highest of them.
    let mut registers = [lowest; S];
    let mut have = 1;
    while have < S {
        let step = V::spread(top);
        let (there, new) = registers.split_at_mut(have);
        for (new, there) in new.iter_mut().zip(there) {
            *new = multiply(*there, step);
        }
        top = multiply(top, top);
        have *= 2;
    }
    for (i, register) in registers.into_iter().enumerate() {
        powers.set(i, register);
    }
    // The one above the registers (`N` is one more than they hold).
    let below: V::One = powers.factor(S * V::BLOCKS, 0).h;
    powers.set(S * V::BLOCKS, multiply(below, h));
}

#[inline(always)]
fn multiply<V: Lanes>(a: V, b: V) -> V {
    Products::of(a, Factor { h: b, halves: b.halves() }).modulo()
}

/// Zero, everywhere.
#[inline(always)]
pub fn zero<V: Lanes>() -> V {
    V::splat(&[0; 16])
}

/// A register of powers of H, as a product takes them.
#[derive(Clone, Copy)]
struct Factor<V> {
    h: V,
    halves: V,
}

impl<const N: usize, const GAP: usize> Powers<N, GAP> {
    /// The powers that register `i` meets when `blocks` blocks are left, the first of them in register 0. Lanes past
    /// the last block have none.
    #[inline(always)]
    fn factor<V: Lanes>(&self, blocks: usize, i: usize) -> Factor<V> {
        let at = N.wrapping_sub(blocks).wrapping_add(i.wrapping_mul(V::BLOCKS));
        Factor {
            h: V::load(self.powers.get(at..).unwrap_or(&[])),
            halves: V::load(self.halves.get(at..).unwrap_or(&[])),
        }
    }

    /// Fills register `i` of powers and halves, counted from the lowest.
    #[inline(always)]
    fn set<V: Lanes>(&mut self, i: usize, h: V) {
        let at = N.wrapping_sub((i + 1) * V::BLOCKS);
        for (blocks, register) in [(&mut self.powers, h), (&mut self.halves, h.halves())] {
            if let Some(blocks) = blocks.get_mut(at..at + V::BLOCKS) {
                register.write(Cell::from_mut(blocks.as_flattened_mut()).as_slice_of_cells());
            }
        }
    }
}

/// A sum of products, not yet reduced.
#[derive(Clone, Copy)]
pub struct Products<V> {
    low: V,
    /// Karatsuba's: what is too much in it, `low` and `high`, goes when the sum is reduced.
    middle: V,
    high: V,
}

impl<V: Lanes> Products<V> {
    /// The empty sum.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { low: zero(), middle: zero(), high: zero() }
    }

    /// `x` times `power`, lane by lane; `x` is reflected.
    #[inline(always)]
    fn of(x: V, power: Factor<V>) -> Self {
        Self { low: x.low(power.h), middle: x.halves().low(power.halves), high: x.high(power.h) }
    }

    /// Both sums in one.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self {
            low: self.low.xor(other.low),
            middle: self.middle.xor(other.middle),
            high: self.high.xor(other.high),
        }
    }

    /// Adds the length block, `[len(A)]64 ‖ [len(C)]64` in bits, and `carry` with it: the last block, so it meets H.
    #[inline(always)]
    pub fn add_lengths<const N: usize, const GAP: usize>(
        &mut self,
        powers: &Powers<N, GAP>,
        carry: V::One,
        lengths: Lengths,
    ) {
        let bits = |bytes: usize| (bytes as u64).wrapping_mul(8);
        let lengths = (u128::from(bits(lengths.aad)) << 64) | u128::from(bits(lengths.text));
        let lengths = V::One::splat(&lengths.to_le_bytes());
        let Products { low, middle, high } = Products::of(lengths.xor(carry), powers.factor(1, 0));
        *self =
            self.plus(Self { low: V::first(low), middle: V::first(middle), high: V::first(high) });
    }

    /// Adds the registers `x`, of which the first block is the first of `blocks` left, and `carry` is added to that.
    #[inline(always)]
    pub fn add_group<const R: usize, const N: usize, const GAP: usize>(
        &mut self,
        powers: &Powers<N, GAP>,
        mut carry: V::One,
        x: [V; R],
        blocks: usize,
    ) {
        for (i, x) in x.into_iter().enumerate() {
            *self = self.plus(Self::of(x.reflect().xor(V::first(carry)), powers.factor(blocks, i)));
            carry = zero();
        }
    }

    /// Adds `bytes`, its last block padded with zeros, of which the first block is the first of `blocks` left.
    #[inline(always)]
    pub fn add_bytes<const N: usize, const GAP: usize>(
        &mut self,
        powers: &Powers<N, GAP>,
        mut carry: V::One,
        bytes: Bytes,
        blocks: usize,
    ) {
        for (i, bytes) in bytes.chunks(V::BYTES).enumerate() {
            let x = V::read(bytes).reflect().xor(V::first(carry));
            *self = self.plus(Self::of(x, powers.factor(blocks, i)));
            carry = zero();
        }
    }

    /// The sums of the lanes, each modulo the polynomial.
    #[inline(always)]
    fn modulo(self) -> V {
        let middle = self.middle.xor(self.low).xor(self.high);
        V::reduce(self.low, middle, self.high)
    }

    /// The sum of all lanes modulo the polynomial.
    #[inline(always)]
    pub fn reduce(self) -> V::One {
        self.modulo().fold()
    }
}

/// Bytes of AAD and of text.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// Of the AAD.
    pub aad: usize,
    /// Of plaintext or ciphertext.
    pub text: usize,
}

/// Absorbs `bytes`, its last block padded with zeros.
#[inline(always)]
pub fn absorb<V: Lanes, const S: usize, const N: usize, const GAP: usize>(
    powers: &Powers<N, GAP>,
    mut sum: V::One,
    bytes: Bytes,
) -> V::One {
    for group in bytes.chunks(S * V::BYTES) {
        let mut products = Products::<V>::zero();
        products.add_bytes(powers, sum, group, group.len().div_ceil(16));
        sum = products.reduce();
    }
    sum
}

/// A whole group of ciphertext.
pub trait Group<V: Lanes> {
    /// Its register `i`.
    fn register(&self, i: usize) -> V;
}

impl<V: Lanes, const S: usize> Group<V> for [V; S] {
    #[inline(always)]
    fn register(&self, i: usize) -> V {
        self.get(i).copied().unwrap_or(zero())
    }
}

impl<V: Lanes> Group<V> for Bytes<'_> {
    #[inline(always)]
    fn register(&self, i: usize) -> V {
        V::read(self.get(i.wrapping_mul(V::BYTES)..).unwrap_or(&[]))
    }
}

/// Absorbs a whole group of `S` registers while the cipher works on another.
pub struct Absorb<'a, V: Lanes, G, const S: usize, const N: usize, const GAP: usize> {
    powers: &'a Powers<N, GAP>,
    sum: V::One,
    group: G,
    products: Products<V>,
    /// Where there is room, every other product waits for the next: AVX-512 and EOR3 XOR three terms in one instruction.
    waiting: Products<V>,
}

impl<'a, V: Lanes, G: Group<V>, const S: usize, const N: usize, const GAP: usize>
    Absorb<'a, V, G, S, N, GAP>
{
    /// After `sum`.
    #[inline(always)]
    pub fn new(powers: &'a Powers<N, GAP>, sum: V::One, group: G) -> Self {
        Self { powers, sum, group, products: Products::zero(), waiting: Products::zero() }
    }

    /// The sum after the group.
    #[inline(always)]
    pub fn sum(self) -> V::One {
        self.products.reduce()
    }
}

impl<V: Lanes, G: Group<V>, const S: usize, const N: usize, const GAP: usize> Meanwhile<V>
    for Absorb<'_, V, G, S, N, GAP>
{
    #[inline(always)]
    fn part(&mut self, part: usize, lead: &mut V) {
        let from = |part: usize| (part * S).div_ceil(PARTS);
        for i in from(part)..from(part + 1) {
            let mut x = self.group.register(i).reflect();
            if i == 0 {
                x = x.xor(V::first(self.sum));
            }
            let product = Products::of(x, self.powers.factor(S * V::BLOCKS, i));
            let Products { low, middle, high } = if V::ROOMY && i % 2 == 0 && i + 1 < S {
                self.waiting = product;
                &mut self.waiting
            } else {
                self.products = self.products.plus(self.waiting).plus(product);
                self.waiting = Products::zero();
                &mut self.products
            };
            lead.abreast(low, middle, high);
        }
    }
}
