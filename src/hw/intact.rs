//! A word that a child of `fork` finds zero: whether memory beside it still holds what was put there.

use super::memory::Slot;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

/// Says of pages that are wiped on fork ([`Pages::wiped_on_fork`](super::memory::Pages::wiped_on_fork)) whether they were
/// wiped. Where the kernel cannot wipe, the word stays as it is, and so do the pages.
///
/// A fork that matters comes in the middle of the work of the thread that uses the pages, by a signal or by what that work
/// calls: in any other fork, that thread is not in the child. So the order of the program is all the order there must be.
pub struct Intact(Slot);

impl Intact {
    /// The word in `slot`, which is of the pages concerned. It does not hold yet.
    pub fn new(slot: Slot) -> Self {
        Self(slot)
    }

    /// From now on the pages are intact, until they are wiped. Comes before anything is put there: a fork in between then
    /// takes both away.
    pub fn set(&self) {
        self.word().store(1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    /// Whether all that was put there since [`set`](Self::set), and read before this call, was there.
    pub fn holds(&self) -> bool {
        compiler_fence(Ordering::SeqCst);
        let word = self.word().load(Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        word != 0
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: the first bytes of a slot of this value's own, which has sixteen at least, at a multiple of sixteen.
        unsafe { &*self.0.as_ptr().cast::<AtomicU64>() }
    }
}
