//! The native objects that JavaScript holds by handle.

use super::call::Reply;
use super::object::{Object, ObjectKind, OwnArena};
use super::status::{Reason, Refusal};
use super::table::Table;
use crate::error::Error;
use core::cell::RefCell;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr;
use napi::sys;

/// The handle of an object that must be of the kind `K`. Not yet checked.
pub(super) struct Handle<K> {
    number: usize,
    kind: PhantomData<K>,
}

impl<K> Copy for Handle<K> {}

impl<K> Clone for Handle<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Handle<K> {
    pub(super) fn new(number: usize) -> Self {
        Self { number, kind: PhantomData }
    }

    pub(super) fn number(self) -> usize {
        self.number
    }
}

/// Every object of one loading of the addon.
pub(super) struct Objects(RefCell<Table<Object>>);

impl Objects {
    pub(super) fn new() -> Self {
        Self(RefCell::new(Table::new()))
    }

    /// Lends an object to `body`. Borrows the whole table, so `body` cannot use other objects.
    #[inline(always)]
    pub(super) fn lend<K: ObjectKind, T>(
        &self,
        handle: Handle<K>,
        body: impl FnOnce(&mut K) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut table = self.0.try_borrow_mut().map_err(|_| Reason::Internal)?;
        body(table.get(handle.number).and_then(K::of).ok_or(Reason::Handle)?)
    }

    /// Destroys an arena and the objects with keys in it, and returns the bytes they kept.
    pub(super) fn destroy_arena(&self, arena: Handle<OwnArena>) -> Result<usize, Refusal> {
        let mut table = self.0.try_borrow_mut().map_err(|_| Reason::Internal)?;
        let bytes = table
            .lend_apart(arena.number, |object, others| Some(OwnArena::of(object)?.destroy(others)));
        Ok(bytes.flatten().ok_or(Reason::Handle)?)
    }

    /// Keeps an object until the External that is returned is collected. The object may have its
    /// key in `arena`, an arena of the caller's.
    pub(super) fn keep(
        &'static self,
        env: sys::napi_env,
        object: impl ObjectKind,
        arena: Option<Handle<OwnArena>>,
    ) -> Result<Reply, Refusal> {
        let object = object.into_object();
        let bytes = object.bytes();
        let handle = self.enter(object, arena)?;
        let mut external = ptr::null_mut();
        // SAFETY: `env` is live. The handle is a mere number, and `self` is never freed.
        let made = unsafe {
            sys::napi_create_external(
                env,
                ptr::without_provenance_mut(handle),
                Some(collected),
                ptr::from_ref(self).cast_mut().cast(),
                &mut external,
            )
        };
        if made != sys::Status::napi_ok {
            self.remove(handle);
            return Err(Reason::Internal.into());
        }
        account_for(env, bytes as i64);
        Ok(Reply::Value(external))
    }

    /// Keeps an object, also in the list of `arena`, and returns its handle.
    fn enter(&self, object: Object, arena: Option<Handle<OwnArena>>) -> Result<usize, Refusal> {
        let mut table = self.0.try_borrow_mut().map_err(|_| Reason::Internal)?;
        let handle = table.insert(object)?;
        if let Some(arena) = arena {
            let listed = table.lend_apart(arena.number, |object, others| {
                OwnArena::of(object)?.list(handle, others).ok()
            });
            if listed.flatten().is_none() {
                table.remove(handle);
                return Err(Error::NoMemory.into());
            }
        }
        Ok(handle)
    }

    /// Whether an object has its key in a caller's arena, so that it is in the arena's list.
    pub(super) fn lives_in<K: ObjectKind>(
        &self,
        handle: Handle<K>,
        arena: Handle<OwnArena>,
    ) -> Result<bool, Refusal> {
        let mut table = self.0.try_borrow_mut().map_err(|_| Reason::Internal)?;
        let lives = table.lend_apart(arena.number, |object, others| {
            let arena = &OwnArena::of(object)?.arena;
            Some(others.get(handle.number)?.lives_in(arena))
        });
        Ok(lives.flatten().ok_or(Reason::Handle)?)
    }

    /// Drops an object, and returns the bytes that it kept.
    fn remove(&self, handle: usize) -> Option<usize> {
        let mut table = self.0.try_borrow_mut().ok()?;
        let bytes = table.get(handle)?.bytes();
        table.remove(handle);
        Some(bytes)
    }

    pub(super) fn clear(&self) {
        if let Ok(mut table) = self.0.try_borrow_mut() {
            table.clear();
        }
    }
}

/// The finalizer of an External: drops its object, which wipes a key. The memory of a dropped arena
/// stays mapped until its last key is dropped.
unsafe extern "C" fn collected(env: sys::napi_env, handle: *mut c_void, objects: *mut c_void) {
    // SAFETY: `keep` gave this pointer to an `Objects` that is never freed.
    if let Some(bytes) = unsafe { &*objects.cast::<Objects>() }.remove(handle.addr()) {
        account_for(env, -(bytes as i64));
    }
}

/// Tells the collector how many more bytes Externals keep; `bytes` is negative if they keep fewer.
pub(super) fn account_for(env: sys::napi_env, bytes: i64) {
    let mut all = 0;
    // SAFETY: `env` is live. The call is a hint, so its failure has no consequence.
    unsafe { sys::napi_adjust_external_memory(env, bytes, &mut all) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::any::AnyKey;
    use crate::key::arena::Arena;

    #[test]
    fn a_handle_of_another_kind_reaches_no_object() {
        let objects = Objects::new();
        let arena = Arena::fixed(3).map(OwnArena::new).map_err(Refusal::from);
        let arena = arena.and_then(|arena| objects.enter(arena.into_object(), None));
        let handle = arena.unwrap_or(0);
        let capacity_of =
            || objects.lend(Handle::new(handle), |own: &mut OwnArena| Ok(own.arena.capacity()));
        let capacity = capacity_of();
        assert_eq!(capacity.ok().flatten(), Some(3));
        let refused = Some(Refusal::from(Reason::Handle).number());
        let as_key = objects.lend(Handle::new(handle), |_: &mut AnyKey| Ok(()));
        assert_eq!(as_key.err().map(Refusal::number), refused);
        assert_eq!(capacity_of().ok().flatten(), Some(3), "it is still there");
    }
}
