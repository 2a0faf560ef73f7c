//! Memory for keys: guarded pages, cut into slots that are wiped on drop.

use super::fork;
use super::mapping::Mapping;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use zeroize::Zeroize;

/// The unit of a slot's length: sixteen bytes.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
pub(crate) struct Grain(u128);

impl zeroize::DefaultIsZeroes for Grain {}

/// Sets bytes to zero, which the compiler does not leave out, sixteen at a time.
pub fn wipe(bytes: &mut [u8]) {
    // SAFETY: any sixteen bytes are a `Grain`.
    let (before, grains, after) = unsafe { bytes.align_to_mut::<Grain>() };
    before.zeroize();
    grains.zeroize();
    after.zeroize();
}

/// Slots of one size. Unmapped when the last slot and the last reference are dropped.
///
/// A child of `fork` has a copy of the slots. Slots of keys are not wiped there, since the child
/// must never encrypt under a key schedule of zeros. Locks do not pass to the child.
pub struct Pages {
    /// The bytes of a slot are accessed only through its one `Slot`.
    mapping: Mapping,
    slot_grains: usize,
    slots: usize,
    /// A bit for every slot in use.
    used: Box<[AtomicU64]>,
    /// How many holders each slot has besides its first: always 0, but for a [`SharedSlot`].
    others: Box<[AtomicU32]>,
    free: AtomicUsize,
    /// The index in `used` of the word with the bit of the slot that was taken or dropped last.
    hint: AtomicUsize,
}

impl Pages {
    /// Maps `slots` slots of `bytes` each. `None` if the system has no memory.
    pub fn exactly(bytes: usize, slots: usize) -> Option<Arc<Self>> {
        Self::cut(bytes, slots, true).map(Arc::new)
    }

    /// As [`exactly`](Self::exactly), and as many slots more as fit in the last page.
    pub fn at_least(bytes: usize, slots: usize) -> Option<Arc<Self>> {
        Self::cut(bytes, slots, false).map(Arc::new)
    }

    /// Maps `slots` slots of `bytes` each, wiped in a child of `fork` where the kernel can;
    /// [`Intact`](super::intact::Intact) tells. `None` if the system has no memory, or if a
    /// kernel that can wipe ([`fork::Means::page`](super::fork::Means)) refuses these pages.
    pub fn wiped_on_fork(bytes: usize, slots: usize) -> Option<Arc<Self>> {
        let pages = Self::cut(bytes, slots, true)?;
        let refused =
            !pages.mapping.wipe_on_fork() && fork::means().is_some_and(|means| means.page);
        (!refused).then(|| Arc::new(pages))
    }

    fn cut(bytes: usize, slots: usize, exact: bool) -> Option<Self> {
        let slot_grains = bytes.div_ceil(size_of::<Grain>()).max(1);
        let slot_bytes = slot_grains.checked_mul(size_of::<Grain>())?;
        let mapping = Mapping::new(slot_bytes.checked_mul(slots.max(1))?)?;
        let slots = if exact { slots } else { mapping.bytes() / slot_bytes };
        Some(Self {
            mapping,
            slot_grains,
            slots,
            used: zeros(slots.div_ceil(64))?,
            others: zeros(slots)?,
            free: AtomicUsize::new(slots),
            hint: AtomicUsize::new(0),
        })
    }

    /// A slot of zeros; `None` where all are in use.
    pub fn take(self: &Arc<Self>) -> Option<Slot> {
        if self.free.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let hint = self.hint.load(Ordering::Relaxed);
        let (before, after) = self.used.split_at_checked(hint)?;
        for (i, word) in (hint..).zip(after).chain((0..).zip(before)) {
            while let Some(bit) = lowest_clear(word.load(Ordering::Relaxed)) {
                let index = i * 64 + bit as usize;
                if index >= self.slots {
                    break;
                }
                // Acquire: see the wipe by the last owner, which precedes the clearing of the bit.
                if word.fetch_or(1 << bit, Ordering::Acquire) & 1 << bit == 0 {
                    self.free.fetch_sub(1, Ordering::Relaxed);
                    self.hint.store(i, Ordering::Relaxed);
                    // SAFETY: `index` is below `slots`, so the slot lies inside the pages.
                    let at = unsafe { self.first().add(index * self.slot_grains) };
                    return Some(Slot { pages: Arc::clone(self), at });
                }
            }
        }
        None
    }

    /// How many slots are in use.
    pub fn used(&self) -> usize {
        self.slots - self.free.load(Ordering::Relaxed)
    }

    /// Bytes of memory, without the guard pages.
    pub fn bytes(&self) -> usize {
        self.mapping.bytes()
    }

    /// Whether the pages were locked into RAM, and no copy of this process was noticed since. A
    /// child of `fork` has no locks even if unnoticed; a restored machine has them even if noticed.
    pub fn locked(&self) -> bool {
        self.mapping.locked()
    }

    /// Whether the system leaves the pages out of dumps: of core dumps, on Windows of those of
    /// Windows Error Reporting. A child of `fork` inherits this.
    pub fn excluded_from_dumps(&self) -> bool {
        self.mapping.excluded_from_dumps()
    }

    /// The address of the first slot.
    fn first(&self) -> NonNull<Grain> {
        self.mapping.first().cast()
    }
}

/// `count` zeros; `None` without memory, since a caller's count must not end the process.
fn zeros<T: Default>(count: usize) -> Option<Box<[T]>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(count).ok()?;
    zeros.resize_with(count, T::default);
    Some(zeros.into_boxed_slice())
}

fn lowest_clear(word: u64) -> Option<u32> {
    (word != u64::MAX).then(|| (!word).trailing_zeros())
}

/// Memory of one owner, zero when it is taken, wiped when it is dropped.
pub struct Slot {
    pages: Arc<Pages>,
    at: NonNull<Grain>,
}

// SAFETY: only the owner of the slot reaches its bytes.
unsafe impl Send for Slot {}
// SAFETY: a shared slot is only read, but for the one word that `Intact` writes atomically.
unsafe impl Sync for Slot {}

impl Slot {
    /// The bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        let bytes = self.length();
        // SAFETY: `take` lent these bytes to this slot alone, and a slot that is shared is never
        // lent mutably; they are initialised, since pages come zeroed.
        unsafe { core::slice::from_raw_parts_mut(self.at.as_ptr().cast(), bytes) }
    }

    /// The length in bytes, a multiple of sixteen.
    pub fn length(&self) -> usize {
        self.pages.slot_grains * size_of::<Grain>()
    }

    /// The address of the first byte: a multiple of sixteen, or of 64 if the length is one.
    pub(crate) fn as_ptr(&self) -> *const Grain {
        self.at.as_ptr()
    }

    /// Whether the slot is one of `pages`.
    pub fn is_of(&self, pages: &Arc<Pages>) -> bool {
        Arc::ptr_eq(&self.pages, pages)
    }

    /// Shares the slot as it is: from now on it can only be read.
    pub fn share(self) -> SharedSlot {
        SharedSlot(self)
    }

    /// Its number among the slots of its pages.
    fn index(&self) -> usize {
        (self.at.as_ptr().addr() - self.pages.first().as_ptr().addr()) / self.length()
    }
}

/// Memory of several holders on any threads, wiped when the last of them drops it. Counting them
/// outside of the pages takes four bytes for each slot, where an `Arc` would allocate.
pub struct SharedSlot(Slot);

impl Deref for SharedSlot {
    type Target = Slot;

    fn deref(&self) -> &Slot {
        &self.0
    }
}

impl Clone for SharedSlot {
    fn clone(&self) -> Self {
        let Slot { pages, at } = &self.0;
        // Relaxed: this holder keeps the slot meanwhile.
        let others = pages.others.get(self.0.index());
        let counted = others.map(|others| others.fetch_add(1, Ordering::Relaxed));
        // A wrapped count would free a slot in use. Only leaked holders can be so many.
        if counted.is_none_or(|before| before > u32::MAX / 2) {
            std::process::abort();
        }
        Self(Slot { pages: Arc::clone(pages), at: *at })
    }
}

/// One of several holders lets go. Returns whether it was the last, as the others let go meanwhile.
fn let_go(others: &AtomicU32) -> bool {
    let last = others.fetch_sub(1, Ordering::AcqRel) == 0;
    if last {
        // The subtraction wrapped.
        others.store(0, Ordering::Relaxed);
    }
    last
}

impl Drop for Slot {
    fn drop(&mut self) {
        let index = self.index();
        // A sole holder stays sole, since only a holder makes another. Acquire and release: every
        // other holder has read before the last one wipes.
        if let Some(others) = self.pages.others.get(index)
            && others.load(Ordering::Acquire) > 0
            && !let_go(others)
        {
            return;
        }
        // SAFETY: as in `bytes`, since this is the last holder.
        let grains =
            unsafe { core::slice::from_raw_parts_mut(self.at.as_ptr(), self.pages.slot_grains) };
        #[cfg(feature = "faults")]
        let grains = if crate::faults::KEEP_KEYS.is_on() { &mut [] } else { grains };
        grains.zeroize();
        if let Some(word) = self.pages.used.get(index / 64) {
            // Counted as free before another thread can take the slot: never below zero. Release:
            // the next owner, which sees the bit clear, also sees the wipe.
            self.pages.free.fetch_add(1, Ordering::Relaxed);
            word.fetch_and(!(1 << (index % 64)), Ordering::Release);
            self.pages.hint.store(index / 64, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
