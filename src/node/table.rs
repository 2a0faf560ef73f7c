//! Values by handle: an index and a generation into a table, never an address, in an External.
//!
//! A handle is checked before a value is reached through it, so a forged, foreign or stale one
//! reaches none. An External of another addon carries an address, which passes for a live handle
//! only if 24 of its bits name a slot in use and 23 more its generation, which starts at random.
//! Handles fit in 47 bits: runtimes with a memory cage keep no more of an External.

use super::status::{Reason, Refusal};
use crate::error::Error;
use crate::hw::entropy;

const INDEX_BITS: u32 = 24;
const GENERATION_BITS: u32 = 23;
/// The generation at which a slot retires. Handles carry smaller ones.
const RETIRED: u32 = (1 << GENERATION_BITS) - 1;
const SLOTS: usize = 1 << INDEX_BITS;
/// Slots are allocated in chunks of this many. Growth moves no slot.
const CHUNK: usize = 256;
/// The index after that of the last free slot.
const NONE: u32 = u32::MAX;

pub(super) struct Table<T> {
    chunks: Vec<Vec<Slot<T>>>,
    /// The index of the slot that was freed last: a list inside free slots needs no memory.
    free: u32,
    first_generation: u32,
}

struct Slot<T> {
    /// From 1. The handle of the value carries the generation.
    generation: u32,
    /// In a free slot: the index of the slot that was freed before it.
    next_free: u32,
    value: Option<T>,
}

impl<T> Table<T> {
    pub(super) fn new() -> Self {
        let mut random = [0; 4];
        // This only makes handles harder to guess; zeros are acceptable.
        let _ = entropy::os(&mut random);
        // In the lower half of the range, so every slot serves at least 2^22 handles first.
        let first_generation = 1 + u32::from_ne_bytes(random) % (RETIRED / 2);
        Self { chunks: Vec::new(), free: NONE, first_generation }
    }

    /// Keeps `value` and returns its handle. Refuses without memory, or if 2^24 slots are in use.
    pub(super) fn insert(&mut self, value: T) -> Result<usize, Refusal> {
        let index = if self.free == NONE { self.extend()? } else { self.free as usize };
        let slot = self.at(index).ok_or(Reason::Internal)?;
        let handle = (slot.generation as usize) << INDEX_BITS | index;
        slot.value = Some(value);
        self.free = core::mem::replace(&mut slot.next_free, NONE);
        Ok(handle)
    }

    /// Adds a free slot and returns its index.
    fn extend(&mut self) -> Result<usize, Refusal> {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            if self.chunks.len() == SLOTS / CHUNK {
                return Err(Reason::Full.into());
            }
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(CHUNK).map_err(|_| Error::NoMemory)?;
            self.chunks.try_reserve(1).map_err(|_| Error::NoMemory)?;
            self.chunks.push(chunk);
        }
        let before = (self.chunks.len() - 1) * CHUNK;
        let chunk = self.chunks.last_mut().ok_or(Reason::Internal)?;
        chunk.push(Slot { generation: self.first_generation, next_free: NONE, value: None });
        Ok(before + chunk.len() - 1)
    }

    /// The value of a live handle.
    pub(super) fn get(&mut self, handle: usize) -> Option<&mut T> {
        self.slot(handle)?.value.as_mut()
    }

    /// Drops the value of a live handle in its place, since moving it would leave its bytes there
    /// unwiped. A slot that has used all its generations is not used again.
    pub(super) fn remove(&mut self, handle: usize) {
        let before = self.free;
        let Some(slot) = self.slot(handle) else { return };
        slot.value = None;
        slot.generation += 1;
        if slot.generation < RETIRED {
            slot.next_free = before;
            self.free = (handle & (SLOTS - 1)) as u32;
        }
    }

    /// Lends the value of a live handle together with the table, in which the value is absent
    /// meanwhile. A panic in `body` drops the value.
    pub(super) fn lend_apart<R>(
        &mut self,
        handle: usize,
        body: impl FnOnce(&mut T, &mut Self) -> R,
    ) -> Option<R> {
        let mut value = self.slot(handle)?.value.take()?;
        let result = body(&mut value, self);
        // `slot` would not find the slot, which has no value at the moment.
        self.at(handle & (SLOTS - 1))?.value = Some(value);
        Some(result)
    }

    /// Drops every value, and the memory of the table.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    fn at(&mut self, index: usize) -> Option<&mut Slot<T>> {
        self.chunks.get_mut(index / CHUNK)?.get_mut(index % CHUNK)
    }

    fn slot(&mut self, handle: usize) -> Option<&mut Slot<T>> {
        let slot = self.at(handle & (SLOTS - 1))?;
        (slot.generation as usize == handle >> INDEX_BITS && slot.value.is_some()).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use core::ptr;

    fn slots<T>(table: &Table<T>) -> usize {
        table.chunks.iter().map(Vec::len).sum()
    }

    #[test]
    fn a_handle_reaches_its_own_value_and_no_other() {
        let mut table = Table::new();
        let handles: Vec<_> = (0..1000).filter_map(|n| table.insert(n).ok()).collect();
        assert_eq!(handles.len(), 1000);
        for (n, handle) in handles.iter().enumerate() {
            assert!(*handle > 0 && *handle < 1 << 47, "{handle:x}");
            assert_eq!(table.get(*handle), Some(&mut n.clone()));
            assert_eq!(table.get(handle ^ 1 << INDEX_BITS), None, "another generation");
            assert_eq!(table.get(handle + 1000), None, "another slot");
        }
    }

    /// A value that notes its address as it is dropped.
    struct Noted<'a>(&'a Cell<*const ()>);

    impl Drop for Noted<'_> {
        fn drop(&mut self) {
            self.0.set(ptr::from_ref(self).cast());
        }
    }

    #[test]
    fn a_removed_value_was_dropped_elsewhere_and_left_its_bytes_in_the_table() {
        let dropped = Cell::new(ptr::null());
        let mut table = Table::new();
        let handle = table.insert(Noted(&dropped)).unwrap_or(0);
        let at = table.get(handle).map(|value| ptr::from_ref(value).cast());
        table.remove(handle);
        assert_eq!(Some(dropped.get()), at);
    }

    #[test]
    fn a_stale_handle_finds_nothing_though_its_slot_is_used_again() {
        let mut table = Table::new();
        let mut stale = Vec::new();
        for n in 0..1000 {
            let handle = table.insert(n).unwrap_or(0);
            assert_eq!(table.get(handle), Some(&mut n.clone()));
            table.remove(handle);
            table.remove(handle);
            stale.push(handle);
        }
        let live = table.insert(-1).unwrap_or(0);
        assert!(stale.iter().all(|handle| table.get(*handle).is_none()));
        assert_eq!(table.get(live), Some(&mut -1));
        assert_eq!(slots(&table), 1, "one slot served them all");
    }

    #[test]
    fn a_slot_whose_generations_are_spent_retires() {
        let mut table = Table { first_generation: RETIRED - 3, ..Table::new() };
        let handles: Vec<_> = std::iter::repeat_with(|| {
            let handle = table.insert(()).unwrap_or(0);
            table.remove(handle);
            handle
        })
        .take(7)
        .collect();
        assert_eq!(slots(&table), 3, "three handles a slot");
        assert!(handles.iter().all(|a| handles.iter().filter(|b| a == *b).count() == 1));
    }

    #[test]
    fn a_value_lent_apart_is_absent_until_it_is_back() {
        let mut table = Table::new();
        let (one, two) = (table.insert(1).unwrap_or(0), table.insert(2).unwrap_or(0));
        let sum = table.lend_apart(one, |value, others| {
            assert_eq!(others.get(one), None);
            assert_eq!(others.get(two), Some(&mut 2));
            *value += 10;
            *value + others.get(two).map_or(0, |other| *other)
        });
        assert_eq!((sum, table.get(one)), (Some(13), Some(&mut 11)));
        table.remove(one);
        assert_eq!(table.lend_apart(one, |_, _| ()), None, "a stale handle");
    }

    #[test]
    fn handles_reach_no_value_after_clear() {
        let mut table = Table::new();
        let handle = table.insert(()).unwrap_or(0);
        table.clear();
        assert_eq!(table.get(handle), None);
        table.remove(handle);
        assert_eq!(table.get(0), None);
        assert_eq!(table.get(usize::MAX), None);
    }
}
