//! Memory straight from the system: pages between two guard pages, locked into RAM and left out of
//! core dumps where the system allows this, and wiped in a child of `fork` on request.

use super::{fork, system};
use core::ffi::c_void;
use core::ptr::NonNull;

/// Zeroed pages of one owner, unmapped on drop.
pub(super) struct Mapping {
    /// The first byte after the first guard page.
    first: NonNull<c_void>,
    /// Bytes between the guards.
    bytes: usize,
    page: usize,
    /// The generation of this process in which the pages were locked.
    locked_in: Option<u64>,
    /// Whether the system leaves the pages out of dumps.
    excluded: bool,
}

// SAFETY: the mapping is this value's own.
unsafe impl Send for Mapping {}
// SAFETY: as above; a shared reference exposes only addresses and facts.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// At least `bytes`, rounded up to whole pages; `None` if the system has no memory.
    pub(super) fn new(bytes: usize) -> Option<Self> {
        let page = system::page_size()?;
        let bytes = bytes.checked_next_multiple_of(page)?;
        let whole = bytes.checked_add(page.checked_mul(2)?)?;
        let start = system::reserve(whole)?;
        // SAFETY: inside the mapping, which has a guard page on each side.
        let first = unsafe { start.byte_add(page) };
        // Read before locking. If this process forked between locking and reading, the child would
        // have no locks, but would record its own generation.
        let generation = fork::generation();
        // SAFETY: `bytes` from `first` are pages of the mapping, which is not shared yet.
        let (excluded, locked) = unsafe {
            if !system::open(first, bytes) {
                system::release(start, whole);
                return None;
            }
            (leave_out_of_dumps(first, bytes), lock(first, bytes))
        };
        let locked_in = locked.then_some(generation);
        Some(Self { first, bytes, page, locked_in, excluded })
    }

    /// Has the kernel wipe the pages in a child of `fork`. False where it cannot, or refused.
    pub(super) fn wipe_on_fork(&self) -> bool {
        #[cfg(feature = "faults")]
        if crate::faults::KEEP_POOL.is_on() {
            return true;
        }
        // SAFETY: whole pages that `new` opened.
        unsafe { system::wipe_on_fork(self.first, self.bytes) }
    }

    /// The address of the first page between the guards.
    pub(super) fn first(&self) -> NonNull<c_void> {
        self.first
    }

    /// Bytes between the guards.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// See [`Pages::locked`](super::memory::Pages::locked).
    pub(super) fn locked(&self) -> bool {
        self.locked_in.is_some_and(|then| !fork::copied(then, fork::generation()))
    }

    /// See [`Pages::excluded_from_dumps`](super::memory::Pages::excluded_from_dumps).
    pub(super) fn excluded_from_dumps(&self) -> bool {
        self.excluded
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        #[cfg(feature = "faults")]
        if crate::faults::KEEP_KEYS.is_on() {
            return;
        }
        // SAFETY: the mapping that `new` made begins a page earlier and ends a page later.
        unsafe {
            system::return_to_dumps(self.first);
            system::release(self.first.byte_sub(self.page), self.bytes + 2 * self.page);
        }
    }
}

/// Leaves the pages out of dumps, and returns whether the system does so.
///
/// # Safety
/// `bytes` at `first` are whole pages of a mapping of ours, opened.
unsafe fn leave_out_of_dumps(first: NonNull<c_void>, bytes: usize) -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::DUMP_KEYS.is_on() {
        return false;
    }
    // SAFETY: the caller's promise.
    unsafe { system::leave_out_of_dumps(first, bytes) }
}

/// Locks the pages into RAM, and returns whether the system did.
///
/// # Safety
/// As above.
unsafe fn lock(first: NonNull<c_void>, bytes: usize) -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::NO_LOCK.is_on() {
        return false;
    }
    // SAFETY: the caller's promise.
    unsafe { system::lock(first, bytes) }
}
