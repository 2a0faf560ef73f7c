//! XAES-256-GCM on every backend, against its specification written over the book's AES and AES-GCM.

use super::derived;
use crate::common::{cells, key_of, secret};
use crate::model::answers::hex;
use crate::model::book::Block;
use crate::model::xaes::seal;
use hardware_aes_gcm::backend::{Cpu, XaesKey};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::fork;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::frames::overhead;
use hardware_aes_gcm::key::{KeyOf, Options};
use hardware_aes_gcm::rng::shared::SharedGenerator;

const OVERHEAD: usize = overhead::<24>();

fn key(cpu: Cpu, bytes: &[u8], options: Options) -> KeyOf<XaesKey, 24> {
    key_of(cpu, bytes, options)
}

/// The specification's two examples. The top bit of L is clear in the first one, and set in the second one.
#[test]
fn the_specifications_examples() {
    let nonce = b"ABCDEFGHIJKLMNOPQRSTUVWX";
    for (key_byte, aad, sealed) in [
        (1, &b""[..], "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        (3, b"c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ] {
        let (bytes, sealed) = ([key_byte; 32], hex(sealed));
        let (ciphertext, tag) = sealed.split_at(12);
        let expected = (ciphertext.to_vec(), Block::try_from(tag).unwrap());
        assert_eq!(seal(&bytes, nonce, aad, b"XAES-256-GCM"), expected, "the model");
        for cpu in Cpu::all() {
            let mut key = key(cpu, &bytes, Options::default());
            let (mut data, mut made) = (b"XAES-256-GCM".to_vec(), [0; 16]);
            let (mut nonce, mut aad) = (nonce.to_vec(), aad.to_vec());
            let (nonce, aad) = (cells(&mut nonce), cells(&mut aad));
            key.encrypt_detached(cells(&mut data), nonce, cells(&mut made), aad).unwrap();
            assert_eq!((&data[..], &made[..]), (ciphertext, tag), "on {}", cpu.name());
            key.decrypt_detached(cells(&mut data), nonce, cells(&mut made), aad).unwrap();
            assert_eq!(data, b"XAES-256-GCM");
        }
    }
}

#[test]
fn frames_agree_with_the_specification_and_open() {
    derived::frames::<XaesKey, 24>(&[32], seal);
}

#[test]
fn jobs_agree_while_the_key_is_in_use() {
    derived::jobs::<XaesKey, 24>(&[32], seal);
}

#[test]
fn batches_have_a_nonce_for_each_frame() {
    derived::batches::<XaesKey, 24>(&[32], seal);
}

#[test]
fn another_generation_draws_another_salt() {
    let _turn = crate::common::turn();
    let mut key = key(Cpu::best().unwrap(), &[7; 32], Options::default());
    let mut nonce = || {
        let mut frame = [0; OVERHEAD];
        key.encrypt_in_place(cells(&mut frame), &[]).unwrap();
        *frame.first_chunk::<24>().unwrap()
    };
    let [first, second] = [nonce(), nonce()];
    assert_eq!(first[8..], second[8..], "one salt");
    fork::renew();
    assert_ne!(first[8..], nonce()[8..]);
}

#[test]
fn only_keys_of_32_bytes_and_no_limit_of_messages() {
    let (cpu, mut arena) = (Cpu::best().unwrap(), Arena::default());
    let generator = SharedGenerator::default();
    let (bytes, options) = (secret(&[7; 16]), Options::default());
    let short = KeyOf::<XaesKey, 24>::new(cpu, &bytes, options, &mut arena, &generator).err();
    assert_eq!((short, arena.used()), (Some(Error::InvalidKeyLength), 0));

    let mut key = key(cpu, &[7; 32], Options::default());
    let mut nonce = [0; 12];
    let mut data = [0; 5];
    let refused =
        key.encrypt_detached(cells(&mut data), cells(&mut nonce), cells(&mut [0; 16]), &[]);
    assert_eq!(refused, Err(Error::InvalidNonceLength));
    let mut short = [0; OVERHEAD - 1];
    assert_eq!(key.encrypt_in_place(cells(&mut short), &[]), Err(Error::FrameTooShort));
    assert_eq!(key.decrypt_in_place(cells(&mut short), &[]), Err(Error::Authentication));
}
