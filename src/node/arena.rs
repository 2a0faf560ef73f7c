//! The functions behind the class `KeyArena`. Without an `arena`, they use the default arena.

use super::call::{Call, Callback, Outcome, Reply, callback};
use super::objects::{Object, account_for};
use super::scalars::{ARENA, Optional, Whole};
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

/// A caller's arena, and the handles of the objects with keys in it. Destroying it sees no others.
pub(super) struct OwnArena {
    pub(super) arena: Arena,
    /// Every object whose key lies in the arena; others stay until a new handle finds no room.
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
            // Room for as many as there are objects: each object is seen a few times at most.
            objects.try_reserve(objects.len().max(4)).map_err(|_| Error::NoMemory)?;
        }
        objects.push(handle);
        Ok(())
    }

    /// Destroys the arena and the objects with keys in it, and returns the bytes they kept.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use super::*;
    use crate::backend::Cpu;
    use crate::key::Options;
    use crate::key::any::AnyKey;
    use crate::rng::shared::SharedGenerator;
    use crate::secret::SecretKey;
    use core::cell::Cell;

    /// A key in `own`, listed there or not.
    fn key_in(own: &mut OwnArena, all: &mut Table<Object>, listed: bool) -> usize {
        let secret = SecretKey::copy(&[const { Cell::new(7) }; 32]).unwrap();
        let (options, generator) = (Options::default(), SharedGenerator::default());
        let cpu = Cpu::best().unwrap();
        let key = AnyKey::new(0, cpu, &secret, options, &mut own.arena, &generator);
        let handle = all.insert(Object::AnyKey(key.unwrap().unwrap())).ok().unwrap();
        if listed {
            own.list(handle, all).unwrap();
        }
        handle
    }

    fn is_destroyed(handle: usize, all: &mut Table<Object>) -> bool {
        matches!(all.get(handle), Some(Object::AnyKey(key)) if key.is_destroyed())
    }

    /// Once, destroying looked at every object of the environment; an unlisted key shows it.
    #[test]
    fn destroying_an_arena_looks_at_its_own_objects_alone() {
        let mut all = Table::new();
        let mut own = OwnArena::new(Arena::fixed(10).unwrap());
        let mut other = OwnArena::new(Arena::fixed(1).unwrap());
        let listed = [(); 9].map(|()| key_in(&mut own, &mut all, true));
        let unlisted = key_in(&mut own, &mut all, false);
        let elsewhere = key_in(&mut other, &mut all, true);
        // In both lists, but in the other arena alone.
        own.list(elsewhere, &mut all).unwrap();
        let kept = own.bytes() + 9 * all.get(unlisted).map_or(0, |key| key.bytes());
        assert_eq!(own.destroy(&mut all), kept);
        assert!(own.arena.is_destroyed());
        assert!(listed.iter().all(|handle| is_destroyed(*handle, &mut all)));
        assert!(![unlisted, elsewhere].iter().any(|handle| is_destroyed(*handle, &mut all)));
    }

    #[test]
    fn the_list_of_an_arena_stays_as_short_as_its_keys_are_few() {
        let mut all = Table::new();
        let mut own = OwnArena::new(Arena::fixed(10).unwrap());
        let kept = [(); 5].map(|()| key_in(&mut own, &mut all, true));
        for round in 0..10_000 {
            let handle = key_in(&mut own, &mut all, true);
            // One in two is destroyed, and its object stays.
            let gone = all.get(handle).map(Object::destroy);
            assert!(gone.is_some_and(|bytes| bytes > 0));
            if round % 2 == 0 {
                all.remove(handle);
            }
        }
        assert!(own.objects.capacity() <= 32, "{}", own.objects.capacity());
        assert!(own.destroy(&mut all) > 0);
        assert!(kept.iter().all(|handle| is_destroyed(*handle, &mut all)));
    }
}
