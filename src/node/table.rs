//! What an External carries: an index and a generation into a table, never an address.
//!
//! A handle is checked before anything is reached through it, so a forged, foreign or stale one finds nothing. An
//! External of another addon carries an address; it passes for a live handle only if 24 of its bits name a slot in
//! use and 23 more that slot's generation, which starts at random. The lowest bit of a generation says what kind of
//! value the table holds, so a handle of one kind is none of the other. Handles fit in 47 bits, because runtimes that
//! cage their memory keep no more of an External.

use crate::hw::entropy;

const INDEX_BITS: u32 = 24;
const GENERATION_BITS: u32 = 23;
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;
const SLOTS: usize = 1 << INDEX_BITS;
/// Slots that are allocated together: they never move, and there are few more of them than values.
const CHUNK: usize = 256;

/// What a table holds.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Key,
    Arena,
}

/// Values by handle.
pub(super) struct Table<T> {
    kind: Kind,
    chunks: Vec<Vec<Slot<T>>>,
    free: Vec<u32>,
    first_generation: u32,
}

struct Slot<T> {
    /// From 2; the value's handles carry it.
    generation: u32,
    value: Option<T>,
}

impl<T> Table<T> {
    pub(super) fn new(kind: Kind) -> Self {
        // Half the range, so that every slot has as many generations again before it retires.
        let mut random = [0; 4];
        // A guess is made harder, no more: where there is no entropy, zeros do.
        let _ = entropy::os(&mut random);
        let random = u32::from_ne_bytes(random) % (LAST_GENERATION / 2);
        let first_generation = (2 + random) & !1 | kind as u32;
        Self { kind, chunks: Vec::new(), free: Vec::new(), first_generation }
    }

    /// Keeps `value` and gives its handle; none when 2^24 values are kept.
    pub(super) fn insert(&mut self, value: T) -> Option<usize> {
        let index = match self.free.pop() {
            Some(index) => index as usize,
            None => self.extend()?,
        };
        let slot = self.chunks.get_mut(index / CHUNK)?.get_mut(index % CHUNK)?;
        slot.value = Some(value);
        Some((slot.generation as usize) << INDEX_BITS | index)
    }

    /// A slot more; none when there are 2^24.
    fn extend(&mut self) -> Option<usize> {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            if self.chunks.len() == SLOTS / CHUNK {
                return None;
            }
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let before = (self.chunks.len() - 1) * CHUNK;
        let chunk = self.chunks.last_mut()?;
        chunk.push(Slot { generation: self.first_generation, value: None });
        Some(before + chunk.len() - 1)
    }

    /// The value of a live handle.
    pub(super) fn get(&mut self, handle: usize) -> Option<&mut T> {
        self.slot(handle)?.value.as_mut()
    }

    /// Every value.
    pub(super) fn values(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flatten().filter_map(|slot| slot.value.as_mut())
    }

    /// Takes the value of a live handle out. A slot whose generations are spent is not used again.
    pub(super) fn remove(&mut self, handle: usize) -> Option<T> {
        let slot = self.slot(handle)?;
        let value = slot.value.take();
        slot.generation += 2;
        if slot.generation < LAST_GENERATION {
            self.free.push((handle & (SLOTS - 1)) as u32);
        }
        value
    }

    /// Drops every value, and the memory of the table.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.kind);
    }

    fn slot(&mut self, handle: usize) -> Option<&mut Slot<T>> {
        let index = handle & (SLOTS - 1);
        let slot = self.chunks.get_mut(index / CHUNK)?.get_mut(index % CHUNK)?;
        (slot.generation as usize == handle >> INDEX_BITS && slot.value.is_some()).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots<T>(table: &Table<T>) -> usize {
        table.chunks.iter().map(Vec::len).sum()
    }

    #[test]
    fn a_handle_reaches_its_own_value_and_no_other() {
        let mut table = Table::new(Kind::Key);
        let handles: Vec<_> = (0..1000).filter_map(|n| table.insert(n)).collect();
        assert_eq!(handles.len(), 1000);
        let mut others = Table::new(Kind::Arena);
        others.first_generation = table.first_generation ^ 1;
        for (n, handle) in handles.iter().enumerate() {
            assert!(others.insert(n).is_some_and(|other| other != *handle));
            assert_eq!(others.get(*handle), None, "another kind");
            assert!(*handle > 0 && *handle < 1 << 47, "{handle:x}");
            assert_eq!(table.get(*handle), Some(&mut n.clone()));
            assert_eq!(table.get(handle ^ 1 << INDEX_BITS), None, "another generation");
            assert_eq!(table.get(handle + 1000), None, "another slot");
        }
    }

    #[test]
    fn a_stale_handle_finds_nothing_though_its_slot_is_used_again() {
        let mut table = Table::new(Kind::Key);
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
        let mut table = Table { first_generation: LAST_GENERATION - 5, ..Table::new(Kind::Key) };
        let handles: Vec<_> = std::iter::repeat_with(|| {
            let handle = table.insert(()).unwrap_or(0);
            table.remove(handle);
            handle
        })
        .take(5)
        .collect();
        assert_eq!(slots(&table), 2, "three handles a slot");
        assert!(handles.iter().all(|a| handles.iter().filter(|b| a == *b).count() == 1));
    }

    #[test]
    fn nothing_is_reached_after_the_end() {
        let mut table = Table::new(Kind::Key);
        let handle = table.insert(()).unwrap_or(0);
        table.clear();
        assert_eq!(table.get(handle), None);
        table.remove(handle);
        assert_eq!(table.get(0), None);
        assert_eq!(table.get(usize::MAX), None);
    }
}
