//! Single blocks under round keys alone, on every backend: published answers, then the book's.

use crate::common::{Random, expanded};
use crate::model::answers::{CIPHER, hex};
use crate::model::book;
use hardware_aes_gcm::backend::{Aead, Cpu, RoundKeys};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::lanes::{Block, RawKey};

fn raw(key: &[u8]) -> RawKey<'_> {
    match key.as_array() {
        Some(key) => RawKey::Aes128(key),
        None => RawKey::Aes256(key.as_array().unwrap()),
    }
}

fn encrypted(cpu: Cpu, key: &[u8], blocks: &[Block]) -> Vec<Block> {
    let slot = Arena::default().place(RoundKeys::BYTES).unwrap();
    let mut blocks = blocks.to_vec();
    let keys = RoundKeys::new(cpu, raw(key), slot).unwrap();
    keys.within(|cipher| cipher.encrypt(&mut blocks));
    blocks
}

#[test]
fn blocks_are_encrypted_as_fips_197() {
    for (cpu, [key, plaintext, ciphertext]) in
        Cpu::all().flat_map(|cpu| CIPHER.map(|answer| (cpu, answer)))
    {
        let block = hex(plaintext).try_into().unwrap();
        assert_eq!(encrypted(cpu, &hex(key), &[block]).as_flattened(), hex(ciphertext));
    }
}

#[test]
fn any_number_of_blocks_is_encrypted_as_by_the_book() {
    let mut random = Random(0x626c_6f63_6b73_3132);
    for cpu in Cpu::all() {
        for (count, length) in (0..20).flat_map(|count| [(count, 16), (count, 32)]) {
            let key = random.bytes(length);
            let blocks: Vec<Block> =
                (0..count).map(|_| random.bytes(16).try_into().unwrap()).collect();
            let round_keys = book::expand(&key);
            let expected: Vec<_> =
                blocks.iter().map(|block| book::encrypt(&round_keys, *block)).collect();
            assert_eq!(encrypted(cpu, &key, &blocks), expected, "{count} on {}", cpu.name());
            let mut others = blocks.clone();
            expanded(cpu, raw(&key)).within(|gcm| gcm.encrypt(&mut others));
            assert_eq!(others, expected, "with the key of AES-GCM, on {}", cpu.name());
        }
    }
}

#[test]
fn a_slot_too_small_for_round_keys_is_refused() {
    for cpu in Cpu::all() {
        let slot = Arena::default().place(RoundKeys::BYTES - 16).unwrap();
        assert!(matches!(
            RoundKeys::new(cpu, RawKey::Aes128(&[0; 16]), slot),
            Err(Error::NoMemory)
        ));
    }
}
