//! Wrong shares among sound ones: which can be told, and which cannot.

use crate::common::{Random, cells, sample};
use crate::model::gf2_256::Number;
use crate::splits::split;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::hw::entropy::Machine;
use hardware_aes_gcm::protocol::shamir::share::{SHARE_BYTES, Set};
use hardware_aes_gcm::rng::Generator;

const SECRET: [u8; 32] = [0xa5; 32];
const BLIND: [u8; 32] = [0x5a; 32];

/// Shares in random order, of which the first `wrong` have another value of the secret's polynomial, of the blind's, or of
/// both; and then in random order again, with the places of the wrong ones.
fn corrupted(
    cpu: Cpu,
    random: &mut Random,
    threshold: u8,
    count: usize,
    wrong: usize,
) -> (Set, Vec<bool>) {
    let mut generator = Generator::new(cpu, Machine::new()).unwrap();
    let mut shares = vec![0; 255 * SHARE_BYTES];
    split(cpu, &mut generator, [&SECRET, &BLIND], threshold, &mut shares);
    let mut all = shares.as_chunks::<SHARE_BYTES>().0.to_vec();
    let mut chosen: Vec<_> =
        (0..count).map(|i| (all.swap_remove(random.below(all.len())), i < wrong)).collect();
    for (share, _) in &mut chosen[..wrong] {
        let fields = [(20, 52), (52, 84), (20, 84)][random.below(3)];
        // One bit, or all of them.
        if random.below(2) == 0 {
            share[fields.0 + random.below(fields.1 - fields.0)] ^= 1 << random.below(8);
        } else {
            share[fields.0..fields.1].copy_from_slice(&random.bytes(fields.1 - fields.0));
        }
    }
    for i in (1..count).rev() {
        chosen.swap(i, random.below(i + 1));
    }
    let (mut shares, places): (Vec<_>, Vec<_>) = chosen.into_iter().unzip();
    (Set::parse(cpu, cells(shares.as_flattened_mut())).unwrap(), places)
}

#[test]
fn wrong_shares_up_to_half_the_surplus_are_located() {
    let mut random = Random(0x6c6f_6361_7465_6421);
    for cpu in Cpu::all() {
        let small =
            (1..=12).flat_map(|count| (1..=count).map(move |threshold| (threshold as u8, count)));
        let large = [(1, 255), (2, 255), (128, 255), (251, 255), (253, 255)];
        for (threshold, count) in sample(small).chain(large) {
            let most = (count - usize::from(threshold)) / 2;
            let numbers = if most > 6 { vec![0, 1, most / 2, most] } else { (0..=most).collect() };
            for wrong in numbers {
                let (set, places) = corrupted(cpu, &mut random, threshold, count, wrong);
                let what = format!("{wrong} wrong, {threshold} of {count} on {}", cpu.name());
                assert_eq!(set.shares().agree(), wrong == 0, "{what}");
                let expected = (wrong > 0).then_some(places);
                assert_eq!(set.shares().locate(), expected, "{what}");
            }
        }
    }
}

/// More wrong shares may be mistaken for other ones, which then leave shares that agree. Random values practically never do
/// so where the surplus is small.
#[test]
fn more_wrong_shares_are_noticed_and_not_located() {
    let mut random = Random(0x746f_6f6d_616e_7921);
    for cpu in Cpu::all() {
        for (threshold, count) in [(2, 3), (2, 4), (3, 6), (5, 12), (200, 255)] {
            let most = (count - usize::from(threshold)) / 2;
            for wrong in [most + 1, count] {
                let (set, _) = corrupted(cpu, &mut random, threshold, count, wrong);
                let what = format!("{wrong} wrong, {threshold} of {count} on {}", cpu.name());
                assert!(!set.shares().agree(), "{what}");
                // In either polynomial there may be few enough; then the shares that are named are not all.
                if let Some(located) = set.shares().locate() {
                    assert!(located.iter().filter(|wrong| **wrong).count() <= 2 * most, "{what}");
                }
            }
        }
    }
}

#[test]
fn without_the_wrong_share_the_secret_comes_out() {
    let mut random = Random(0x6c65_6176_656f_7574);
    for cpu in Cpu::all() {
        for threshold in sample([1, 2, 3, 5, 17, 254].into_iter()) {
            let count = usize::from(threshold) + 1;
            let (set, places) = corrupted(cpu, &mut random, threshold, count, 1);
            let results = set.shares().leave_each_out().unwrap();
            for (words, wrong) in results.zip(places) {
                let right =
                    words.each_ref().map(|word| Number::of(word).bytes()) == [SECRET, BLIND];
                assert_eq!(right, wrong, "{threshold} and 1 on {}", cpu.name());
            }
            let (exact, _) = corrupted(cpu, &mut random, threshold, count - 1, 0);
            assert!(exact.shares().leave_each_out().is_none());
        }
    }
}
