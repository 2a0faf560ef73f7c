//! Shares from split to secret: every threshold and number up to 32, the largest, and the silence of too few shares.

use crate::common::{Random, cells, sample};
use crate::model::gf2_256::{Number, interpolate};
use crate::splits::split;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::Machine;
use hardware_aes_gcm::key::ranges::ErrorAt;
use hardware_aes_gcm::protocol::shamir::point::{self, POINT_BYTES};
use hardware_aes_gcm::protocol::shamir::share::{SHARE_BYTES, Set, write_words};
use hardware_aes_gcm::rng::Generator;

/// Secret and blind of a set, padded to 64 bytes.
fn combine(cpu: Cpu, shares: &[&[u8]]) -> [u8; 64] {
    let mut words = [0; 64];
    let set = Set::parse(cpu, cells(&mut shares.concat())).unwrap();
    write_words(cells(&mut words).as_array().unwrap(), &set.shares().secrets());
    words
}

/// The secret of points and values.
fn combine_points(cpu: Cpu, shares: &[&[u8]], threshold: u8) -> Vec<u8> {
    let shares = point::parse(cpu, cells(&mut shares.concat()), threshold).unwrap();
    assert!(shares.agree());
    let [secret] = *shares.secrets();
    Number::of(&secret).bytes().to_vec()
}

/// Secret and blind, padded.
fn padded(secret: &[u8], blind: &[u8]) -> [u8; 64] {
    let mut words = [0; 64];
    words[..secret.len()].copy_from_slice(secret);
    words[32..].copy_from_slice(blind);
    words
}

/// `some` of `all`, in random order.
fn choose<'a>(random: &mut Random, all: &[&'a [u8]], some: usize) -> Vec<&'a [u8]> {
    let mut all = all.to_vec();
    (0..some).map(|_| all.swap_remove(random.below(all.len()))).collect()
}

fn round_trip(
    cpu: Cpu,
    generator: &mut Generator,
    random: &mut Random,
    threshold: u8,
    count: usize,
) {
    let what = format!("{threshold} of {count} on {}", cpu.name());
    let length = if random.below(2) == 0 { 16 } else { 32 };
    let secret = random.bytes(length);
    let (blind, some) = (random.bytes(32), usize::from(threshold));
    let mut shares = vec![0; count * SHARE_BYTES];
    split(cpu, generator, [&secret, &blind], threshold, &mut shares);
    let all: Vec<_> = shares.chunks(SHARE_BYTES).collect();
    let expected = padded(&secret, &blind);
    let any = some + random.below(count - some + 1);
    for number in [some, any, count] {
        let chosen = choose(random, &all, number);
        assert_eq!(combine(cpu, &chosen), expected, "{number}: {what}");
        let mut chosen = chosen.concat();
        let set = Set::parse(cpu, cells(&mut chosen)).unwrap();
        assert!(set.shares().agree() && set.shares().locate().is_none(), "{what}");
        // Any share again, whether it was among them or not.
        let (mut again, x) = ([0; SHARE_BYTES], random.below(count));
        set.write_share(x as u8 + 1, cells(&mut again)).unwrap();
        assert_eq!(again, all[x], "share {x}: {what}");
    }
    let too_few = choose(random, &all, some - 1);
    assert_eq!(
        Set::parse(cpu, cells(&mut too_few.concat())).err(),
        Some(ErrorAt { error: Error::TooFewShares, index: 0 }),
        "{what}"
    );

    let mut secret = random.bytes(32);
    for at_random in [false, true] {
        let mut shares = vec![0; count * POINT_BYTES];
        let (from, to) = (cells(&mut secret).as_array().unwrap(), cells(&mut shares));
        point::split(cpu, generator, from, threshold, at_random, to).unwrap();
        let all: Vec<_> = shares.chunks(POINT_BYTES).collect();
        for number in [some, any, count] {
            let chosen = choose(random, &all, number);
            assert_eq!(combine_points(cpu, &chosen, threshold), secret, "{number}: {what}");
        }
    }
}

#[test]
fn every_threshold_and_number_of_shares_up_to_32_and_the_largest() {
    let mut random = Random(0x726f_756e_6474_7269);
    for cpu in Cpu::all() {
        let mut generator = Generator::new(cpu, Machine::new()).unwrap();
        let sizes = (1..=32).flat_map(|count| (1..=count).map(move |threshold| (threshold, count)));
        for (threshold, count) in sample(sizes).chain([(2, 255), (254, 255), (255, 255)]) {
            round_trip(cpu, &mut generator, &mut random, threshold as u8, count);
        }
    }
}

/// Shares with such a threshold would never give the secret back, or any one of them would.
#[test]
fn thresholds_that_shares_cannot_meet_are_refused_before_a_byte_is_written() {
    let cpu = Cpu::best().unwrap();
    let mut generator = Generator::new(cpu, Machine::new()).unwrap();
    let mut secret = [0x5e; 32];
    for (threshold, count) in [(0, 0), (0, 1), (0, 3), (1, 0), (2, 1), (4, 3), (255, 254)] {
        for at_random in [false, true] {
            let mut shares = vec![7; count * POINT_BYTES];
            let from = cells(&mut secret).as_array().unwrap();
            let to = cells(&mut shares);
            let refusal = point::split(cpu, &mut generator, from, threshold, at_random, to);
            assert_eq!(refusal, Err(Error::ThresholdAboveShares), "{threshold} of {count}");
            assert!(shares.iter().all(|byte| *byte == 7), "{threshold} of {count}");
        }
    }
    assert_eq!(generator.report().bytes, 0);
}

/// For t - 1 shares and any secret, there is one further share at each point that makes this the secret: the shares exclude
/// no secret.
#[test]
fn shares_below_the_threshold_are_consistent_with_any_secret() {
    let mut random = Random(0x636f_6e73_6973_7465);
    for cpu in Cpu::all() {
        let mut generator = Generator::new(cpu, Machine::new()).unwrap();
        for (threshold, count) in [(2, 2), (2, 5), (3, 5), (5, 8), (8, 8)] {
            let [secret, blind] = [(); 2].map(|()| random.bytes(32));
            let mut shares = vec![0; count * SHARE_BYTES];
            split(cpu, &mut generator, [&secret, &blind], threshold, &mut shares);
            let all: Vec<_> = shares.chunks(SHARE_BYTES).collect();
            let known = choose(&mut random, &all, usize::from(threshold) - 1);
            let claims = [vec![0; 32], vec![0xff; 32], random.bytes(32), secret.clone()];
            for claimed in claims {
                let claimed_blind = random.bytes(32);
                let mut forged = *all.iter().find(|share| !known.contains(share)).unwrap();
                let mut last = forged.to_vec();
                for (word, place) in [(&claimed, 20), (&claimed_blind, 52)] {
                    let mut points: Vec<_> = known
                        .iter()
                        .map(|share| (x(share), Number::of_bytes(&share[place..place + 32])))
                        .collect();
                    points.push((Number::of_bytes(&[]), Number::of_bytes(word)));
                    let value = interpolate(&points, x(forged));
                    last[place..place + 32].copy_from_slice(&value.bytes());
                }
                forged = &last;
                let with = [&known[..], &[forged]].concat();
                assert_eq!(combine(cpu, &with), padded(&claimed, &claimed_blind));
            }
        }
    }
}

/// The point of a share.
fn x(share: &[u8]) -> Number {
    Number([u64::from(share[3]), 0, 0, 0])
}
