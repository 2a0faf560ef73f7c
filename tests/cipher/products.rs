//! Every backend's product of GHASH against three oracles: the standard's algorithm, and two portable multiplies.

use crate::common::{Random, sample};
use crate::model::{book, holes, multiply};

/// Long multiplication without carries.
fn carryless_by_bits(a: u64, b: u64) -> u128 {
    (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ (u128::from(a) << i))
}

/// Words with many bits in one of the four sets, whose columns sum the most ones.
fn dense() -> impl Iterator<Item = u64> {
    let masks = [u64::MAX, u64::MAX / 15, u64::MAX / 5, u64::MAX / 3];
    masks
        .into_iter()
        .flat_map(|mask| (0..64).map(move |i| mask.rotate_left(i) & !(1 << i)).chain([mask]))
}

/// With holes of three bits alone, sixteen ones in a column carried into the next one.
#[test]
fn sixteen_ones_in_a_column_are_not_carried_past_the_hole() {
    let comb = u64::MAX / 15;
    assert_eq!(holes::carryless(comb, comb), carryless_by_bits(comb, comb));
    assert_ne!(holes::with_holes(comb, comb), carryless_by_bits(comb, comb), "the control");
    for (a, b) in dense().flat_map(|a| dense().map(move |b| (a, b))) {
        assert_eq!(holes::carryless(a, b), carryless_by_bits(a, b), "{a:x} times {b:x}");
    }
    let mut random = Random(0x686f_6c65_7331_3634);
    for _ in 0..100_000 {
        let (a, b) = (random.next(), random.next());
        assert_eq!(holes::carryless(a, b), carryless_by_bits(a, b), "{a:x} times {b:x}");
    }
}

/// The product by the standard, after the portable multiplies gave the same one.
fn expected(x: u128, y: u128) -> u128 {
    let product = book::multiply(x, y);
    assert_eq!(holes::field(x, y), product, "holes: {x:x} times {y:x}");
    assert_eq!(multiply::field(x, y), product, "gaps: {x:x} times {y:x}");
    product
}

/// Compares the backends with the oracles; without the switch for tests, the oracles with each other.
fn agree(x: u128, y: u128) {
    let expected = expected(x, y);
    #[cfg(feature = "faults")]
    for cpu in hardware_aes_gcm::backend::Cpu::all() {
        let product = cpu.ghash_multiply(&x.to_be_bytes(), &y.to_be_bytes());
        assert_eq!(u128::from_be_bytes(product), expected, "{x:x} {y:x}: {}", cpu.name());
    }
    #[cfg(not(feature = "faults"))]
    let _ = expected;
}

#[test]
fn products_of_all_pairs_of_single_bits_in_ghash() {
    for i in sample(0..128) {
        for j in 0..128 {
            agree(1 << i, 1 << j);
            agree(!(1 << i), !(1 << j));
        }
    }
}

#[test]
fn products_of_a_million_random_pairs_in_ghash() {
    let mut random = Random(0x6768_6173_6820_3130);
    for _ in sample(0..1_000_000) {
        let [x, y] = [(); 2].map(|()| u128::from(random.next()) << 64 | u128::from(random.next()));
        agree(x, y);
    }
}
