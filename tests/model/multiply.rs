//! A carry-less multiply built from ordinary multiplications, and GF(2^128) over it: a second opinion beside `book`.
//!
//! Each multiplication keeps only every fifth bit of its factors, so that each column of partial products has four empty
//! bits above it to take the carries. A column sums at most thirteen ones. The lowest bit of this sum is its parity, which
//! is the bit of the carry-less product. The idea of such gaps is BearSSL's, by way of libcrux PR 1340. Gaps of three bits
//! (masks 0x1111…) are enough there, where half of the product is dropped. Here all of it counts, and with such gaps the
//! middle column of 64-bit factors could sum to sixteen and carry into the next column.

/// One bit in five.
const COMB: u128 = {
    let (mut comb, mut i) = (0, 0);
    while i < 128 {
        comb |= 1 << i;
        i += 5;
    }
    comb
};

/// The product of two polynomials over GF(2), bit i the coefficient of x^i.
pub(crate) fn carryless(a: u64, b: u64) -> u128 {
    let tooth = |x: u64, i: usize| u128::from(x) & (COMB << i);
    let mut product = 0;
    for i in 0..5 {
        for j in 0..5 {
            product ^= (tooth(a, i) * tooth(b, j)) & teeth(i + j);
        }
    }
    product
}

/// The columns of products of bits whose indices add up to `sum` modulo five.
fn teeth(sum: usize) -> u128 {
    COMB << (sum % 5)
}

/// X • Y of SP 800-38D 6.3, whose blocks have x^0 in the leftmost bit.
pub(crate) fn field(x: u128, y: u128) -> u128 {
    let (x, y) = (x.reverse_bits(), y.reverse_bits());
    let (x, y) = ([x as u64, (x >> 64) as u64], [y as u64, (y >> 64) as u64]);
    let middle = carryless(x[0], y[1]) ^ carryless(x[1], y[0]);
    let low = carryless(x[0], y[0]) ^ (middle << 64);
    let high = carryless(x[1], y[1]) ^ (middle >> 64);
    // x^128 = x^7 + x^2 + x + 1, applied again to the bits that the first step moves past x^127.
    let folded = |x: u128| x ^ (x << 1) ^ (x << 2) ^ (x << 7);
    let pushed = (high >> 127) ^ (high >> 126) ^ (high >> 121);
    (low ^ folded(high) ^ folded(pushed)).reverse_bits()
}
