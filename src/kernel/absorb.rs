//! Products of GHASH or POLYVAL, placed between the rounds of the cipher.

use super::aes::{BRANCH_PARTS, Meanwhile, PARTS};
use super::ghash::Factors;
use super::hash::Hash;
use super::products::{Products, zero};
use crate::lanes::{Bytes, Lanes};
use core::marker::PhantomData;

/// Registers of the text that the hash takes.
pub trait Hashed<V: Lanes> {
    /// Register `i`.
    fn register(&self, i: usize) -> V;
}

impl<V: Lanes, const R: usize> Hashed<V> for [V; R] {
    #[inline(always)]
    fn register(&self, i: usize) -> V {
        self.get(i).copied().unwrap_or(zero())
    }
}

/// Memory: whole registers, and the last register, which may be partial.
impl<V: Lanes> Hashed<V> for (Bytes<'_>, Bytes<'_>) {
    #[inline(always)]
    fn register(&self, i: usize) -> V {
        let (full, last) = *self;
        match full.get(i.wrapping_mul(V::BYTES)..) {
            Some(bytes) if !bytes.is_empty() => V::read(bytes),
            _ => V::read(last),
        }
    }
}

/// The products of `R` registers, computed while the cipher encrypts these registers or the next.
pub struct Absorb<'a, M, V: Lanes, T, const R: usize> {
    factors: Factors<'a, R>,
    sum: V::One,
    text: T,
    products: Products<V>,
    /// With spare registers, products are added in pairs: one instruction can XOR three terms.
    unpaired: Products<V>,
    hash: PhantomData<M>,
}

impl<'a, M: Hash, V: Lanes, T: Hashed<V>, const R: usize> Absorb<'a, M, V, T, R> {
    /// Starts with the products so far. `sum` is added to the first block.
    #[inline(always)]
    pub fn new(factors: Factors<'a, R>, products: Products<V>, sum: V::One, text: T) -> Self {
        let (unpaired, hash) = (Products::zero(), PhantomData);
        Self { factors, sum, text, products, unpaired, hash }
    }

    /// All products, after the last part.
    #[inline(always)]
    pub fn products(self) -> Products<V> {
        self.products
    }
}

impl<M: Hash, V: Lanes, T: Hashed<V>, const R: usize> Meanwhile<V> for Absorb<'_, M, V, T, R> {
    // Registers of four blocks use all parts: Zen 5 starts a product of this width only every
    // second cycle, so the products take almost as long as the rounds. Narrower registers use
    // the parts after the branch alone, so no product occupies a register across it.
    #[inline(always)]
    fn part(&mut self, part: usize, cipher: &mut V) {
        let before = if V::BLOCKS < 4 { BRANCH_PARTS } else { 0 };
        // Wrapping, since checks of overflows would double the time that the compiler takes for the
        // tests: it unrolls this loop for every part of every kernel.
        let from = |part: usize| {
            part.saturating_sub(before).wrapping_mul(R).div_ceil(PARTS.wrapping_sub(before))
        };
        for n in from(part)..from(part.wrapping_add(1)) {
            // The first register comes last: its block waits for the reduction of earlier blocks.
            let next = n.wrapping_add(1);
            let i = if next == R { 0 } else { next };
            let mut x = M::elements(self.text.register(i));
            if i == 0 {
                x = x.xor(V::first(self.sum));
            }
            let product = Products::of(x, self.factors.register(i));
            let Products { low, middle, high } = if V::SPARE_REGISTERS && n % 2 == 0 && next < R {
                self.unpaired = product;
                &mut self.unpaired
            } else {
                self.products = self.products.plus(self.unpaired).plus(product);
                self.unpaired = Products::zero();
                &mut self.products
            };
            cipher.interleave(low, middle, high);
        }
    }
}
