//! Products in POLYVAL's field, and sums of them that share a reduction.
//!
//! Each block takes Karatsuba's three multiplications; the third multiplies the sums of the halves.

use crate::lanes::Lanes;

/// A register of zeros.
#[inline(always)]
pub fn zero<V: Lanes>() -> V {
    V::splat(&[0; 16])
}

/// A register of powers of H, and their halves.
#[derive(Clone, Copy)]
pub struct Factor<V> {
    pub(super) h: V,
    pub(super) halves: V,
}

/// A sum of products, not yet reduced.
#[derive(Clone, Copy)]
pub struct Products<V> {
    /// The products of the low halves.
    pub low: V,
    /// Karatsuba's third product, from which the reduction removes the sum of `low` and `high`.
    pub middle: V,
    /// The products of the high halves.
    pub high: V,
}

impl<V: Lanes> Products<V> {
    /// The empty sum.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { low: zero(), middle: zero(), high: zero() }
    }

    /// `x` times `power`, lane by lane; `x` is reflected.
    #[inline(always)]
    pub fn of(x: V, power: Factor<V>) -> Self {
        Self { low: x.low(power.h), middle: x.halves().low(power.halves), high: x.high(power.h) }
    }

    /// The sum of both.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self {
            low: self.low.xor(other.low),
            middle: self.middle.xor(other.middle),
            high: self.high.xor(other.high),
        }
    }

    /// The sum of each lane modulo POLYVAL's polynomial.
    #[inline(always)]
    fn modulo(self) -> V {
        let middle = self.middle.xor(self.low).xor(self.high);
        V::reduce(self.low, middle, self.high)
    }

    /// The sum of all lanes modulo POLYVAL's polynomial.
    #[inline(always)]
    pub fn reduce(self) -> V::One {
        self.modulo().fold()
    }
}

/// The products of the lanes, reduced: Montgomery's form.
#[inline(always)]
pub(super) fn multiply<V: Lanes>(a: V, b: V) -> V {
    Products::of(a, Factor { h: b, halves: b.halves() }).modulo()
}
