//! The functions behind the class `KeyArena`. Without an `arena`, they use the default arena.

use super::call::{Call, Callback, Outcome, Reply, callback};
use super::objects::{Object, account_for};
use super::plain::{ARENA, Optional, Whole};
use super::table::Table;
use crate::error::Error;
use crate::key::arena::{Arena, MAX_KEYS};

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("createArena", create),
    callback!("arenaCapacity", capacity),
    callback!("arenaUsed", used),
    callback!("isArenaLocked", is_locked),
    callback!("isArenaExcludedFromDumps", is_excluded_from_dumps),
    callback!("isArenaDestroyed", is_destroyed),
    callback!("destroyArena", destroy),
];

/// An arena of a caller's, and the handles of the objects that have their keys in it. Destroying it looks at no other object.
pub(super) struct OwnArena {
    pub(super) arena: Arena,
    /// Every object whose key lies in the arena. Handles of other objects stay until there is no room for another handle.
    objects: Vec<usize>,
}

impl OwnArena {
    pub(super) fn new(arena: Arena) -> Self {
        Self { arena, objects: Vec::new() }
    }

    /// Bytes of memory that the arena keeps.
    pub(super) fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    /// Adds an object to the list.
    pub(super) fn list(&mut self, handle: usize, all: &mut Table<Object>) -> Result<(), Error> {
        let Self { arena, objects } = self;
        if objects.len() == objects.capacity() {
            objects.retain(|listed| all.get(*listed).is_some_and(|object| object.lives_in(arena)));
            // As much room as there are objects, so that each object is looked at a few times at most.
            objects.try_reserve(objects.len().max(4)).map_err(|_| Error::NoMemory)?;
        }
        objects.push(handle);
        Ok(())
    }

    /// Destroys the arena and the objects that have their keys in it, and returns the bytes that all of them kept.
    pub(super) fn destroy(&mut self, all: &mut Table<Object>) -> usize {
        let mut bytes = self.bytes();
        for handle in core::mem::take(&mut self.objects) {
            let object = all.get(handle).filter(|object| object.lives_in(&self.arena));
            bytes += object.map_or(0, Object::destroy);
        }
        self.arena.destroy();
        bytes
    }
}

/// `createArena(keys)`: an External.
fn create(call: &Call<1>) -> Outcome {
    let (keys,) = call.take((Whole(1..=MAX_KEYS as u64),))?;
    let arena = Arena::fixed(keys as usize)?;
    call.module.objects.keep(call.env, OwnArena::new(arena), None)
}

/// `arenaCapacity(arena)`: 0 if the arena grows.
fn capacity(call: &Call<1>) -> Outcome {
    tell(call, |arena| Reply::Number(arena.capacity().unwrap_or(0) as f64))
}

/// `arenaUsed(arena)`: the number of occupied places.
fn used(call: &Call<1>) -> Outcome {
    tell(call, |arena| Reply::Number(arena.used() as f64))
}

/// `isArenaLocked(arena)`.
fn is_locked(call: &Call<1>) -> Outcome {
    tell(call, |arena| Reply::Flag(arena.locked()))
}

/// `isArenaExcludedFromDumps(arena)`.
fn is_excluded_from_dumps(call: &Call<1>) -> Outcome {
    tell(call, |arena| Reply::Flag(arena.excluded_from_dumps()))
}

/// `isArenaDestroyed(arena)`.
fn is_destroyed(call: &Call<1>) -> Outcome {
    tell(call, |arena| Reply::Flag(arena.is_destroyed()))
}

fn tell(call: &Call<1>, fact: impl FnOnce(&mut Arena) -> Reply) -> Outcome {
    let (arena,) = call.take((Optional(ARENA),))?;
    call.module.lend_arena(arena, |arena| Ok(fact(arena)))
}

/// `destroyArena(arena)`: destroys the arena and the keys in it, and unmaps its memory.
fn destroy(call: &Call<1>) -> Outcome {
    let (arena,) = call.take((ARENA,))?;
    let bytes = call.module.objects.destroy_arena(arena)?;
    account_for(call.env, -(bytes as i64));
    Ok(Reply::DONE)
}
