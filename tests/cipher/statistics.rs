//! Whether the coefficients of many polynomials are uniform bytes, independent of each other.

use crate::common::Random;

/// Coefficients of one split: those of powers 1 and 2, of the secret's polynomial and of the blind's, as bytes.
pub(crate) type Coefficients = [[u8; 32]; 4];
pub(crate) const NAMES: [&str; 4] = ["secret·x", "secret·x²", "blind·x", "blind·x²"];

/// The pairs of coefficients.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]];

/// How many standard deviations a statistic may lie from its mean, on either side. A normal variable lies further off with a
/// probability of 2.6 · 10^-12. There are 320 statistics, so that one run in a thousand million fails by chance.
const FAR: f64 = 7.0;

/// Counts of values, over many splits.
pub(crate) struct Counts {
    splits: u32,
    /// For each byte of each coefficient, how often it had each value.
    bytes: Vec<[u32; 256]>,
    /// The same for each byte of two coefficients together. Saturates far above the 15 that are expected.
    pairs: Vec<Vec<u16>>,
}

impl Counts {
    pub(crate) fn new() -> Self {
        let pairs = vec![vec![0; 1 << 16]; PAIRS.len() * 32];
        Self { splits: 0, bytes: vec![[0; 256]; NAMES.len() * 32], pairs }
    }

    pub(crate) fn add(&mut self, coefficients: &Coefficients) {
        self.splits += 1;
        for (counts, byte) in self.bytes.iter_mut().zip(coefficients.as_flattened()) {
            counts[usize::from(*byte)] += 1;
        }
        for (pair, counts) in PAIRS.iter().zip(self.pairs.chunks_mut(32)) {
            let [a, b] = pair.map(|coefficient| coefficients[coefficient]);
            for ((counts, a), b) in counts.iter_mut().zip(a).zip(b) {
                let count = &mut counts[usize::from(a) << 8 | usize::from(b)];
                *count = count.saturating_add(1);
            }
        }
    }

    /// The bytes that are not uniform, and the pairs that are not independent.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (i, counts) in self.bytes.iter().enumerate() {
            let (name, place) = (NAMES[i / 32], i % 32);
            if let Some(value) = counts.iter().position(|count| *count == 0) {
                faults.push(format!("byte {place} of {name} was never {value}"));
            }
            let far = self.distance(counts.iter().map(|count| f64::from(*count)));
            if far.abs() > FAR {
                faults.push(format!("byte {place} of {name} is not uniform: {far:.1} deviations"));
            }
        }
        for (i, counts) in self.pairs.iter().enumerate() {
            let ([a, b], place) = (PAIRS[i / 32].map(|name| NAMES[name]), i % 32);
            let far = self.distance(counts.iter().map(|count| f64::from(*count)));
            if far.abs() > FAR {
                faults.push(format!("bytes {place} of {a} and {b}: {far:.1} deviations"));
            }
        }
        faults
    }

    /// Pearson's chi-square against equal counts, as standard deviations from its mean (Wilson and Hilferty, 1931).
    fn distance(&self, counts: impl ExactSizeIterator<Item = f64>) -> f64 {
        let freedom = counts.len() as f64 - 1.0;
        let expected = f64::from(self.splits) / counts.len() as f64;
        let chi_square: f64 = counts.map(|count| (count - expected).powi(2) / expected).sum();
        let spread = 2.0 / (9.0 * freedom);
        ((chi_square / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
    }
}

/// The faults in coefficients of a sound generator that `plant` changed.
fn planted(plant: impl Fn(&mut Coefficients, &mut Random)) -> Vec<String> {
    let (mut random, mut counts) = (Random(0x706c_616e_7465_6432), Counts::new());
    // Fewer than the splits that are judged, even of a sample: a bias that shows here shows there.
    for _ in 0..100_000 {
        let mut coefficients = [(); 4].map(|()| *random.bytes(32).as_array().unwrap());
        plant(&mut coefficients, &mut random);
        counts.add(&coefficients);
    }
    counts.faults()
}

#[test]
fn sound_coefficients_have_no_fault() {
    assert_eq!(planted(|_, _| {}), Vec::<String>::new());
}

/// A byte that is never 0, as in RUSTSEC-2024-0398, where every coefficient was drawn from 1 to 255.
#[test]
fn coefficients_that_are_never_zero_are_found() {
    let never = |byte: &mut u8, random: &mut Random| *byte = (random.below(255) + 1) as u8;
    let all = planted(|coefficients, random| {
        coefficients.as_flattened_mut().iter_mut().for_each(|byte| never(byte, random));
    });
    let uniform = all.iter().filter(|fault| fault.contains("not uniform")).count();
    assert_eq!(uniform, 128, "bytes found by the statistic");
    let missing = all.iter().filter(|fault| fault.contains("never 0")).count();
    assert_eq!(missing, 128, "bytes found by the missing value");
    // One byte of each coefficient, each at another place, so that one run judges all.
    let some = planted(|coefficients, random| {
        for (place, coefficient) in coefficients.iter_mut().enumerate() {
            never(&mut coefficient[place], random);
        }
    });
    for (place, name) in NAMES.iter().enumerate() {
        assert_eq!(some[2 * place], format!("byte {place} of {name} was never 0"), "{some:?}");
        let uneven = format!("byte {place} of {name} is not uniform");
        assert!(some[2 * place + 1].starts_with(&uneven), "{some:?}");
    }
    // A byte that is not uniform may spoil the pairs that it is in, at its place.
    let pairs = some.iter().skip(2 * NAMES.len());
    let spoilt = |fault: &String| {
        (0..NAMES.len())
            .any(|at| fault.starts_with(&format!("bytes {at} of ")) && fault.contains(NAMES[at]))
    };
    assert!(pairs.clone().all(spoilt), "{some:?}");
}

/// Coefficients that are uniform, each on its own.
#[test]
fn coefficients_that_depend_on_each_other_are_found() {
    // Each pair at another place, so that one run judges all. At a place, other pairs stay independent.
    let place = |pair: usize| 31 - pair;
    let found = planted(|coefficients, random| {
        for (pair, [a, b]) in PAIRS.into_iter().enumerate() {
            // Related in one byte, in one split of thirty-two.
            if random.below(32) == 0 {
                coefficients[b][place(pair)] = coefficients[a][place(pair)].wrapping_mul(5) ^ 0x63;
            }
        }
    });
    assert_eq!(found.len(), PAIRS.len(), "{found:?}");
    for (pair, [a, b]) in PAIRS.into_iter().enumerate() {
        let expected = format!("bytes {} of {} and {}", place(pair), NAMES[a], NAMES[b]);
        assert!(found[pair].starts_with(&expected), "{found:?}");
    }
    let twice = planted(|coefficients, _| coefficients[3] = coefficients[0]);
    assert_eq!(twice.len(), 32, "{twice:?}");
}
