//! Nothing is read or written past either end of any argument: each lies against a page that may not be touched,
//! at its end and then at its start, at every length to 530, and the answers are those of ordinary memory.
#![cfg(unix)]
#![expect(unsafe_code, reason = "pages that may not be touched")]

use crate::common::{Random, key, seal};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::{Key, Options};
use hardware_aes_gcm::lanes::Bytes;
use std::cell::Cell;
use std::ptr::{null_mut, slice_from_raw_parts};

/// Whole pages, on every page size up to 64 KiB.
const RUN: usize = 1 << 16;

/// Which end of an argument touches forbidden pages.
#[derive(Clone, Copy, Debug)]
enum Against {
    Start,
    End,
}

/// A run of pages between two that may not be touched, never unmapped.
#[derive(Clone, Copy)]
struct Fenced(&'static [Cell<u8>]);

impl Fenced {
    fn new() -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, wherever the system has room.
        let base = unsafe { libc::mmap(null_mut(), 3 * RUN, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(base, libc::MAP_FAILED);
        // SAFETY: the middle of the three runs just mapped.
        let middle = unsafe { base.byte_add(RUN) };
        // SAFETY: as above, `RUN` bytes long.
        let done = unsafe { libc::mprotect(middle, RUN, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0);
        // SAFETY: `RUN` zeroed bytes that are never unmapped and have no other name.
        Self(unsafe { &*slice_from_raw_parts(middle.cast(), RUN) })
    }

    /// These bytes, against one of the fences.
    fn holding(self, bytes: &[u8], against: Against) -> Bytes<'static> {
        let place = match against {
            Against::Start => self.0.get(..bytes.len()),
            Against::End => self.0.get(RUN - bytes.len()..),
        };
        let place = place.unwrap();
        place.iter().zip(bytes).for_each(|(to, from)| to.set(*from));
        place
    }
}

fn bytes(cells: Bytes) -> Vec<u8> {
    cells.iter().map(Cell::get).collect()
}

fn flip(tag: Bytes) {
    tag.iter().for_each(|byte| byte.set(!byte.get()));
}

/// One piece of fenced memory per argument.
struct Arguments {
    data: Fenced,
    frame: Fenced,
    aad: Fenced,
    nonce: Fenced,
    tag: Fenced,
}

impl Arguments {
    fn new() -> Self {
        let [data, frame, aad, nonce, tag] = [(); 5].map(|()| Fenced::new());
        Self { data, frame, aad, nonce, tag }
    }

    /// Every call on one message, its arguments fenced.
    fn check(&self, key: &mut Key, nonce_at: NonceAt, message: [&[u8]; 3], against: Against) {
        let [nonce, aad, text] = message;
        let on = format!("{} aad, {} text, against its {against:?}", aad.len(), text.len());
        let (ciphertext, tag) = seal(key, nonce, aad, text);
        let fenced_nonce = self.nonce.holding(nonce, against);
        let fenced_aad = self.aad.holding(aad, against);
        let fenced_tag = self.tag.holding(&[0; 16], against);
        let data = self.data.holding(text, against);

        let sealed = key.encrypt_detached(data, fenced_nonce, fenced_tag, fenced_aad);
        assert_eq!(sealed, Ok(()), "{on}");
        assert_eq!((bytes(data), bytes(fenced_tag)), (ciphertext.clone(), tag.to_vec()), "{on}");
        let opened = key.decrypt_detached(data, fenced_nonce, fenced_tag, fenced_aad);
        assert_eq!((opened, &bytes(data)[..]), (Ok(()), text), "{on}");
        flip(fenced_tag);
        let opened = key.decrypt_detached(data, fenced_nonce, fenced_tag, fenced_aad);
        assert_eq!((opened, &bytes(data)[..]), (Err(Error::Authentication), text), "{on}");

        let frame = self.frame.holding(&vec![0; text.len() + OVERHEAD], against);
        for into in [true, false] {
            if into {
                assert_eq!(key.encrypt_into(frame, data, fenced_aad), Ok(frame.len()), "{on}");
            } else {
                assert_eq!(key.encrypt_in_place(frame, fenced_aad), Ok(()), "{on}");
            }
            let parts = nonce_at.split(frame).unwrap();
            let (ciphertext, tag) = seal(key, &bytes(parts.nonce), aad, text);
            assert_eq!((bytes(parts.text), bytes(parts.tag)), (ciphertext, tag.to_vec()), "{on}");

            let target = self.data.holding(&vec![0xa5; text.len()], against);
            let opened = key.decrypt_into(target, frame, fenced_aad);
            assert_eq!((opened, &bytes(target)[..]), (Ok(text.len()), text), "{on}");
            assert_eq!(key.decrypt_in_place(frame, fenced_aad), Ok(()), "{on}");
            assert_eq!(bytes(parts.text), text, "{on}");
            flip(parts.tag);
            let opened = key.decrypt_into(target, frame, fenced_aad);
            let zeros = vec![0; text.len()];
            assert_eq!((opened, bytes(target)), (Err(Error::Authentication), zeros), "{on}");
            self.data.holding(text, against);
        }
        assert_eq!((bytes(fenced_nonce), bytes(fenced_aad)), (nonce.to_vec(), aad.to_vec()));
    }
}

fn sweep(lengths: impl Fn(usize, usize) -> (usize, usize)) {
    let (arguments, mut random) = (Arguments::new(), Random(0x6665_6e63_6564_2121));
    for (cpu, verify_first) in Cpu::all().flat_map(|cpu| [(cpu, false), (cpu, true)]) {
        for (nonce_at, bits) in [(NonceAt::Start, 32), (NonceAt::End, 16)] {
            let options = Options { nonce_at, verify_first, ..Options::default() };
            let mut key = key(cpu, &random.bytes(bits), options);
            for length in 0..=530 {
                let (text, aad) = lengths(length, random.below(70));
                let (nonce, aad, text) = (random.bytes(12), random.bytes(aad), random.bytes(text));
                for against in [Against::Start, Against::End] {
                    arguments.check(&mut key, nonce_at, [&nonce, &aad, &text], against);
                }
            }
        }
    }
}

#[test]
fn nothing_past_a_message_is_touched() {
    sweep(|length, other| (length, other));
}

#[test]
fn nothing_past_the_associated_data_is_touched() {
    sweep(|length, other| (other, length));
}

/// The fence holds: a child that reads one byte past the end is stopped by a signal.
#[test]
fn a_byte_past_the_end_cannot_be_read() {
    let fenced = Fenced::new();
    for (offset, may) in [(0, true), (RUN - 1, true), (RUN, false), (usize::MAX, false)] {
        // SAFETY: the child only reads and exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: a plain call; no core file is to tell of what was meant to happen.
            unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
            let at = fenced.0.as_ptr().cast::<u8>().wrapping_add(offset);
            // SAFETY: may fault; that is the question.
            unsafe { at.read_volatile() };
            // SAFETY: no destructor of the parent's runs.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: the child just made.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(libc::WIFEXITED(status), may, "offset {offset:x}");
    }
}
