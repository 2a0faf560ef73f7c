//! The measured operation: AES-GCM in place under an existing key, with a nonce from the caller.

use crate::messages::Messages;
use std::hint::black_box;

/// A nonce.
pub type Nonce = [u8; 12];

/// A tag.
pub type Tag = [u8; 16];

/// An implementation that holds a key.
pub trait Aead {
    /// Another instance with `key`. It may reuse values of `self` that do not depend on the key.
    fn fresh(&self, key: &[u8]) -> Self;

    /// Bytes of its expanded key, if the crate shows them.
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
    /// Bytes of its expanded key, if known.
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
