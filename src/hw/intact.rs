//! A word that the kernel wipes in a child of `fork`, with the memory next to it.

use super::memory::Slot;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

/// Reports whether pages ([`Pages::wiped_on_fork`](super::memory::Pages::wiped_on_fork)) were wiped
/// by a fork. If the kernel cannot wipe, both the word and the pages are left unchanged.
///
/// One thread writes the pages and reads the word. A child runs this thread only if the thread
/// itself forked, as a signal's handler may. The fork is then in its program order: fences suffice.
pub struct Intact(Slot);

impl Intact {
    /// Puts the word in `slot`, which must lie in the pages. The word is not set yet.
    pub fn new(slot: Slot) -> Self {
        Self(slot)
    }

    /// Marks the pages as intact until they are wiped. Call this before writing to the pages, so
    /// that a fork in between wipes both.
    pub fn set(&self) {
        self.word().store(1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    /// True if no wipe happened between the last [`set`](Self::set) and this call.
    pub fn holds(&self) -> bool {
        compiler_fence(Ordering::SeqCst);
        let word = self.word().load(Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        word != 0
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: the slot is ours, has at least sixteen bytes, and is aligned to sixteen.
        unsafe { &*self.0.as_ptr().cast::<AtomicU64>() }
    }
}
