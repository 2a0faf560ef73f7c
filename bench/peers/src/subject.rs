//! An implementation at work on the messages of a sample, its type erased.

use crate::aead::Aead;
use crate::messages::Messages;
use std::hint::black_box;

/// An implementation whose type is erased outside of the loops, so that a loop pays for no virtual call.
pub trait Subject {
    /// Seals every message.
    fn seal_all(&mut self, messages: &mut Messages);
    /// Opens every message and tells whether each tag was right.
    fn open_all(&mut self, messages: &mut Messages) -> bool;
    /// Seals every message, for opening.
    fn prepare(&mut self, messages: &mut Messages) {
        self.seal_all(messages);
        messages.keep_copy();
    }
    /// Makes every opened message a sealed one again.
    fn restore(&mut self, messages: &mut Messages) {
        if !messages.restore_copy() {
            self.seal_all(messages);
        }
    }
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
