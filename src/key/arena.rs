//! Which keys live in which memory: arenas that grow, and arenas of a fixed size.

use crate::backend::Cpu;
use crate::error::Error;
use crate::hw::memory::{Pages, Slot};
use std::sync::{Arc, Weak};

/// Most keys of an arena of a fixed size.
pub const MAX_KEYS: usize = 1 << 20;
/// Bytes that a growing arena takes from the system at once: a thirty-second of what it has, within these bounds.
const LEAST: usize = 1 << 16;
const MOST: usize = 1 << 22;

/// Places for expanded keys.
///
/// Pages are unmapped with the last key in them. An arena of a fixed size has all of its pages from the beginning, a
/// growing one keeps the pages it last gave a place in.
#[derive(Default)]
pub struct Arena {
    /// None of an arena that grows.
    capacity: Option<usize>,
    /// One for each size of slot.
    shelves: Vec<Shelf>,
    destroyed: bool,
}

struct Shelf {
    slot_bytes: usize,
    current: Arc<Pages>,
    others: Vec<Weak<Pages>>,
}

impl Arena {
    /// An arena for `keys` keys of whatever backend, which has its memory from the beginning.
    ///
    /// # Errors
    /// [`Error::NoMemory`] for no keys, more than [`MAX_KEYS`], or where the system gives none.
    pub fn fixed(keys: usize) -> Result<Self, Error> {
        if keys == 0 || keys > MAX_KEYS {
            return Err(Error::NoMemory);
        }
        let slot_bytes = Cpu::largest_state();
        let current = Pages::map(slot_bytes, keys, true).ok_or(Error::NoMemory)?;
        let shelf = Shelf { slot_bytes, current, others: Vec::new() };
        Ok(Self { capacity: Some(keys), shelves: vec![shelf], destroyed: false })
    }

    /// A place of at least `bytes`.
    ///
    /// # Errors
    /// [`Error::ArenaFull`] of a fixed size, [`Error::NoMemory`], [`Error::ArenaDestroyed`].
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
                self.shelves.push(Shelf::new(bytes)?);
                self.shelves.last_mut()
            }
        };
        shelf.ok_or(Error::NoMemory)?.place()
    }

    /// How many keys it can hold; none for one that grows.
    pub fn capacity(&self) -> Option<usize> {
        self.capacity
    }

    /// How many places are taken.
    pub fn used(&self) -> usize {
        self.pages().map(|pages| pages.used()).sum()
    }

    /// Bytes of its memory, guard pages aside; none once it was destroyed.
    pub fn bytes(&self) -> usize {
        self.pages().map(|pages| pages.bytes()).sum()
    }

    /// Whether all of its memory is locked into RAM, for this process. A growing arena that has none yet takes some.
    pub fn locked(&mut self) -> bool {
        if self.shelves.is_empty() && !self.destroyed {
            drop(self.place(Cpu::best().map_or(1, Cpu::state_bytes)));
        }
        !self.shelves.is_empty() && self.pages().all(|pages| pages.locked())
    }

    /// Whether `slot` is one of its places.
    pub fn holds(&self, slot: &Slot) -> bool {
        self.pages().any(|pages| slot.is_of(&pages))
    }

    /// Gives no more places. Its memory goes with the last key in it; keys are their owners' to destroy.
    pub fn destroy(&mut self) {
        self.destroyed = true;
        self.shelves.clear();
    }

    /// Whether it gives no more places.
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
        let current = Pages::map(slot_bytes, LEAST / slot_bytes.max(1), false);
        Ok(Self { slot_bytes, current: current.ok_or(Error::NoMemory)?, others: Vec::new() })
    }

    fn place(&mut self) -> Result<Slot, Error> {
        if let Some(slot) = self.current.take() {
            return Ok(slot);
        }
        let roomy = self.others.iter().filter_map(Weak::upgrade).find_map(|pages| {
            let slot = pages.take()?;
            Some((pages, slot))
        });
        let (pages, slot) = match roomy {
            Some(found) => found,
            None => {
                self.others.retain(|pages| pages.strong_count() > 0);
                let all = self.others.iter().filter_map(Weak::upgrade).map(|pages| pages.bytes());
                let bytes = (all.sum::<usize>() / 32).clamp(LEAST, MOST);
                let pages = Pages::map(self.slot_bytes, bytes / self.slot_bytes.max(1), false);
                let pages = pages.ok_or(Error::NoMemory)?;
                let slot = pages.take().ok_or(Error::NoMemory)?;
                (pages, slot)
            }
        };
        self.others.retain(|other| !core::ptr::eq(other.as_ptr(), Arc::as_ptr(&pages)));
        let full = core::mem::replace(&mut self.current, pages);
        self.others.push(Arc::downgrade(&full));
        Ok(slot)
    }
}
