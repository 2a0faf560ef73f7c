//! The polynomials behind shares: each coefficient is the generator's next 32 bytes, and nothing else is drawn.

use crate::common::entropy::{Fake, os};
use crate::common::{Random, cells, sample, thinned};
use crate::model::generator::Reference;
use crate::model::gf2_256::{Number, evaluate};
use crate::statistics::Counts;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::hw::entropy::{Entropy, Machine};
use hardware_aes_gcm::protocol::shamir::share::{self, Common, SHARE_BYTES};
use hardware_aes_gcm::protocol::shamir::{MAX_SHARES, point};
use hardware_aes_gcm::rng::Generator;

/// The bytes of a check, which these tests do not verify.
const CHECK: [u8; 16] = *b"sixteen unlikely";

/// Shares of our form.
pub(crate) fn split<E: Entropy>(
    cpu: Cpu,
    generator: &mut Generator<E>,
    [secret, blind]: [&[u8]; 2],
    threshold: u8,
    shares: &mut [u8],
) {
    let (mut secret, mut blind) = (secret.to_vec(), blind.to_vec());
    let common = Common { length: secret.len() as u8, threshold, check: CHECK };
    let blind = cells(&mut blind).as_array().unwrap();
    let to = cells(shares);
    share::split(cpu, generator, cells(&mut secret), blind, &common, to).unwrap();
}

/// The two values of a share.
fn values(share: &[u8]) -> [Number; 2] {
    [&share[20..52], &share[52..84]].map(Number::of_bytes)
}

/// The next `count` coefficients of a generator's output, the highest power first.
fn coefficients(reference: &mut Reference, count: usize) -> Vec<Number> {
    (0..count).map(|_| Number::of(reference.give(32).as_chunks().0.as_array().unwrap())).collect()
}

/// The polynomial of these coefficients and of `secret`, from power 0 on.
fn polynomial(reference: &mut Reference, secret: &[u8], threshold: u8) -> Vec<Number> {
    let mut all = coefficients(reference, usize::from(threshold) - 1);
    all.push(Number::of_bytes(secret));
    all.reverse();
    all
}

fn x(point: usize) -> Number {
    Number([point as u64, 0, 0, 0])
}

/// Thresholds on both sides of the number of coefficients that are in memory at once.
const SIZES: [(u8, usize); 12] = [
    (1, 1),
    (1, 3),
    (2, 2),
    (2, 3),
    (3, 5),
    (5, 5),
    (16, 17),
    (17, 17),
    (18, 20),
    (33, 34),
    (34, 34),
    (255, 255),
];

#[test]
fn shares_are_the_values_of_the_generators_next_polynomials() {
    let mut random = Random(0x7368_6172_6573_2121);
    for cpu in Cpu::all() {
        let mut generator = Generator::new(cpu, Fake::new(None).0).unwrap();
        let mut reference = Reference::seeded(os(1));
        let mut given = 0;
        for (i, (threshold, count)) in SIZES.into_iter().enumerate() {
            let secret = random.bytes(if i % 2 == 0 { 16 } else { 32 });
            let blind = random.bytes(32);
            let mut shares = vec![0; count * SHARE_BYTES];
            split(cpu, &mut generator, [&secret, &blind], threshold, &mut shares);
            let polynomials =
                [&secret, &blind].map(|word| polynomial(&mut reference, word, threshold));
            for (i, share) in sample(shares.chunks(SHARE_BYTES).enumerate()) {
                assert_eq!(share[..4], [1, secret.len() as u8, threshold, i as u8 + 1]);
                assert_eq!(share[4..20], CHECK);
                let expected = polynomials.each_ref().map(|of| evaluate(of, x(i + 1)));
                let what = format!("share {i} of {threshold} of {count} on {}", cpu.name());
                assert_eq!(values(share), expected, "{what}");
            }
            given += 2 * 32 * u64::from(threshold - 1);
            assert_eq!(generator.report().bytes, given, "bytes drawn for {threshold} of {count}");

            // The other form: one polynomial, at the points 1, 2, … or at random ones, which are drawn first.
            let mut secret = random.bytes(32);
            for at_random in [false, true] {
                let mut shares = vec![0; count * point::POINT_BYTES];
                let from = cells(&mut secret).as_array().unwrap();
                let to = cells(&mut shares);
                point::split(cpu, &mut generator, from, threshold, at_random, to).unwrap();
                let points: Vec<_> = if at_random {
                    // One request, which may be long enough for a key of its own.
                    let drawn = reference.give(count * 32);
                    drawn.as_chunks().0.as_chunks().0.iter().map(Number::of).collect()
                } else {
                    (1..=count).map(x).collect()
                };
                let polynomial = polynomial(&mut reference, &secret, threshold);
                for (share, point) in sample(shares.chunks(point::POINT_BYTES).zip(points)) {
                    assert_eq!(share[..32], point.bytes());
                    assert_eq!(share[32..], evaluate(&polynomial, point).bytes());
                }
                given += 32 * u64::from(threshold - 1);
                given += if at_random { 32 * count as u64 } else { 0 };
                assert_eq!(generator.report().bytes, given, "bytes drawn");
            }
        }
    }
    const { assert!(MAX_SHARES == 255) };
}

/// Secrets without a random bit, and this machine's generator. The coefficients are recovered from the shares: for points 1
/// and 2, `p(1) + s = a + b` and `p(2) + s = x a + x² b`.
#[test]
fn splits_have_uniform_and_independent_coefficients() {
    let cpu = Cpu::best().unwrap();
    let mut generator = Generator::new(cpu, Machine::new()).unwrap();
    let mut counts = Counts::new();
    let [x, x_squared] = [1, 2].map(Number::power_of_x);
    let divisor = x.plus(x_squared).inverse();
    let words = [&[0; 32][..], &[0xff; 32]];
    let mut shares = [0; 3 * SHARE_BYTES];
    // A quarter of them is two and a half times those in which `statistics` finds its planted faults.
    for _ in thinned(4, 0, 0..1_000_000) {
        split(cpu, &mut generator, words, 3, &mut shares);
        let [first, second, third] =
            shares.as_chunks::<SHARE_BYTES>().0.as_array().unwrap().map(|share| values(&share));
        let mut found = [[0; 32]; 4];
        for (i, word) in words.iter().map(|word| Number::of_bytes(word)).enumerate() {
            let sum = first[i].plus(word);
            let b = second[i].plus(word).plus(sum.times(x)).times(divisor);
            let a = sum.plus(b);
            // 1 + 2 = 3 in this field, so that the third share is the sum of the others and of the secret.
            assert_eq!(third[i], sum.plus(second[i]), "the third share");
            (found[2 * i], found[2 * i + 1]) = (a.bytes(), b.bytes());
        }
        counts.add(&found);
    }
    assert_eq!(counts.faults(), Vec::<String>::new());
}
