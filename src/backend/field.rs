//! GF(2^256) on a backend, and the guard inside which it is used.

use super::Cpu;
use super::expanded::guarded;
use crate::kernel::gf2_256;
use core::marker::PhantomData;
use core::slice;

pub use gf2_256::{Element, ONE};

/// Zero.
pub const ZERO: Element = [[0; 16]; 2];

/// GF(2^256) inside a guard. Time does not depend on the elements, only on their number.
#[derive(Clone, Copy)]
pub struct Field {
    cpu: Cpu,
    /// Not `Send`: a guard clears the registers and the stack of its own thread.
    thread: PhantomData<*const ()>,
}

impl Cpu {
    /// Lends the field to `work`, as [`RoundKeys::within`](super::RoundKeys::within) does.
    #[inline(always)]
    pub fn field<R>(self, work: impl FnOnce(Field) -> R) -> R {
        guarded(self, || work(Field { cpu: self, thread: PhantomData }))
    }

    /// The product of two blocks in GHASH's order of bits (SP 800-38D 6.3); zero if lanes disagree.
    #[cfg(feature = "faults")]
    pub fn ghash_multiply(
        self,
        a: &crate::lanes::Block,
        b: &crate::lanes::Block,
    ) -> crate::lanes::Block {
        // SAFETY: `self` proves the features.
        unsafe { (self.entry().ghash_multiply)(a, b) }
    }
}

impl Field {
    /// `a = a b`.
    #[inline(always)]
    pub fn multiply(self, a: &mut Element, b: &Element) {
        self.multiply_each(slice::from_mut(a), slice::from_ref(b));
    }

    /// `a = a b`, for each element and the one at the same place.
    #[inline(always)]
    pub fn multiply_each(self, a: &mut [Element], b: &[Element]) {
        debug_assert_eq!(a.len(), b.len());
        // SAFETY: `cpu` proves the features, as below.
        unsafe { (self.cpu.entry().field.multiply)(a, b) }
    }

    /// `a = 1 / a`; 0 stays 0.
    #[inline(always)]
    pub fn invert(self, a: &mut Element) {
        // SAFETY: `cpu` proves the features.
        unsafe { (self.cpu.entry().field.invert)(a) }
    }

    /// Continues Horner's scheme at each of `points`: `value = value · point + coefficient`. From
    /// zero, and from the highest coefficient on, this evaluates a polynomial.
    #[inline(always)]
    pub fn evaluate(self, coefficients: &[Element], points: &[Element], values: &mut [Element]) {
        debug_assert_eq!(points.len(), values.len());
        // SAFETY: `cpu` proves the features.
        unsafe { (self.cpu.entry().field.evaluate)(coefficients, points, values) }
    }

    /// Lagrange's coefficients at 0 for `points`, which are distinct and not 0: with these weights,
    /// the sum of a polynomial's values is its value at 0, if it has no more coefficients than
    /// points. `products` is room for one element per point.
    #[inline(always)]
    pub fn lagrange(self, points: &[Element], weights: &mut [Element], products: &mut [Element]) {
        debug_assert!(points.len() == weights.len() && points.len() == products.len());
        // SAFETY: `cpu` proves the features.
        unsafe { (self.cpu.entry().field.lagrange)(points, weights, products) }
    }

    /// Adds to `sums[k]` the products `weight · value · point^k` over all points.
    #[inline(always)]
    pub fn power_sums(
        self,
        weights: &[Element],
        values: &[Element],
        points: &[Element],
        sums: &mut [Element],
    ) {
        debug_assert!(points.len() == weights.len() && points.len() == values.len());
        // SAFETY: `cpu` proves the features.
        unsafe { (self.cpu.entry().field.power_sums)(weights, values, points, sums) }
    }
}
