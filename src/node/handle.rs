//! What an External carries: an index and a generation into a table, never an address.
//!
//! A handle is checked before anything is reached through it, so a forged, foreign or stale one finds nothing. An
//! External of another addon carries an address; it passes for a live handle only if 24 of its bits name a slot in
//! use and 23 more that slot's generation, which starts at random. Handles fit in 47 bits, because runtimes that
//! cage their memory keep no more of an External.

const INDEX_BITS: u32 = 24;
const GENERATION_BITS: u32 = 23;
const LAST_GENERATION: usize = (1 << GENERATION_BITS) - 1;

/// Values by handle.
pub(super) struct Table<T> {
    slots: Vec<Slot<T>>,
    free: Vec<usize>,
    first_generation: usize,
}

struct Slot<T> {
    /// From 1; the value's handles carry it.
    generation: usize,
    value: Option<T>,
}

impl<T> Table<T> {
    pub(super) fn new() -> Self {
        // Half the range, so that every slot has as many generations again before it retires.
        let random = getrandom::u32().unwrap_or(0) as usize;
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            first_generation: 1 + random % (LAST_GENERATION / 2),
        }
    }

    /// Keeps `value` and gives its handle; none when 2^24 values are kept.
    pub(super) fn insert(&mut self, value: T) -> Option<usize> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if self.slots.len() < 1 << INDEX_BITS => {
                self.slots.push(Slot { generation: self.first_generation, value: None });
                self.slots.len() - 1
            }
            None => return None,
        };
        let slot = self.slots.get_mut(index)?;
        slot.value = Some(value);
        Some(slot.generation << INDEX_BITS | index)
    }

    /// The value of a live handle.
    pub(super) fn get(&mut self, handle: usize) -> Option<&mut T> {
        self.slot(handle)?.value.as_mut()
    }

    /// Drops the value of a live handle. A slot whose generations are spent is not used again.
    pub(super) fn remove(&mut self, handle: usize) {
        let Some(slot) = self.slot(handle) else { return };
        slot.value = None;
        slot.generation += 1;
        if slot.generation < LAST_GENERATION {
            self.free.push(handle & ((1 << INDEX_BITS) - 1));
        }
    }

    /// Drops every value, and the memory of the table.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    fn slot(&mut self, handle: usize) -> Option<&mut Slot<T>> {
        let slot = self.slots.get_mut(handle & ((1 << INDEX_BITS) - 1))?;
        (slot.generation == handle >> INDEX_BITS && slot.value.is_some()).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_reaches_its_own_value_and_no_other() {
        let mut table = Table::new();
        let handles: Vec<_> = (0..100).filter_map(|n| table.insert(n)).collect();
        assert_eq!(handles.len(), 100);
        for (n, handle) in handles.iter().enumerate() {
            assert!(*handle > 0 && *handle < 1 << 47, "{handle:x}");
            assert_eq!(table.get(*handle), Some(&mut n.clone()));
            assert_eq!(table.get(handle ^ 1 << INDEX_BITS), None, "another generation");
            assert_eq!(table.get(handle + 100), None, "another slot");
        }
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
        assert_eq!(table.slots.len(), 1, "one slot served them all");
    }

    #[test]
    fn a_slot_whose_generations_are_spent_retires() {
        let mut table =
            Table { slots: vec![], free: vec![], first_generation: LAST_GENERATION - 2 };
        let handles: Vec<_> = std::iter::repeat_with(|| {
            let handle = table.insert(()).unwrap_or(0);
            table.remove(handle);
            handle
        })
        .take(5)
        .collect();
        assert_eq!(table.slots.len(), 3, "two handles a slot");
        assert!(handles.iter().all(|a| handles.iter().filter(|b| a == *b).count() == 1));
    }

    #[test]
    fn nothing_is_reached_after_the_end() {
        let mut table = Table::new();
        let handle = table.insert(()).unwrap_or(0);
        table.clear();
        assert_eq!(table.get(handle), None);
        table.remove(handle);
        assert_eq!(table.get(0), None);
        assert_eq!(table.get(usize::MAX), None);
    }
}
