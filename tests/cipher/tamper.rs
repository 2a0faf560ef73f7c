//! Every flipped bit is refused. A refused call in place leaves the bytes as they were; out of place, it leaves zeros in
//! the plaintext's place and does not touch the bytes beyond.

use crate::common::{self, Random, cells, every_mode, key, seal};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::{Key, Options};

/// A sealed message in its four parts.
#[derive(Clone)]
struct Sealed {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    data: Vec<u8>,
    tag: Vec<u8>,
}

impl Sealed {
    fn new(key: &mut Key, random: &mut Random, aad: usize, text: usize) -> Self {
        let (nonce, aad) = (random.bytes(12), random.bytes(aad));
        let (data, tag) = seal(key, &nonce, &aad, &random.bytes(text));
        Self { nonce, aad, data, tag: tag.to_vec() }
    }

    fn frame(&self, nonce_at: NonceAt) -> Vec<u8> {
        common::frame(nonce_at, &self.nonce, &self.data, &self.tag)
    }

    /// The same message with bit `i` of its four parts flipped.
    fn flipped(&self, mut i: usize) -> Self {
        let mut copy = self.clone();
        for part in [&mut copy.nonce, &mut copy.aad, &mut copy.data, &mut copy.tag] {
            if let Some(byte) = part.get_mut(i / 8) {
                *byte ^= 1 << (i % 8);
                break;
            }
            i -= part.len() * 8;
        }
        copy
    }

    fn bits(&self) -> usize {
        8 * (self.nonce.len() + self.aad.len() + self.data.len() + self.tag.len())
    }
}

/// One key per backend, mode and key length.
fn keys(random: &mut Random) -> Vec<(Key, NonceAt)> {
    let modes = every_mode().flat_map(|mode| [(mode, 16), (mode, 32)]);
    modes
        .map(|((cpu, options), bytes)| (key(cpu, &random.bytes(bytes), options), options.nonce_at))
        .collect()
}

/// Opens a message by every function, each of which must refuse it.
fn refused(key: &mut Key, nonce_at: NonceAt, sealed: &Sealed, why: &str) {
    let refusal = Err(Error::Authentication);
    let (mut nonce, mut aad, mut tag) =
        (sealed.nonce.clone(), sealed.aad.clone(), sealed.tag.clone());
    let aad = cells(&mut aad);

    let mut data = sealed.data.clone();
    let opened = key.decrypt_detached(cells(&mut data), cells(&mut nonce), cells(&mut tag), aad);
    assert_eq!((opened, &data), (refusal, &sealed.data), "detached, {why}");

    let mut frame = sealed.frame(nonce_at);
    let opened = key.decrypt_in_place(cells(&mut frame), aad);
    assert_eq!((opened, &frame), (refusal, &sealed.frame(nonce_at)), "in place, {why}");

    // Noise that differs from byte to byte, longer than the plaintext by more than a register.
    let noise: Vec<u8> = (0..data.len() + 80).map(|i| i as u8 | 1).collect();
    let mut target = noise.clone();
    let opened = key.decrypt_into(cells(&mut target), cells(&mut frame), aad);
    assert_eq!(opened, Err(Error::Authentication), "into, {why}");
    let (written, beyond) = target.split_at(data.len());
    assert!(written.iter().all(|byte| *byte == 0), "into left no zeros, {why}");
    assert_eq!(beyond, &noise[data.len()..], "into changed bytes beyond, {why}");
    assert_eq!(frame, sealed.frame(nonce_at), "into changed the frame, {why}");
}

#[test]
fn every_flipped_bit_is_refused() {
    let mut random = Random(0x666c_6970_7065_6421);
    for (mut key, nonce_at) in keys(&mut random) {
        let sealed = Sealed::new(&mut key, &mut random, 20, 64);
        assert_eq!(sealed.bits(), 896);
        for bit in 0..sealed.bits() {
            refused(&mut key, nonce_at, &sealed.flipped(bit), &format!("bit {bit}"));
        }
        assert_eq!(key.counts().failures, 3 * 896, "each refusal counted once");
        let mut frame = sealed.frame(nonce_at);
        let opened = key.decrypt_in_place(cells(&mut frame), cells(&mut sealed.aad.clone()));
        assert_eq!(opened, Ok(()), "the unharmed message must still open");
    }
}

#[test]
fn a_wrong_tag_is_refused_at_every_length() {
    let mut random = Random(0x6c65_6e67_7468_7321);
    for (mut key, nonce_at) in keys(&mut random) {
        for length in 0..=2112 {
            let aad = random.below(40);
            let sealed = Sealed::new(&mut key, &mut random, aad, length);
            let wrong = sealed.flipped(sealed.bits() - 1 - random.below(128));
            refused(&mut key, nonce_at, &wrong, &format!("length {length}"));
        }
    }
}

#[test]
fn a_message_cut_or_extended_is_refused() {
    let mut random = Random(0x6375_7473_2121_2121);
    for (mut key, nonce_at) in keys(&mut random) {
        let sealed = Sealed::new(&mut key, &mut random, 20, 64);
        for length in 0..64 {
            let cut = Sealed { data: sealed.data[..length].to_vec(), ..sealed.clone() };
            refused(&mut key, nonce_at, &cut, &format!("cut to {length}"));
        }
        for extra in 1..=64 {
            let zeros = vec![0; extra];
            let longer = Sealed { data: [&sealed.data[..], &zeros].concat(), ..sealed.clone() };
            refused(&mut key, nonce_at, &longer, &format!("extended by {extra}"));
            let longer = Sealed { aad: [&sealed.aad[..], &zeros].concat(), ..sealed.clone() };
            refused(&mut key, nonce_at, &longer, &format!("aad extended by {extra}"));
        }
        // The border between AAD and ciphertext moved; their concatenation is the same.
        let (aad, data) =
            ([&sealed.aad[..], &sealed.data[..12]].concat(), sealed.data[12..].to_vec());
        refused(&mut key, nonce_at, &Sealed { aad, data, ..sealed.clone() }, "border moved");
    }
}

#[test]
fn a_frame_shorter_than_nonce_and_tag_fails_authentication() {
    let mut random = Random(0x7368_6f72_7421_2121);
    for (mut key, _) in keys(&mut random) {
        for length in 0..OVERHEAD {
            let bytes = random.bytes(length);
            let (mut frame, mut target) = (bytes.clone(), [0xa5; 64]);
            let opened = key.decrypt_in_place(cells(&mut frame), &[]);
            assert_eq!((opened, &frame), (Err(Error::Authentication), &bytes));
            let opened = key.decrypt_into(cells(&mut target), cells(&mut frame), &[]);
            assert_eq!((opened, &frame), (Err(Error::Authentication), &bytes));
            assert_eq!(target, [0xa5; 64], "a short frame changed the target");
        }
    }
}

/// A tag that was not computed, or not masked, would be zero.
#[test]
fn an_empty_message_with_a_zero_tag_is_refused() {
    let mut random = Random(0x7a65_726f_2121_2121);
    for (cpu, verify_first) in Cpu::all().flat_map(|cpu| [(cpu, false), (cpu, true)]) {
        for turn in 0..10_000 {
            let options = Options { verify_first, ..Options::default() };
            let mut key = key(cpu, &random.bytes(16 << (turn % 2)), options);
            let (mut nonce, mut tag) = (random.bytes(12), [0; 16]);
            let opened = key.decrypt_detached(&[], cells(&mut nonce), cells(&mut tag), &[]);
            assert_eq!(opened, Err(Error::Authentication));
            let mut frame = [&nonce[..], &tag].concat();
            assert_eq!(key.decrypt_in_place(cells(&mut frame), &[]), Err(Error::Authentication));
        }
    }
}
