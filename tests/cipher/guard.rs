//! No byte past either end of an argument is read or written. Each argument lies against a page that may not be accessed,
//! first with its start, then with its end, at every length to 530; the results are those of ordinary memory.
#![expect(unsafe_code, reason = "pages that may not be accessed")]

use crate::common::pages::{may_read, open, reserve};
use crate::common::{Random, every_mode, key, seal};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Key;
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::lanes::Bytes;
use std::cell::Cell;
use std::ptr::slice_from_raw_parts;

/// A whole number of pages, for every page size up to 64 KiB.
const RUN: usize = 1 << 16;

/// The end of an argument that touches a forbidden page.
#[derive(Clone, Copy, Debug)]
enum Against {
    Start,
    End,
}

/// A run of pages between two runs that may not be accessed, never unmapped.
#[derive(Clone, Copy)]
struct Fenced(&'static [Cell<u8>]);

impl Fenced {
    fn new() -> Self {
        let base = reserve(3 * RUN).unwrap();
        // SAFETY: the middle of the three runs just reserved.
        let middle = unsafe { base.byte_add(RUN) };
        // SAFETY: as above, `RUN` bytes long.
        unsafe { open(middle, RUN) };
        // SAFETY: `RUN` zeroed bytes that are never unmapped and have no other name.
        Self(unsafe { &*slice_from_raw_parts(middle.cast(), RUN) })
    }

    /// A copy of `bytes`, against one of the fences.
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

    /// Passes one message to every function, with fenced arguments.
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
            let parts = nonce_at.split::<12>(frame).unwrap();
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
    for (cpu, options) in every_mode() {
        let bytes = if options.nonce_at == NonceAt::Start { 32 } else { 16 };
        let mut key = key(cpu, &random.bytes(bytes), options);
        for length in 0..=530 {
            let (text, aad) = lengths(length, random.below(70));
            let (nonce, aad, text) = (random.bytes(12), random.bytes(aad), random.bytes(text));
            for against in [Against::Start, Against::End] {
                arguments.check(&mut key, options.nonce_at, [&nonce, &aad, &text], against);
            }
        }
    }
}

#[test]
fn no_byte_past_a_message_is_touched() {
    sweep(|length, other| (length, other));
}

#[test]
fn no_byte_past_the_associated_data_is_touched() {
    sweep(|length, other| (other, length));
}

/// The control: one byte past an end may not be read.
#[test]
fn a_byte_past_the_end_cannot_be_read() {
    let fenced = Fenced::new();
    for (offset, may) in [(0, true), (RUN - 1, true), (RUN, false), (usize::MAX, false)] {
        let at = fenced.0.as_ptr().cast::<u8>().wrapping_add(offset);
        assert_eq!(may_read(at), may, "offset {offset:x}");
    }
}
