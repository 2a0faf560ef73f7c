//! GF(2^256) modulo x^256 + x^10 + x^5 + x^2 + 1, a bit at a time as the field is defined, and Shamir's polynomials over it.

use std::iter::successors;

/// An element: bit `i` of word `j` is the coefficient of x^(64j + i).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(pub(crate) [u64; 4]);

pub(crate) const ZERO: Number = Number([0; 4]);
pub(crate) const ONE: Number = Number([1, 0, 0, 0]);

impl Number {
    /// x^`power`, for powers below 256.
    pub(crate) fn power_of_x(power: usize) -> Self {
        let mut words = [0; 4];
        words[power / 64] = 1 << (power % 64);
        Self(words)
    }

    pub(crate) fn plus(self, Self(other): Self) -> Self {
        let mut words = self.0;
        for (word, other) in words.iter_mut().zip(other) {
            *word ^= other;
        }
        Self(words)
    }

    /// Shifts by one bit, and replaces x^256 by x^10 + x^5 + x^2 + 1.
    fn times_x(self) -> Self {
        let Self([a, b, c, d]) = self;
        let reduced = (d >> 63) * (1 << 10 | 1 << 5 | 1 << 2 | 1);
        Self([a << 1 ^ reduced, b << 1 | a >> 63, c << 1 | b >> 63, d << 1 | c >> 63])
    }

    /// Long multiplication, from the highest coefficient of `other` to the lowest.
    pub(crate) fn times(self, Self(other): Self) -> Self {
        let mut product = ZERO;
        for word in other.into_iter().rev() {
            for bit in (0..64).rev() {
                // A mask, since a branch on random bits takes several times as long.
                let mask = (word >> bit & 1).wrapping_neg();
                product = product.times_x().plus(Self(self.0.map(|word| word & mask)));
            }
        }
        product
    }

    /// The inverse, by Fermat's theorem the power 2^256 - 2: that of 0 is 0.
    pub(crate) fn inverse(self) -> Self {
        let squares = successors(Some(self), |square| Some(square.times(*square)));
        squares.skip(1).take(255).fold(ONE, Self::times)
    }

    /// The crate's form: 32 bytes, little-endian, in two halves.
    pub(crate) fn halves(self) -> [[u8; 16]; 2] {
        let Self([a, b, c, d]) = self;
        [[a, b], [c, d]].map(|[low, high]| (u128::from(high) << 64 | u128::from(low)).to_le_bytes())
    }

    /// The number of [`halves`](Self::halves).
    pub(crate) fn of(halves: &[[u8; 16]; 2]) -> Self {
        let [low, high] = halves.map(u128::from_le_bytes);
        Self([low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64])
    }

    /// The bytes in a share: the lowest word first, each word with its highest byte first.
    pub(crate) fn bytes(self) -> [u8; 32] {
        *self.0.map(u64::to_be_bytes).as_flattened().as_array().unwrap()
    }

    /// The number of [`bytes`](Self::bytes), of which there may be fewer: zeros follow.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let mut padded = [[0; 8]; 4];
        padded.as_flattened_mut()[..bytes.len()].copy_from_slice(bytes);
        Self(padded.map(u64::from_be_bytes))
    }
}

/// The polynomial with these coefficients, that of power 0 first, at `point`.
pub(crate) fn evaluate(coefficients: &[Number], point: Number) -> Number {
    let powers = successors(Some(ONE), |power| Some(power.times(point)));
    let terms =
        coefficients.iter().zip(powers).map(|(coefficient, power)| coefficient.times(power));
    terms.fold(ZERO, Number::plus)
}

/// The value at `at` of the polynomial through `points`, with fewer coefficients than points or as many: Lagrange's formula.
pub(crate) fn interpolate(points: &[(Number, Number)], at: Number) -> Number {
    points.iter().fold(ZERO, |total, &(x, y)| {
        let others = points.iter().map(|(other, _)| *other).filter(|other| *other != x);
        let (above, below) = others.fold((ONE, ONE), |(above, below), other| {
            (above.times(at.plus(other)), below.times(x.plus(other)))
        });
        total.plus(y.times(above).times(below.inverse()))
    })
}
