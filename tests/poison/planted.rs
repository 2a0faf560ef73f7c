//! Code whose time depends on a secret: each of these must be reported.

use crate::common::cells;
use crate::memcheck::poison;
use std::hint::black_box;

pub(crate) const ALL: [(&str, fn()); 3] = [
    ("a branch on a byte", branch),
    ("an index that is a byte", index),
    ("a comparison that ends at the first difference", comparison),
];

fn secret() -> [u8; 32] {
    let mut secret = [0x5a; 32];
    poison(cells(&mut secret));
    black_box(secret)
}

/// Not a value that the compiler could select without a branch.
#[inline(never)]
fn work(times: u32) -> u32 {
    (0..times).fold(0, |sum, i| black_box(sum + i))
}

fn branch() {
    let [first, ..] = secret();
    let times = if first & 1 == 1 { work(100) } else { work(200) + work(7) };
    black_box(times);
}

fn index() {
    let table: [u32; 256] = black_box(std::array::from_fn(|i| i as u32 * 7));
    let [.., last] = secret();
    black_box(table[usize::from(last)]);
}

/// Of slices whose length the compiler does not know; arrays it compares in one go.
fn comparison() {
    let (secret, other) = (secret(), [0x5a; 32]);
    let [secret, other] = [&secret[..], &other].map(black_box);
    black_box(if secret == other { work(100) } else { work(200) + work(7) });
}
