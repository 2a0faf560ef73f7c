//! The axioms of a field, by each backend's own arithmetic, on elements in which a forgotten bit or word shows.

use crate::common::{Random, sample};
use crate::field::{Field, backends, everywhere, number};
use crate::model::gf2_256::{Number, ONE, ZERO};

/// 0, 1, all bits, each bit alone, and each bit missing.
fn structured() -> Vec<Number> {
    let ones = Number([u64::MAX; 4]);
    let bits = (0..256).map(Number::power_of_x);
    [ZERO, ONE, ones].into_iter().chain(bits.flat_map(|bit| [bit, ones.plus(bit)])).collect()
}

#[test]
fn sums_and_products_of_structured_elements_keep_the_axioms() {
    let (all, mut random) = (structured(), Random(0x6178_696f_6d73_3235));
    for field in backends() {
        let times = |a, b| field.product(a, b);
        for (i, a) in sample(all.iter().copied().enumerate()) {
            assert_eq!(times(a, ONE), a, "{a:x?}: {}", field.name());
            assert_eq!(times(a, ZERO), ZERO, "{a:x?}: {}", field.name());
            for b in all[i..].iter().copied() {
                // One third element per pair, of both kinds in turn.
                let c = if b.0[0] & 2 == 0 {
                    all[random.below(all.len())]
                } else {
                    number(&mut random)
                };
                let what = || format!("{a:x?} {b:x?} {c:x?}: {}", field.name());
                let ab = times(a, b);
                assert_eq!(ab, times(b, a), "{}", what());
                assert_eq!(times(ab, c), times(a, times(b, c)), "{}", what());
                assert_eq!(times(a, b.plus(c)), ab.plus(times(a, c)), "{}", what());
            }
        }
    }
}

fn inverts(field: &dyn Field, a: Number) {
    let inverse = field.inverse(a);
    let expected = if a == ZERO { ZERO } else { ONE };
    // The model's product, since a product that is wrong could hide an inverse that is.
    assert_eq!(a.times(inverse), expected, "{a:x?}: {}", field.name());
    assert_eq!(field.inverse(inverse), a, "{a:x?}: {}", field.name());
}

#[test]
fn an_element_times_its_inverse_is_one_and_zero_has_none() {
    let mut random = Random(0x696e_7665_7273_6573);
    let random: Vec<_> = (0..2000).map(|_| number(&mut random)).collect();
    for field in everywhere() {
        assert_eq!(field.inverse(ZERO), ZERO);
        let arrays = field.name().starts_with("arrays");
        let all = structured().into_iter().chain(random.iter().copied());
        for a in sample(all).step_by(if arrays { 25 } else { 1 }) {
            inverts(&*field, a);
        }
    }
    assert_eq!(ZERO.inverse(), ZERO);
    assert_eq!(random[0].times(random[0].inverse()), ONE, "the model's own");
}

/// Squaring is linear, and 256 squarings change no element.
#[test]
fn squares_are_those_of_characteristic_two() {
    let mut random = Random(0x7371_7561_7265_7332);
    for field in backends() {
        for a in sample(structured().into_iter()) {
            let b = number(&mut random);
            let square = |a| field.product(a, a);
            assert_eq!(square(a.plus(b)), square(a).plus(square(b)), "{a:x?}: {}", field.name());
            assert_eq!((0..256).fold(a, |a, _| square(a)), a, "{a:x?}: {}", field.name());
        }
    }
}
