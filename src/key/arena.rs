//! Arenas: memory for keys. An arena grows or has a fixed size.

use crate::backend::Cpu;
use crate::error::Error;
use crate::hw::memory::{Pages, Slot};
use std::sync::{Arc, Weak};

/// Most keys that an arena of a fixed size may have.
pub const MAX_KEYS: usize = 1 << 20;
/// Bounds of the bytes that a growing shelf takes from the system at once: a thirty-second of it.
const MIN_GROWTH: usize = 1 << 16;
const MAX_GROWTH: usize = 1 << 22;

/// Memory for expanded keys, in slots that are wiped when their key is dropped.
///
/// An arena of a fixed size maps its pages at the beginning and keeps them. A growing arena keeps,
/// for each size, the mapping that last had a slot; another is unmapped with the last key in it.
#[derive(Default)]
pub struct Arena {
    /// Number of keys; `None` for an arena that grows.
    capacity: Option<usize>,
    /// One shelf for each size of slot.
    shelves: Vec<Shelf>,
    destroyed: bool,
}

/// Pages with slots of one size.
struct Shelf {
    slot_bytes: usize,
    /// The pages to take slots from first.
    current: Arc<Pages>,
    /// Pages that only their keys keep.
    others: Vec<Weak<Pages>>,
}

impl Arena {
    /// An arena for `keys` keys of any backend that this CPU can run. Maps all memory at once.
    ///
    /// # Errors
    /// [`Error::NoMemory`] for zero keys, for more than [`MAX_KEYS`], or without memory.
    pub fn fixed(keys: usize) -> Result<Self, Error> {
        if keys == 0 || keys > MAX_KEYS {
            return Err(Error::NoMemory);
        }
        let slot_bytes = Cpu::largest_state();
        let current = Pages::exactly(slot_bytes, keys).ok_or(Error::NoMemory)?;
        let shelf = Shelf { slot_bytes, current, others: Vec::new() };
        Ok(Self { capacity: Some(keys), shelves: vec![shelf], destroyed: false })
    }

    /// A slot of at least `bytes` bytes, all zero.
    ///
    /// # Errors
    /// [`Error::ArenaDestroyed`]. A fixed size: [`Error::ArenaFull`] if every slot is in use or the
    /// slots are too small. A growing arena: [`Error::NoMemory`] if the system has no memory.
    pub fn place(&mut self, bytes: usize) -> Result<Slot, Error> {
        if self.destroyed {
            return Err(Error::ArenaDestroyed);
        }
        if self.capacity.is_some() {
            let shelf = self.shelves.first().filter(|shelf| shelf.slot_bytes >= bytes);
            return shelf.and_then(|shelf| shelf.current.take()).ok_or(Error::ArenaFull);
        }
        let shelf = match self.shelves.iter_mut().position(|shelf| shelf.slot_bytes == bytes) {
            Some(found) => self.shelves.get_mut(found),
            None => {
                self.shelves.try_reserve(1).map_err(|_| Error::NoMemory)?;
                self.shelves.push(Shelf::new(bytes)?);
                self.shelves.last_mut()
            }
        };
        shelf.ok_or(Error::NoMemory)?.place()
    }

    /// The number of keys that the arena can hold; `None` for an arena that grows.
    pub fn capacity(&self) -> Option<usize> {
        self.capacity
    }

    /// The number of slots in use. A destroyed arena has zero.
    pub fn used(&self) -> usize {
        self.pages().map(|pages| pages.used()).sum()
    }

    /// Bytes of memory, without guard pages. A destroyed arena has zero.
    pub fn bytes(&self) -> usize {
        self.pages().map(|pages| pages.bytes()).sum()
    }

    /// Maps memory first if a growing arena has none. Then reports whether all of the memory is
    /// locked ([`Pages::locked`]). A destroyed arena returns false.
    pub fn locked(&mut self) -> bool {
        self.all_pages(Pages::locked)
    }

    /// As [`locked`](Self::locked), of [`Pages::excluded_from_dumps`].
    pub fn excluded_from_dumps(&mut self) -> bool {
        self.all_pages(Pages::excluded_from_dumps)
    }

    fn all_pages(&mut self, are: fn(&Pages) -> bool) -> bool {
        if self.shelves.is_empty() && !self.destroyed {
            drop(self.place(Cpu::best().map_or(1, Cpu::state_bytes)));
        }
        !self.shelves.is_empty() && self.pages().all(|pages| are(&pages))
    }

    /// Whether `slot` lies in the arena's memory. A destroyed arena returns false.
    pub fn holds(&self, slot: &Slot) -> bool {
        self.pages().any(|pages| slot.is_of(&pages))
    }

    /// Makes [`place`](Self::place) fail from now on. Keys stay usable until their owners drop
    /// them; each mapping is unmapped with the last key in it.
    pub fn destroy(&mut self) {
        self.destroyed = true;
        self.shelves.clear();
    }

    /// Whether the arena was destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.destroyed
    }

    fn pages(&self) -> impl Iterator<Item = Arc<Pages>> {
        self.shelves.iter().flat_map(|shelf| {
            let others = shelf.others.iter().filter_map(Weak::upgrade);
            others.chain([Arc::clone(&shelf.current)])
        })
    }
}

impl Shelf {
    fn new(slot_bytes: usize) -> Result<Self, Error> {
        let current = Pages::at_least(slot_bytes, MIN_GROWTH / slot_bytes.max(1));
        Ok(Self { slot_bytes, current: current.ok_or(Error::NoMemory)?, others: Vec::new() })
    }

    fn place(&mut self) -> Result<Slot, Error> {
        if let Some(slot) = self.current.take() {
            return Ok(slot);
        }
        let found = self.others.iter().filter_map(Weak::upgrade).find_map(|pages| {
            let slot = pages.take()?;
            Some((pages, slot))
        });
        let (pages, slot) = match found {
            Some(found) => found,
            None => {
                self.others.retain(|pages| pages.strong_count() > 0);
                let all = self.others.iter().filter_map(Weak::upgrade).map(|pages| pages.bytes());
                let bytes = (all.sum::<usize>() / 32).clamp(MIN_GROWTH, MAX_GROWTH);
                let pages = Pages::at_least(self.slot_bytes, bytes / self.slot_bytes.max(1));
                let pages = pages.ok_or(Error::NoMemory)?;
                let slot = pages.take().ok_or(Error::NoMemory)?;
                (pages, slot)
            }
        };
        self.others.retain(|other| !core::ptr::eq(other.as_ptr(), Arc::as_ptr(&pages)));
        self.others.try_reserve(1).map_err(|_| Error::NoMemory)?;
        let full = core::mem::replace(&mut self.current, pages);
        self.others.push(Arc::downgrade(&full));
        Ok(slot)
    }
}
