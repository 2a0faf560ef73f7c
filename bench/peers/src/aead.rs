//! What is measured: AES-GCM in place under a key that exists already, with a nonce that the caller gives.

use crate::messages::Messages;
use std::hint::black_box;

/// A nonce.
pub type Nonce = [u8; 12];

/// A tag.
pub type Tag = [u8; 16];

/// An implementation that holds a key.
pub trait Aead {
    /// A key of its own, with whatever `self` looked up once and not for the key.
    fn fresh(&self, key: &[u8]) -> Self;

    /// What its key takes of memory, where its crate shows.
    fn state(&self) -> Option<usize>;

    /// Encrypts `data` in place and writes the tag.
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag);

    /// Decrypts `data` in place and tells whether the tag is right.
    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool;
}

/// An implementation whose type is erased outside of the loops, so that a loop pays for no virtual call.
pub trait Subject {
    /// Seals every message.
    fn seal_all(&mut self, messages: &mut Messages);
    /// Opens every message and tells whether each tag was right.
    fn open_all(&mut self, messages: &mut Messages) -> bool;
    /// Makes and drops `count` keys.
    fn set_up(&self, key: &[u8], count: usize);
    /// Bytes of one key.
    fn state(&self) -> Option<usize>;
}

impl<A: Aead> Subject for A {
    #[inline(never)]
    fn seal_all(&mut self, messages: &mut Messages) {
        messages.each(|slot, data| self.seal(&slot.nonce, data, &mut slot.tag));
    }

    #[inline(never)]
    fn open_all(&mut self, messages: &mut Messages) -> bool {
        let mut right = true;
        messages.each(|slot, data| right &= self.open(&slot.nonce, data, &slot.tag));
        right
    }

    #[inline(never)]
    fn set_up(&self, key: &[u8], count: usize) {
        for _ in 0..count {
            drop(black_box(self.fresh(black_box(key))));
        }
    }

    fn state(&self) -> Option<usize> {
        Aead::state(self)
    }
}
