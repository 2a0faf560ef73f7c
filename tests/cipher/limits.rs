//! The counts of a key, its limits, and its refusals after it was destroyed.

use crate::common::{cells, key, seal};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::ledger::{
    Counts, GCM, Limits, MAX_AAD_BYTES, MAX_BLOCKS, MAX_MESSAGE_BYTES, MAX_MESSAGES, XAES,
};
use hardware_aes_gcm::key::{Key, Options};
use hardware_aes_gcm::secret::SecretKey;

const KEY: [u8; 32] = [0x42; 32];

fn limited(messages: u64, failures: u64) -> Key {
    let limits = Limits { messages, failures };
    key(Cpu::best().unwrap(), &KEY, Options { limits, ..Options::default() })
}

fn unlimited() -> Key {
    key(Cpu::best().unwrap(), &KEY, Options::default())
}

/// A frame of `text` encrypted bytes.
fn frame(key: &mut Key, text: usize) -> Vec<u8> {
    let mut frame = vec![0; text + OVERHEAD];
    key.encrypt_in_place(cells(&mut frame), &[]).unwrap();
    frame
}

#[test]
fn limits_are_the_standards() {
    assert_eq!(MAX_MESSAGE_BYTES, 68_719_476_704, "2^36 - 32: SP 800-38D 5.2.1.1, in bytes");
    assert_eq!(MAX_AAD_BYTES, 2_305_843_009_213_693_951, "2^61 - 1: the same, in whole bytes");
    assert_eq!(MAX_MESSAGES, 4_294_967_296, "2^32: SP 800-38D 8.3");
    assert_eq!(MAX_BLOCKS, 281_474_976_710_656, "2^48");
    assert_eq!((GCM.messages, GCM.blocks), (MAX_MESSAGES, MAX_BLOCKS));
    assert_eq!((XAES.messages, XAES.blocks), (u64::MAX, u64::MAX), "a key for each message");
    assert_eq!([GCM.text, XAES.text], [MAX_MESSAGE_BYTES; 2]);
    assert_eq!([GCM.aad, XAES.aad], [MAX_AAD_BYTES; 2]);
}

#[test]
fn messages_stop_at_their_limit() {
    let mut key = limited(3, 1);
    (0..3).for_each(|_| drop(frame(&mut key, 5)));
    let (mut last, mut target) = ([7; 33], [7; 64]);
    for _ in 0..2 {
        let refusal = key.encrypt_in_place(cells(&mut last), &[]);
        assert_eq!((refusal, last), (Err(Error::EncryptionsExhausted), [7; 33]));
        let refusal = key.encrypt_into(cells(&mut target), cells(&mut last), &[]);
        assert_eq!((refusal, target), (Err(Error::EncryptionsExhausted), [7; 64]));
    }
    let counts = Counts { messages: 3, bytes: 15, blocks: 6, failures: 0 };
    assert_eq!(key.counts(), counts, "a refused call was counted");
    // A detached message is not counted as a message, since the caller makes and counts its nonces.
    seal(&mut key, &[0; 12], &[], &[7; 5]);
    assert_eq!(key.counts(), Counts { bytes: 20, blocks: 8, ..counts });
    let mut sealed = frame(&mut unlimited(), 5);
    assert_eq!(key.decrypt_in_place(cells(&mut sealed), &[]), Ok(()), "decryption goes on");
    assert_eq!(
        limited(0, 0).encrypt_in_place(cells(&mut last), &[]),
        Err(Error::EncryptionsExhausted)
    );
}

#[test]
fn failures_stop_at_their_limit() {
    let mut key = limited(9, 4);
    let good = frame(&mut key, 5);
    let bad = {
        let mut bad = good.clone();
        bad[3] ^= 1;
        bad
    };
    let (mut target, refusal) = ([7; 5], Err(Error::Authentication));
    assert_eq!(key.decrypt_in_place(cells(&mut bad.clone()), &[]), refusal);
    assert_eq!(key.decrypt_in_place(cells(&mut [0; 27]), &[]), refusal, "short frames count");
    assert_eq!(
        key.decrypt_into(cells(&mut target), cells(&mut bad.clone()), &[]),
        Err(Error::Authentication)
    );
    let detached =
        |key: &mut Key| key.decrypt_detached(&[], cells(&mut [0; 12]), cells(&mut [0; 16]), &[]);
    assert_eq!(key.decrypt_in_place(cells(&mut good.clone()), &[]), Ok(()), "one is left");
    assert_eq!(detached(&mut key), refusal);
    assert_eq!(key.counts().failures, 4);

    let refusal = Err(Error::FailuresExhausted);
    for mut bytes in [good.clone(), bad, vec![0; 27]] {
        let before = bytes.clone();
        assert_eq!(key.decrypt_in_place(cells(&mut bytes), &[]), refusal);
        target.fill(7);
        let into = key.decrypt_into(cells(&mut target), cells(&mut bytes), &[]);
        assert_eq!((into, target), (Err(Error::FailuresExhausted), [7; 5]));
        assert_eq!(bytes, before);
    }
    assert_eq!(detached(&mut key), refusal);
    assert_eq!(key.counts().failures, 4, "a message that was not tried is not a failure");
    let mut sealed = frame(&mut key, 5);
    assert_eq!(unlimited().decrypt_in_place(cells(&mut sealed), &[]), Ok(()), "encryption goes on");
    assert_eq!(limited(0, 0).decrypt_in_place(cells(&mut sealed), &[]), refusal);
}

#[test]
fn blocks_and_bytes_count_the_ciphers_work() {
    let mut key = unlimited();
    let (mut bytes, mut blocks) = (0, 0);
    for length in 0..=100 {
        frame(&mut key, length);
        seal(&mut key, &[0; 12], &[1; 40], &vec![0; length]);
        bytes += 2 * length as u64;
        // One block more for each tag; AAD is hashed, not encrypted.
        blocks += 2 * (length as u64).div_ceil(16) + 2;
        assert_eq!(
            key.counts(),
            Counts { messages: length as u64 + 1, bytes, blocks, failures: 0 }
        );
    }
    let mut sealed = frame(&mut key, 64);
    let counts = key.counts();
    key.decrypt_in_place(cells(&mut sealed), &[]).unwrap();
    assert_eq!(key.counts(), counts, "decryption is not counted");
}

#[test]
fn a_callers_mistake_is_not_counted_and_writes_no_byte() {
    let mut key = unlimited();
    let (mut data, mut target) = ([7; 27], [7; 64]);
    assert_eq!(key.encrypt_in_place(cells(&mut data), &[]), Err(Error::FrameTooShort));
    for room in 0..27 + OVERHEAD {
        let target = cells(&mut target[..room]);
        let refusal = key.encrypt_into(target, cells(&mut data), &[]);
        assert_eq!(refusal, Err(Error::TargetTooShort));
    }
    let mut sealed = frame(&mut unlimited(), 27);
    for room in 0..27 {
        let refusal = key.decrypt_into(cells(&mut target[..room]), cells(&mut sealed), &[]);
        assert_eq!(refusal, Err(Error::TargetTooShort));
    }
    for length in (0..=40).filter(|length| *length != 12) {
        let (nonce, mut tag) = (&mut vec![0; length], [7; 16]);
        let (nonce, tag) = (cells(nonce), cells(&mut tag));
        let refusal = Err(Error::InvalidNonceLength);
        assert_eq!(key.encrypt_detached(cells(&mut data), nonce, tag, &[]), refusal);
        assert_eq!(key.decrypt_detached(cells(&mut data), nonce, tag, &[]), refusal);
    }
    for length in (0..=40).filter(|length| *length != 16) {
        let (tag, mut nonce) = (&mut vec![0; length], [7; 12]);
        let (nonce, tag) = (cells(&mut nonce), cells(tag));
        let refusal = Err(Error::InvalidTagLength);
        assert_eq!(key.encrypt_detached(cells(&mut data), nonce, tag, &[]), refusal);
        assert_eq!(key.decrypt_detached(cells(&mut data), nonce, tag, &[]), refusal);
    }
    assert_eq!((data, target), ([7; 27], [7; 64]));
    assert_eq!(key.counts(), Counts::default());
}

/// A nonce as the number that counts up.
fn number(nonce: &[u8]) -> u128 {
    nonce.iter().rev().fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}

/// Each nonce is the one before plus 1 modulo 2^96, so a million nonces are distinct.
#[test]
fn a_million_nonces_count_up_by_one() {
    let _turn = crate::common::turn(); // after a fork, which another test acts out, salts are new
    for nonce_at in [NonceAt::Start, NonceAt::End] {
        let mut key = key(Cpu::best().unwrap(), &KEY, Options { nonce_at, ..Options::default() });
        let mut frame = [0; OVERHEAD];
        let mut last = None;
        for _ in 0..1_000_000 {
            key.encrypt_in_place(cells(&mut frame), &[]).unwrap();
            let parts = match nonce_at {
                NonceAt::Start => frame.split_at(12).0,
                NonceAt::End => frame.split_at(16).1,
            };
            let nonce = number(parts);
            if let Some(last) = last {
                assert_eq!(nonce, (last + 1) & ((1 << 96) - 1));
            }
            last = Some(nonce);
        }
    }
}

#[test]
fn two_objects_on_one_key_have_two_salts() {
    let mut salts: Vec<u128> =
        (0..1000).map(|_| number(&frame(&mut unlimited(), 0)[..12])).collect();
    salts.sort_unstable();
    // A thousand salts drawn from 2^96 lie further apart than a key counts: about 2^76 at the closest.
    assert!(salts.windows(2).all(|pair| pair[1] - pair[0] > 1 << 40));
    // All 96 bits are drawn: each is set in one salt and clear in another, except with probability 96 · 2 / 2^1000.
    assert_eq!(salts.iter().fold(0, |all, salt| all | salt), (1 << 96) - 1);
    assert_eq!(salts.iter().fold(u128::MAX, |all, salt| all & salt), 0);
}

#[test]
fn a_destroyed_key_refuses_and_keeps_its_counts() {
    let mut key = unlimited();
    let mut sealed = frame(&mut key, 5);
    key.decrypt_in_place(cells(&mut [0; 28]), &[]).unwrap_err();
    let counts = key.counts();
    assert_eq!(counts, Counts { messages: 1, bytes: 5, blocks: 2, failures: 1 });
    key.destroy();
    key.destroy();
    let before = sealed.clone();
    let (mut nonce, mut tag, mut target) = ([7; 12], [7; 16], [7; 64]);
    {
        let [frame, nonce, tag, target] =
            [&mut sealed[..], &mut nonce, &mut tag, &mut target].map(cells);
        let refusal = Err(Error::Destroyed);
        assert_eq!(key.encrypt_in_place(frame, &[]), refusal);
        assert_eq!(key.encrypt_into(target, frame, &[]), Err(Error::Destroyed));
        assert_eq!(key.encrypt_detached(frame, nonce, tag, &[]), refusal);
        assert_eq!(key.decrypt_in_place(frame, &[]), refusal);
        assert_eq!(key.decrypt_in_place(&[], &[]), refusal, "even a frame that is too short");
        assert_eq!(key.decrypt_into(target, frame, &[]), Err(Error::Destroyed));
        assert_eq!(key.decrypt_detached(frame, nonce, tag, &[]), refusal);
    }
    assert_eq!((sealed, nonce, tag, target), (before, [7; 12], [7; 16], [7; 64]));
    assert_eq!(key.counts(), counts);
}

#[test]
fn keys_are_16_or_32_bytes_and_never_printed() {
    for length in 0..=64 {
        let key = SecretKey::copy(cells(&mut vec![0xab; length]));
        if matches!(length, 16 | 32) {
            assert_eq!(
                format!("{key:?} {:#?}", key.as_ref().unwrap()),
                "Ok(SecretKey(..)) SecretKey(..)"
            );
        } else {
            assert_eq!(key.err(), Some(Error::InvalidKeyLength), "{length} bytes");
        }
    }
}
