//! A word that the kernel wipes in a child of `fork`: it tells whether the memory beside it was wiped, too.

use super::memory::Slot;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

/// Tells whether pages ([`Pages::wiped_on_fork`](super::memory::Pages::wiped_on_fork)) were wiped by a fork. Where the
/// kernel cannot wipe, both the word and the pages stay as they are.
///
/// Only the thread that uses the pages reads the word, and a child has this thread only if the thread itself forked, in
/// a signal's handler or in a call that its work makes. So program order, which compiler fences keep, is enough.
pub struct Intact(Slot);

impl Intact {
    /// Puts the word in `slot`, which must be one of the pages concerned. The word is not set yet.
    pub fn new(slot: Slot) -> Self {
        Self(slot)
    }

    /// Marks the pages as intact until they are wiped. Call this before writing to the pages, so that a fork in between
    /// wipes both.
    pub fn set(&self) {
        self.word().store(1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    /// Whether all data that was written to the pages since [`set`](Self::set) and read before this call was intact.
    pub fn holds(&self) -> bool {
        compiler_fence(Ordering::SeqCst);
        let word = self.word().load(Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        word != 0
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: the slot is this value's own, has at least sixteen bytes, and is aligned to sixteen.
        unsafe { &*self.0.as_ptr().cast::<AtomicU64>() }
    }
}
