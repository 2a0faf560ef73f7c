//! Counters carry from byte to byte, and wrap as SP 800-38D says.

use crate::common::{Random, cells, expanded};
use crate::model::book::{self, Book};
use crate::model::soft::Soft;
use hardware_aes_gcm::backend::{Aead, Cpu};
use hardware_aes_gcm::kernel::ctr::{self, Count};
use hardware_aes_gcm::lanes::{Block, Lanes, RawKey};

/// A message of 2^24 blocks carries into each of the counter's four bytes. Only the blocks around the carries are
/// compared, since the book would take a minute for all of them.
#[test]
fn counters_carry_through_all_four_bytes() {
    let mut random = Random(0x6361_7272_7920_3432);
    let (key, nonce) = (random.bytes(32), random.bytes(12).try_into().unwrap());
    let book = Book::new(&key);
    let mut data = vec![0; ((1 << 24) + 40) * 16];
    for cpu in Cpu::all() {
        let expanded = expanded(cpu, RawKey::Aes256(key.as_array().unwrap()));
        data.fill(0);
        let cells = cells(&mut data);
        expanded.within(|gcm| gcm.keystream(&nonce, cells, cells));
        for carry in [1 << 8, 1 << 16, 1 << 24] {
            for counter in carry - 36..carry + 36 {
                let wire = book::first_counter(&nonce) - 1 + counter as u128;
                let block = &data[(counter - 2) * 16..][..16];
                let expected = book::encrypt(&book.round_keys, wire.to_be_bytes());
                assert_eq!(block, expected, "counter {counter:x} on {}", cpu.name());
            }
        }
    }
}

/// inc32 (SP 800-38D 6.2): after 2^32 - 1 the counter starts at 0 and the nonce does not change. A message of legal length
/// does not reach this counter, so the test starts close to it.
#[test]
fn counters_wrap_in_their_last_32_bits_alone() {
    wrap::<1>();
    wrap::<2>();
    wrap::<3>();
    wrap::<4>();
    wrap::<8>();
}

fn wrap<const W: usize>() {
    let nonce = [0xff; 12];
    for k in 0..64 {
        let first = u32::MAX - k;
        let expected = |i: u32| {
            let counter = first.wrapping_add(i).to_be_bytes();
            <Block>::try_from([&nonce[..], &counter].concat()).unwrap()
        };
        for step in 0..64 {
            let lanes = Soft::<W>::counters(&nonce, first).plus(step).swap_counters().blocks();
            assert!(lanes.into_iter().zip(step..).all(|(lane, i)| lane == expected(i)));
        }
        let mut counters = ctr::Counters::<Soft<W>>::new(&nonce, first);
        let groups = [counters.take::<5>(), counters.take::<5>()];
        let blocks = groups.as_flattened().iter().flat_map(|register| register.blocks());
        for (block, i) in blocks.zip(0..) {
            assert_eq!(block, expected(i), "{first:x} and {i}");
        }
    }
}
