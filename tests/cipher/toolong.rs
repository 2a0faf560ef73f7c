//! A message one byte past the limit is refused before a byte of it is touched: it lies on pages nobody may read.
#![cfg(all(unix, target_pointer_width = "64"))]
#![expect(unsafe_code, reason = "64 GiB of address space with nothing behind it")]

use crate::common::{cells, key};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::ledger::{Counts, MAX_MESSAGE_BYTES};
use hardware_aes_gcm::lanes::Bytes;
use std::cell::Cell;
use std::ptr::null_mut;

/// A frame around one byte too many, its ends readable and writable, for a nonce and a tag, and the rest not.
fn frame() -> Option<Bytes<'static>> {
    const END: usize = 1 << 16;
    let length = usize::try_from(MAX_MESSAGE_BYTES).unwrap() + 1 + OVERHEAD;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // The mapping is longer than the frame, so that the frame's last bytes lie in whole pages.
    let mapped = length.next_multiple_of(END);
    // SAFETY: a new mapping, wherever the system has room.
    let base = unsafe { libc::mmap(null_mut(), mapped, libc::PROT_NONE, flags, -1, 0) };
    if base == libc::MAP_FAILED {
        return None;
    }
    for end in [0, mapped - END, mapped - 2 * END] {
        // SAFETY: `END` bytes inside the mapping, at a page's start on every page size up to 64 KiB.
        let done =
            unsafe { libc::mprotect(base.byte_add(end), END, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0);
    }
    // SAFETY: `length` bytes of a mapping that is never unmapped. Most may not be accessed, and the kernel stops
    // whoever tries: that is the test.
    Some(unsafe { std::slice::from_raw_parts(base.cast::<Cell<u8>>(), length) })
}

#[test]
fn a_message_too_long_is_refused_untouched() {
    let Some(frame) = frame() else {
        println!("no 64 GiB of address space here");
        return;
    };
    for (cpu, nonce_at) in Cpu::all().flat_map(|cpu| [(cpu, NonceAt::Start), (cpu, NonceAt::End)]) {
        let mut key = key(cpu, &[0x42; 32], Options { nonce_at, ..Options::default() });
        let text = nonce_at.split(frame).unwrap().text;
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
        assert_eq!(key.counts(), Counts::default());
        assert!(tag.iter().all(|byte| byte.get() == 7));
        for i in [0, frame.len() - 1] {
            assert_eq!(frame.get(i).unwrap().get(), 0, "neither nonce nor tag was written");
        }
    }
}
