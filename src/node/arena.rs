//! The functions behind the class `KeyArena`. Without an `arena`, they use the default arena.

use super::call::{Call, Callback, Outcome, Reply, callback};
use super::object::OwnArena;
use super::objects::account_for;
use super::scalars::{ARENA, Optional, Whole};
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
