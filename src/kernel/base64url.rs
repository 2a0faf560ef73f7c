//! Base64url (RFC 4648 section 5), a register at a time: twelve bytes, which are sixteen
//! characters.
//!
//! Tables are registers, so no address depends on data.

use crate::lanes::{Block, Single};
use core::slice::from_ref;

/// The bytes of a group.
pub const BYTES: usize = 12;
/// The characters of a group.
pub const CHARACTERS: usize = 16;

/// From a number to its character, by class: lower case letters, the ten digits, `-`, `_`,
/// upper case letters. Modulo 256, as all sums here.
const OFFSETS: Block = {
    let [lower, digit] = [b'a' - 26, b'0'.wrapping_sub(52)];
    let [minus, underscore] = [b'-'.wrapping_sub(62), b'_'.wrapping_sub(63)];
    [
        lower, digit, digit, digit, digit, digit, digit, digit, digit, digit, digit, minus,
        underscore, b'A', 0, 0,
    ]
};
/// The class of upper case letters.
const UPPER: u8 = 13;

/// A bit for each row of ASCII with characters of the alphabet: for those from 0x20, 0x30, ...,
/// 0x70 on. The other rows have one in common.
const ROWS: Block = {
    const NONE: u8 = 64;
    [NONE, NONE, 1, 2, 4, 8, 16, 32, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE]
};
/// By column, the bits of the rows that have no character of the alphabet there.
const REFUSED: Block = {
    let zero = 64 + 1 + 4 + 16; // 0, P, p
    let one = 64 + 1; // and those up to 9: 1, A, Q, a, q
    let ten = 64 + 1 + 2; // J, Z, j, z
    let letters = 64 + 1 + 2 + 8 + 32; // K, k
    let minus = letters - 1; // -, M, m
    let last = letters - 8; // O, _, o
    [zero, one, one, one, one, one, one, one, one, one, ten, letters, letters, minus, letters, last]
};
/// From a character to its number, by row: `-`, digits, upper case letters in two rows,
/// lower case letters in two rows, and `_` in the row of none of them.
const NUMBERS: Block = {
    let digit = 52_u8.wrapping_sub(b'0');
    let [upper, lower] = [0_u8.wrapping_sub(b'A'), 26_u8.wrapping_sub(b'a')];
    let [minus, underscore] = [62 - b'-', 63_u8.wrapping_sub(b'_')];
    [0, 0, minus, digit, upper, upper, lower, lower, underscore, 0, 0, 0, 0, 0, 0, 0]
};
/// From the row of `_` to its place in `NUMBERS`.
const UNDERSCORE: u8 = 8 - (b'_' >> 4);

/// Writes the characters of the groups in `bytes`. Stops before a group that has no further bytes
/// up to sixteen.
#[inline(always)]
pub fn encode<V: Single>(bytes: &[u8], text: &mut [Block]) {
    for (i, place) in text.iter_mut().enumerate() {
        let rest = bytes.get(i * BYTES..).unwrap_or(&[]);
        let Some(group) = rest.first_chunk() else { return };
        characters(V::load(from_ref(group))).store(place);
    }
}

/// Writes the bytes of `text`, then four zeros unless it is empty. Returns whether all characters
/// are of the alphabet and every group had room for a register.
#[inline(always)]
pub fn decode<V: Single>(text: &[Block], bytes: &mut [u8]) -> bool {
    let mut wrong = V::load(&[]);
    for (i, group) in text.iter().enumerate() {
        let rest = bytes.get_mut(i * BYTES..).unwrap_or(&mut []);
        let Some(place) = rest.first_chunk_mut() else { return false };
        let characters = V::load(from_ref(group));
        let rows = characters.upper_halves();
        let columns = characters.and(all(15));
        wrong = wrong.or(at(&ROWS, rows).and(at(&REFUSED, columns)));
        let underscores = characters.equal(all(b'_')).and(all(UNDERSCORE));
        let numbers = characters.add(at(&NUMBERS, rows.add(underscores)));
        // The next group overwrites the zeros: one store takes less time than two of its parts.
        numbers.joined().store(place);
    }
    let mut found = [0; 16];
    wrong.store(&mut found);
    found == [0; 16]
}

/// The characters of the first twelve bytes.
#[inline(always)]
fn characters<V: Single>(bytes: V) -> V {
    let numbers = bytes.sixes();
    let upper = numbers.minus(all(25)).equal(all(0));
    let class = numbers.minus(all(51)).or(upper.and(all(UPPER)));
    numbers.add(at(&OFFSETS, class))
}

/// The entries of a table at these places.
#[inline(always)]
fn at<V: Single>(table: &Block, places: V) -> V {
    V::load(from_ref(table)).bytes_at(places)
}

#[inline(always)]
fn all<V: Single>(byte: u8) -> V {
    V::load(from_ref(&[byte; 16]))
}
