//! Values with the prefix of their key, and the way of a key back out of its slot: every cipher, on every backend.

use crate::common::{Random, cells, secret};
use crate::model::book::Book;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::any::AnyKey;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::frames::NonceAt;
use hardware_aes_gcm::protocol::sealed::{self, NO_PREFIX, Prefix};
use hardware_aes_gcm::rng::shared::SharedGenerator;

/// Each cipher, with the length of a key.
const CIPHERS: [(usize, usize); 5] = [(0, 16), (0, 32), (1, 32), (2, 16), (2, 32)];

fn key(cipher: usize, cpu: Cpu, bytes: &[u8], options: Options) -> AnyKey {
    let (mut arena, generator) = (Arena::default(), SharedGenerator::default());
    AnyKey::new(cipher, cpu, &secret(bytes), options, &mut arena, &generator).unwrap().unwrap()
}

#[test]
fn a_key_comes_back_out_of_its_slot() {
    let mut random = Random(0x6b65_7973);
    for cpu in Cpu::all() {
        for (cipher, length) in CIPHERS {
            let bytes = random.bytes(length);
            let mut key = key(cipher, cpu, &bytes, Options::default());
            // Also after a message, whose key some ciphers derive.
            key.encrypt_in_place(cells(&mut [0; 100]), &[]).unwrap();
            let mut out = vec![0xee; length];
            assert_eq!(key.copy_key(cells(&mut out)), Ok(()));
            assert_eq!(out, bytes, "cipher {cipher} on {}", cpu.name());
            for wrong in [0, 8, length - 1, length + 1, 48 - length, 64] {
                let mut out = vec![0xee; wrong];
                assert_eq!(key.copy_key(cells(&mut out)), Err(Error::InvalidKeyLength));
                assert!(out.iter().all(|byte| *byte == 0xee));
            }
            key.destroy();
            assert_eq!(key.copy_key(cells(&mut out)), Err(Error::Destroyed));
        }
    }
}

#[test]
fn values_are_a_prefix_and_a_frame_into_memory_and_in_place() {
    let mut random = Random(0x7365_616c);
    for cpu in Cpu::all() {
        for (cipher, length) in CIPHERS {
            let bytes = random.bytes(length);
            for nonce_at in [NonceAt::Start, NonceAt::End] {
                let options = Options { nonce_at, ..Options::default() };
                let mut key = key(cipher, cpu, &bytes, options);
                for number in [0x01_dead_beef, 0x00_0000_0007, NO_PREFIX] {
                    let head = if number == NO_PREFIX { &[] } else { &number.to_be_bytes()[3..] };
                    for size in [0, 1, 16, 63, 64, 1000] {
                        roundtrip(&mut key, Prefix::new(number), head, &mut random, size);
                    }
                }
            }
        }
    }
}

fn roundtrip(key: &mut AnyKey, prefix: Prefix, head: &[u8], random: &mut Random, size: usize) {
    let (mut text, mut aad) = (random.bytes(size), random.bytes(size % 20));
    let whole = prefix.bytes() + size + key.overhead();
    let mut value = vec![0xee; whole + 3];
    let written =
        sealed::seal_into(key, prefix, cells(&mut value), cells(&mut text), cells(&mut aad));
    assert_eq!(written, Ok(whole));
    assert!(value.starts_with(head) && value.ends_with(&[0xee; 3]));
    value.truncate(whole);

    let mut opened = vec![0; size];
    let skip = prefix.bytes();
    let open = sealed::open_into(key, skip, cells(&mut opened), cells(&mut value), cells(&mut aad));
    assert_eq!((open, &opened), (Ok(size), &text));

    let (place, length) = sealed::place(key, prefix, size).unwrap();
    let mut here = vec![0; length];
    here[place].copy_from_slice(&text);
    sealed::seal_in_place(key, prefix, cells(&mut here), cells(&mut aad)).unwrap();
    assert!(here.starts_with(head) && here.len() == whole);
    let range = sealed::open_in_place(key, skip, cells(&mut here), cells(&mut aad)).unwrap();
    assert_eq!(here[range], text);

    // A value that is too short for the prefix is a forgery, and one that is changed comes back as it was.
    for short in 0..skip {
        let open = sealed::open_in_place(key, skip, cells(&mut value[..short]), &[]);
        assert_eq!(open, Err(Error::Authentication));
    }
    let last = whole - 1;
    value[last] ^= 1;
    let forged = value.clone();
    let open = sealed::open_in_place(key, skip, cells(&mut value), cells(&mut aad));
    assert_eq!((open, value), (Err(Error::Authentication), forged));
    let mut few = vec![0xee; whole - 1];
    let refused = sealed::seal_into(key, prefix, cells(&mut few), cells(&mut text), &[]);
    assert_eq!(refused, Err(Error::TargetTooShort));
    assert!(few.iter().all(|byte| *byte == 0xee));
}

#[test]
fn a_value_agrees_with_the_book() {
    let (mut random, bytes) = (Random(7), [7; 32]);
    let mut key = key(0, Cpu::best().unwrap(), &bytes, Options::default());
    let mut text = random.bytes(77);
    let mut value = vec![0; 77 + 33];
    sealed::seal_into(
        &mut key,
        Prefix::new(1 << 32 | 42),
        cells(&mut value),
        cells(&mut text),
        &[],
    )
    .unwrap();
    let (made, tag) = Book::new(&bytes).seal(&value[5..17].try_into().unwrap(), &[], &text);
    assert_eq!(value[..5], [1, 0, 0, 0, 42]);
    assert_eq!(value[17..], [&made[..], &tag].concat());
    assert_eq!(sealed::place(&key, Prefix::new(1), usize::MAX), None);
}
