//! The functions behind the class `KeyArena`. Where an arena is left out, they mean the environment's own.

use super::Module;
use super::call::{Call, Callback, Reply, account_for, callback};
use super::status::{Reason, Refusal};
use crate::key::arena::{Arena, MAX_KEYS};
use core::ffi::c_void;
use napi::sys;

/// What `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("createArena", create),
    callback!("arenaInfo", info),
    callback!("disposeArena", dispose),
];

type Outcome = Result<Reply, Refusal>;

/// `createArena(keys)`: an External.
fn create(call: &Call<1>) -> Outcome {
    let keys = match usize::try_from(call.number(0)?) {
        Ok(keys) if (1..=MAX_KEYS).contains(&keys) => keys,
        _ => return Err(Refusal::of(Reason::Option, 0)),
    };
    let arena = Arena::fixed(keys)?;
    let bytes = arena.bytes();
    let handle = {
        let mut arenas = call.module.arenas.try_borrow_mut().map_err(|_| Reason::Internal)?;
        arenas.insert(arena).ok_or(Reason::Full)?
    };
    let external = call.external(handle, bytes, collected);
    external.inspect_err(|_| drop(release(call.module, handle)))
}

/// The External was collected, or its environment is going. Keys that are still in the arena keep its memory.
unsafe extern "C" fn collected(env: sys::napi_env, handle: *mut c_void, module: *mut c_void) {
    // SAFETY: `create` gave this pointer to a `Module` that is never freed.
    let arena = release(unsafe { &*module.cast::<Module>() }, handle.addr());
    if let Some(arena) = arena {
        account_for(env, -(arena.bytes() as i64));
    }
}

fn release(module: &Module, handle: usize) -> Option<Arena> {
    module.arenas.try_borrow_mut().ok()?.remove(handle)
}

/// `arenaInfo(arena, which)`: its capacity (0, which is 0 where it grows), places taken (1), whether it is locked (2) or
/// destroyed (3).
fn info(call: &Call<2>) -> Outcome {
    let which = call.number(1)?;
    call.with_arena(0, |arena| match which {
        0 => Ok(Reply::Number(arena.capacity().unwrap_or(0) as f64)),
        1 => Ok(Reply::Number(arena.used() as f64)),
        2 => Ok(Reply::Number(f64::from(u8::from(arena.locked())))),
        3 => Ok(Reply::Number(f64::from(u8::from(arena.is_destroyed())))),
        _ => Err(Refusal::of(Reason::Option, 1)),
    })
}

/// `disposeArena(arena)`: destroys its keys. Its memory goes with the last of them, jobs in flight included.
fn dispose(call: &Call<1>) -> Outcome {
    let bytes = call.with_arena(0, |arena| {
        if arena.capacity().is_none() {
            return Err(Reason::Handle.into());
        }
        let mut bytes = arena.bytes();
        let mut keys = call.module.keys.try_borrow_mut().map_err(|_| Reason::Internal)?;
        for key in keys.values().filter(|key| key.lives_in(arena)) {
            bytes += key.state_bytes();
            key.destroy();
        }
        arena.destroy();
        Ok(bytes)
    })?;
    account_for(call.env, -(bytes as i64));
    Ok(Reply::DONE)
}
