//! Checks of the oracle: the book against published answers, and the multiply with gaps against the book.

use crate::common::Random;
use crate::model::answers::{ANSWERS, CIPHER, SCHEDULE, hex};
use crate::model::book::{self, Book};
use crate::model::multiply::{carryless, field};

#[test]
fn the_book_expands_and_enciphers_as_fips_197() {
    for [key, first, last] in SCHEDULE {
        let round_keys = book::expand(&hex(key));
        assert_eq!(round_keys.as_flattened()[..key.len() / 2], hex(key));
        assert_eq!(round_keys[key.len() / 32].to_vec(), hex(first));
        assert_eq!(round_keys.last().unwrap().to_vec(), hex(last));
        assert_eq!(round_keys.len(), key.len() / 8 + 7);
    }
    for [key, plaintext, ciphertext] in CIPHER {
        let block = hex(plaintext).try_into().unwrap();
        assert_eq!(book::encrypt(&book::expand(&hex(key)), block).to_vec(), hex(ciphertext));
    }
}

#[test]
fn the_book_seals_and_opens_as_the_specification_of_gcm() {
    for answer in &ANSWERS {
        let book = Book::new(&hex(answer.key));
        let nonce = hex(answer.nonce).try_into().unwrap();
        let (ciphertext, tag) = book.seal(&nonce, &hex(answer.aad), &hex(answer.text));
        assert_eq!(ciphertext, hex(answer.ciphertext), "case {}", answer.case);
        assert_eq!(tag.to_vec(), hex(answer.tag), "case {}", answer.case);
        let open = |tag| book.open(&nonce, &hex(answer.aad), &ciphertext, &tag);
        assert_eq!(open(tag), Some(hex(answer.text)), "case {}", answer.case);
        assert_eq!(open(book::xor(tag, [1; 16])), None, "case {}", answer.case);
    }
}

#[test]
fn counters_wrap_in_their_last_32_bits_alone() {
    let last = book::first_counter(&[0xff; 12]) | 0xffff_ffff;
    assert_eq!(last, u128::MAX);
    assert_eq!(book::increment(last), u128::MAX << 32);
    assert_eq!(book::increment(u128::MAX << 32), u128::MAX << 32 | 1);
}

/// Long multiplication without carries.
fn carryless_by_bits(a: u64, b: u64) -> u128 {
    (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ (u128::from(a) << i))
}

#[test]
fn the_gaps_take_the_carries() {
    for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
        assert_eq!(carryless(1 << i, 1 << j), 1 << (i + j), "x^{i} times x^{j}");
        // Runs of ones, since products of single bits do not carry.
        let (a, b) = (u64::MAX >> i, u64::MAX << j);
        assert_eq!(carryless(a, b), carryless_by_bits(a, b), "{a:x} times {b:x}");
    }
    let mut random = Random(0x686f_6c65_7331_3334);
    for _ in 0..100_000 {
        let (a, b) = (random.next(), random.next());
        assert_eq!(carryless(a, b), carryless_by_bits(a, b), "{a:x} times {b:x}");
    }
}

#[test]
fn both_multiplies_of_the_field_agree() {
    for (i, j) in (0..128).flat_map(|i| (0..128).map(move |j| (i, j))) {
        assert_eq!(field(1 << i, 1 << j), book::multiply(1 << i, 1 << j), "bits {i} and {j}");
    }
    let mut random = Random(0x6669_656c_6431_3238);
    let mut wide = || u128::from(random.next()) << 64 | u128::from(random.next());
    for _ in 0..100_000 {
        let (x, y) = (wide(), wide());
        assert_eq!(field(x, y), book::multiply(x, y), "{x:x} times {y:x}");
    }
}
