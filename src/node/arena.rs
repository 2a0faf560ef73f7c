//! The functions behind the class `KeyArena`. Without an `arena`, they use the default arena.

use super::call::{Call, Callback, Outcome, Reply, callback};
use super::objects::account_for;
use super::plain::{ARENA, Optional, Whole};
use crate::key::any::AnyKey;
use crate::key::arena::{Arena, MAX_KEYS};
use crate::protocol::chunks::Chunks;
use crate::protocol::packet::Protection;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("createArena", create),
    callback!("arenaCapacity", capacity),
    callback!("arenaUsed", used),
    callback!("isArenaLocked", is_locked),
    callback!("isArenaDestroyed", is_destroyed),
    callback!("destroyArena", destroy),
];

/// `createArena(keys)`: an External.
fn create(call: &Call<1>) -> Outcome {
    let (keys,) = call.take((Whole(1..=MAX_KEYS as u64),))?;
    call.module.objects.keep(call.env, Arena::fixed(keys as usize)?)
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
    let objects = &call.module.objects;
    let mut bytes = objects.lend_with(arena, |arena: &mut Arena, keys| {
        let mut bytes = arena.bytes();
        for key in keys.filter(|key: &&mut AnyKey| key.lives_in(arena)) {
            bytes += key.state_bytes();
            key.destroy();
        }
        bytes
    })?;
    bytes += objects.lend_with(arena, |arena: &mut Arena, protections| {
        let mut bytes = 0;
        for packets in protections.filter(|packets: &&mut Protection| packets.lives_in(arena)) {
            bytes += packets.state_bytes();
            packets.destroy();
        }
        bytes
    })?;
    bytes += objects.lend_with(arena, |arena: &mut Arena, messages| {
        let mut bytes = 0;
        for chunks in messages.filter(|chunks: &&mut Chunks| chunks.lives_in(arena)) {
            bytes += chunks.state_bytes();
            chunks.destroy();
        }
        arena.destroy();
        bytes
    })?;
    account_for(call.env, -(bytes as i64));
    Ok(Reply::DONE)
}
