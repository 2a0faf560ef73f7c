//! A carry-less multiply out of the ordinary one, and GF(2^128) over it: the second opinion beside `book`.
//!
//! Of each factor only every fifth bit is kept, so that in their product a column of partial products has four
//! empty bits above it for the carries to fall into. A column sums at most thirteen ones; its lowest bit is
//! their parity, which is the carry-less product's bit. The idea of holes is BearSSL's, by way of libcrux PR
//! 1340. Holes of three bits (masks 0x1111…) do where half of the product is thrown away, as there; here, where
//! all of it counts, the middle column of 64-bit factors can reach sixteen and would spill.

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

/// The columns that sums of bits i and j modulo five fall into.
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
    // x^128 = x^7 + x^2 + x + 1, and once more for the bits that this pushes past x^127.
    let folded = |x: u128| x ^ (x << 1) ^ (x << 2) ^ (x << 7);
    let pushed = (high >> 127) ^ (high >> 126) ^ (high >> 121);
    (low ^ folded(high) ^ folded(pushed)).reverse_bits()
}
