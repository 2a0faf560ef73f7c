//! A message one byte longer than the limit is refused before a byte of it is accessed: its pages cannot be read.
#![cfg(target_pointer_width = "64")]
#![expect(unsafe_code, reason = "64 GiB of address space without memory behind it")]

use crate::batch::{bare, every};
use crate::common::pages::{open, reserve};
use crate::common::{cells, every_mode, key};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::frames::OVERHEAD;
use hardware_aes_gcm::key::ledger::{Counts, Limits, MAX_MESSAGE_BYTES};
use hardware_aes_gcm::lanes::Bytes;
use std::cell::Cell;

/// A frame for a text of one byte too many. Only its ends, for nonce and tag, can be read and written.
fn frame() -> Option<Bytes<'static>> {
    const END: usize = 1 << 16;
    let length = usize::try_from(MAX_MESSAGE_BYTES).unwrap() + 1 + OVERHEAD;
    // The mapping is longer than the frame, so that the frame's last bytes lie in a whole page.
    let mapped = length.next_multiple_of(END);
    let base = reserve(mapped)?;
    for end in [0, mapped - END, mapped - 2 * END] {
        // SAFETY: `END` bytes inside the mapping, at a page's start on every page size up to 64 KiB.
        unsafe { open(base.byte_add(end), END) };
    }
    // SAFETY: `length` bytes of a mapping that is never unmapped. Most bytes may not be accessed: the test shows that the
    // library does not, since a signal would end this process.
    Some(unsafe { std::slice::from_raw_parts(base.cast::<Cell<u8>>(), length) })
}

#[test]
fn a_message_too_long_is_refused_before_it_is_read() {
    let Some(frame) = frame() else {
        println!("no 64 GiB of address space here");
        return;
    };
    for (cpu, options) in every_mode() {
        let mut key = key(cpu, &[0x42; 32], options);
        let text = options.nonce_at.split::<12>(frame).unwrap().text;
        assert_eq!(text.len() as u64, MAX_MESSAGE_BYTES + 1);
        let (mut nonce, mut tag) = ([0; 12], [7; 16]);
        let (nonce, tag) = (cells(&mut nonce), cells(&mut tag));
        let refusal = Err(Error::MessageTooLong);
        assert_eq!(key.encrypt_detached(text, nonce, tag, &[]), refusal);
        assert_eq!(key.decrypt_detached(text, nonce, tag, &[]), refusal);
        assert_eq!(key.encrypt_in_place(frame, &[]), refusal);
        assert_eq!(key.decrypt_in_place(frame, &[]), refusal);
        assert_eq!(key.encrypt_into(frame, text, &[]), Err(Error::MessageTooLong));
        assert_eq!(key.decrypt_into(text, frame, &[]), Err(Error::MessageTooLong));
        let batch = bare(every(frame, frame.len()));
        assert_eq!(key.encrypt_batch(batch), Err(Error::MessageTooLong.into()));
        assert_eq!(key.decrypt_batch(batch), Err(Error::MessageTooLong));
        assert_eq!(key.counts(), Counts::default());
        assert!(tag.iter().all(|byte| byte.get() == 7));
        for i in [0, frame.len() - 1] {
            assert_eq!(frame.get(i).unwrap().get(), 0, "nonce or tag was written");
        }
    }
}

/// A key that may not decrypt refuses the longest message for that reason, without reading the message.
#[test]
fn the_longest_message_is_not_too_long_for_a_batch() {
    let Some(frame) = frame() else {
        println!("no 64 GiB of address space here");
        return;
    };
    let (cpu, options) = every_mode().next().unwrap();
    let limits = Limits { messages: 0, failures: 0 };
    let mut key = key(cpu, &[0x42; 32], Options { limits, ..options });
    let longest = bare(every(frame.split_last().unwrap().1, frame.len()));
    assert_eq!(key.encrypt_batch(longest), Err(Error::EncryptionsExhausted.into()));
    assert_eq!(key.decrypt_batch(longest), Err(Error::FailuresExhausted));
}
