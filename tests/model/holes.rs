//! The portable multiply of libcrux's pull request 1340, written from its description: products of 64-bit words by sixteen
//! integer multiplications with holes of three bits for the carries, Karatsuba's three products of words, and the reduction
//! of GHASH. An oracle beside `book` and `multiply`.
//!
//! A column of such a product sums at most sixteen ones, and a sum of sixteen carries past the hole. The algorithm that the
//! pull request builds on drops the upper half of its products, which has the columns after the one that can sum to sixteen.
//! Here all columns count, so that the highest bit of every set is multiplied apart: fifteen is the most that remains.

/// One bit in four.
const HOLES: u128 = u128::MAX / 15;

/// The product of two polynomials over GF(2), bit i the coefficient of x^i.
pub(crate) fn carryless(a: u64, b: u64) -> u128 {
    // The highest bit of each of the four sets lies in the highest four bits.
    let top = (60..64).map(|i| (u128::from(a) << i) * u128::from(b >> i & 1));
    top.fold(with_holes(a, b & u64::MAX >> 4), |sum, term| sum ^ term)
}

/// The same where no column sums sixteen ones; otherwise this is wrong.
pub(crate) fn with_holes(a: u64, b: u64) -> u128 {
    let set = |x: u64, i: usize| u128::from(x) & HOLES << i;
    let columns = |sum: usize| {
        let products = (0..4).map(|i| set(a, i) * set(b, (4 + sum - i) % 4));
        products.fold(0, |sum, product| sum ^ product) & HOLES << sum
    };
    columns(0) | columns(1) | columns(2) | columns(3)
}

/// X • Y of SP 800-38D 6.3, whose blocks have x^0 in the leftmost bit.
pub(crate) fn field(x: u128, y: u128) -> u128 {
    let words = |block: u128| [block.reverse_bits() as u64, (block.reverse_bits() >> 64) as u64];
    let ([a, b], [c, d]) = (words(x), words(y));
    let (low, high) = (carryless(a, c), carryless(b, d));
    let middle = carryless(a ^ b, c ^ d) ^ low ^ high;
    let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
    // x^128 = x^7 + x^2 + x + 1. What this moves past x^127 again is shorter than seven bits.
    let past = high >> 127 ^ high >> 126 ^ high >> 121;
    let high = high ^ past;
    (low ^ high ^ high << 1 ^ high << 2 ^ high << 7).reverse_bits()
}
