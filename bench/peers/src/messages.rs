//! The messages of one sample. If one message fits into the first level cache, all of them do.

use crate::aead::{Nonce, Tag};

/// Bytes of all messages of a sample, if more than one fits.
const TOGETHER: usize = 16 << 10;

/// Most messages of a sample, because their nonces and tags need the cache too.
const MOST: usize = 256;

/// Largest message, in bytes, that is restored from a copy. Larger messages are sealed again, because a copy would change
/// the contents of the caches.
const COPIED: usize = 64 << 10;

/// A cache line, for alignment.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Line(pub [u8; 64]);

/// Nonce and tag of one message.
#[derive(Clone)]
pub struct Slot {
    pub nonce: Nonce,
    pub tag: Tag,
}

/// Messages of one size.
pub struct Messages {
    size: usize,
    stride: usize,
    bytes: Vec<Line>,
    sealed: Vec<Line>,
    slots: Vec<Slot>,
    next: u64,
}

impl Messages {
    /// The messages of a sample, each of `size` bytes.
    pub fn new(size: usize) -> Self {
        Self::count(size, (TOGETHER / size).clamp(1, MOST))
    }

    /// `count` messages of `size` bytes, each different.
    pub fn count(size: usize, count: usize) -> Self {
        let stride = if size < 64 { size } else { size.next_multiple_of(64) };
        let mut bytes = vec![Line([0; 64]); (stride * count).div_ceil(64)];
        for (at, byte) in bytes.iter_mut().flat_map(|line| &mut line.0).enumerate() {
            *byte = (at * 7 + at / 251) as u8;
        }
        let slots = vec![Slot { nonce: [0; 12], tag: [0; 16] }; count];
        let mut messages = Self { size, stride, bytes, sealed: Vec::new(), slots, next: 0 };
        messages.renew();
        messages
    }

    /// Bytes of a message.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Calls `what` with the slot and the bytes of every message.
    #[inline(always)]
    pub fn each(&mut self, mut what: impl FnMut(&mut Slot, &mut [u8])) {
        let bytes = flat(&mut self.bytes);
        for (slot, data) in self.slots.iter_mut().zip(bytes.chunks_exact_mut(self.stride)) {
            what(slot, &mut data[..self.size]);
        }
    }

    /// Gives every message a new nonce.
    pub fn renew(&mut self) {
        for slot in &mut self.slots {
            self.next += 1;
            let [_, _, _, _, counter @ ..] = &mut slot.nonce;
            *counter = self.next.to_be_bytes();
        }
    }

    /// Keeps a copy of sealed messages, where they are small enough for it.
    pub fn keep_copy(&mut self) {
        if self.size <= COPIED {
            self.sealed.clone_from(&self.bytes);
        }
    }

    /// Takes the sealed messages from the copy, or tells that there is no copy.
    pub fn restore_copy(&mut self) -> bool {
        let copied = self.size <= COPIED;
        if copied {
            self.bytes.copy_from_slice(&self.sealed);
        }
        copied
    }
}

/// The bytes of `lines`.
pub fn flat(lines: &mut [Line]) -> &mut [u8] {
    // SAFETY: a `Line` is 64 bytes without padding, and any byte is a valid one.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
}
