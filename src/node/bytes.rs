//! Borrows JavaScript's memory: a Uint8Array that is neither shared nor detached, and does not overlap a written argument.
//!
//! There are two passes over the arguments. The first pass finds the kind and the memory of each argument; for an empty one,
//! it calls a built-in method. The second pass borrows the memory. If that method was called, or if the runtime moves bytes
//! when it is asked for their buffer, the second pass first looks up the memory of every argument again. From there until
//! the callback returns, no JavaScript runs, so memory is not moved, detached or resized.

use super::status::{Reason, Refusal};
use crate::lanes::Bytes;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use napi::bindgen_prelude::{JsObjectValue, JsValue, Object, Unknown};
use napi::{Env, sys};

/// How to inspect views in this runtime.
pub(super) struct Views {
    /// `%TypedArray%.prototype.at`, as it was when the addon was loaded, or as `lib/` had saved it before.
    method: Cell<sys::napi_ref>,
    /// Whether `method` came through `validateWith`.
    given: Cell<bool>,
    /// Whether this runtime, asked for the buffer of a view, moves the view's bytes and reports where they were before.
    moves: bool,
}

impl Views {
    pub(super) fn new(env: &Env) -> napi::Result<Self> {
        let global = env.get_global()?;
        let array: Unknown = global.get_named_property("Uint8Array")?;
        let moves = moves(env.raw(), array.raw());
        let prototype: Object = array.coerce_to_object()?.get_named_property("prototype")?;
        let method: Unknown = prototype.get_named_property("at")?;
        let views = Self { method: Cell::new(ptr::null_mut()), given: Cell::new(false), moves };
        views
            .refer_to(env.raw(), method.raw())
            .map_err(|_| napi::Error::from_status(napi::Status::FunctionExpected))?;
        Ok(views)
    }

    /// Uses `method` from now on. Accepts only the first call, that of the code that loaded the addon.
    pub(super) fn validate_with(
        &self,
        env: sys::napi_env,
        method: sys::napi_value,
    ) -> Result<(), Refusal> {
        if self.given.get() {
            return Err(Refusal::of(Reason::Option, 0));
        }
        self.refer_to(env, method)?;
        self.given.set(true);
        Ok(())
    }

    fn refer_to(&self, env: sys::napi_env, method: sys::napi_value) -> Result<(), Refusal> {
        let (mut kind, mut reference) = (0, ptr::null_mut());
        // SAFETY: `env` is live and `method` a value of it.
        unsafe { sys::napi_typeof(env, method, &mut kind) };
        if kind != sys::ValueType::napi_function {
            return Err(Refusal::of(Reason::Option, 0));
        }
        // SAFETY: as above. An earlier reference stays; there are at most two.
        let made = unsafe { sys::napi_create_reference(env, method, 1, &mut reference) };
        if made != sys::Status::napi_ok {
            return Err(Reason::Internal.into());
        }
        self.method.set(reference);
        Ok(())
    }

    /// Refuses a value that is not a Uint8Array, or whose memory is shared or gone.
    pub(super) fn inspect(
        &self,
        env: sys::napi_env,
        value: sys::napi_value,
    ) -> Result<View, Reason> {
        let (mut kind, mut length) = (0, 0);
        let (mut data, mut buffer) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `env` is live and `value` is a value of the running callback.
        let found = unsafe {
            sys::napi_get_typedarray_info(
                env,
                value,
                &mut kind,
                &mut length,
                &mut data,
                &mut buffer,
                ptr::null_mut(),
            )
        };
        if found != sys::Status::napi_ok || kind != sys::TypedarrayType::uint8_array {
            return Err(Reason::NotBytes);
        }
        let mut owned = false;
        // SAFETY: as above; `buffer` was just filled.
        let asked = unsafe { sys::napi_is_arraybuffer(env, buffer, &mut owned) };
        if asked != sys::Status::napi_ok || !owned {
            return Err(Reason::Shared);
        }
        if length == 0 && !self.is_there(env, value) {
            return Err(Reason::Detached);
        }
        let value = NonNull::new(value).ok_or(Reason::NotBytes)?;
        Ok(View { value, data, length })
    }

    /// Whether inspecting `view` may have moved or detached its memory, or memory that was inspected before.
    #[inline(always)]
    pub(super) fn may_have_moved_memory(&self, view: &View) -> bool {
        self.moves || view.length == 0
    }

    /// Node-API reports a detached view, and one that its buffer has shrunk away from, as empty. Every method of
    /// `%TypedArray%.prototype` validates its receiver and throws for both (ECMA-262 `ValidateTypedArray`).
    fn is_there(&self, env: sys::napi_env, view: sys::napi_value) -> bool {
        let (mut method, mut element) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `env` is live and `self.method` a reference of it.
        let found = unsafe { sys::napi_get_reference_value(env, self.method.get(), &mut method) };
        if found != sys::Status::napi_ok {
            return false;
        }
        // SAFETY: `view` and `method` are values of the running callback.
        let called =
            unsafe { sys::napi_call_function(env, view, method, 0, ptr::null(), &mut element) };
        if called == sys::Status::napi_ok {
            return true;
        }
        // SAFETY: `env` is live. The exception is the answer; the caller must not get it.
        unsafe { sys::napi_get_and_clear_last_exception(env, &mut element) };
        false
    }
}

/// Whether `napi_get_typedarray_info` moves the bytes of a new small view and reports their old address. True if a call
/// fails. A program that replaced `Uint8Array` before the addon was loaded decides the answer.
fn moves(env: sys::napi_env, array: sys::napi_value) -> bool {
    let (mut size, mut view, mut length) = (ptr::null_mut(), ptr::null_mut(), 0);
    let (mut told, mut buffer, mut found) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: `env` is live, and every value belongs to it, made here or given. Each call runs only after the calls that
    // fill its arguments succeeded. The pointers are compared, never dereferenced.
    let asked = unsafe {
        sys::napi_create_uint32(env, 16, &mut size) == sys::Status::napi_ok
            && sys::napi_new_instance(env, array, 1, &size, &mut view) == sys::Status::napi_ok
            && sys::napi_get_typedarray_info(
                env,
                view,
                ptr::null_mut(),
                ptr::null_mut(),
                &mut told,
                &mut buffer,
                ptr::null_mut(),
            ) == sys::Status::napi_ok
            && sys::napi_get_buffer_info(env, view, &mut found, &mut length) == sys::Status::napi_ok
    };
    !asked || told != found
}

/// An inspected argument. Three words without padding, because copying padding defeats store forwarding.
#[derive(Clone, Copy)]
pub(super) struct View {
    value: NonNull<sys::napi_value__>,
    data: *mut c_void,
    length: usize,
}

/// The memory of an argument, for as long as its callback runs.
#[derive(Clone, Copy)]
pub(super) struct Borrowed<'call> {
    pub(super) bytes: Bytes<'call>,
    argument: usize,
}

impl View {
    /// The bytes where inspection found them or, with `again`, where they are now. The argument's position is `at`.
    ///
    /// # Safety
    /// The callback that owns the view is running, and runs no JavaScript during `'call`. Unless `again` is true, no
    /// JavaScript ran since the view was inspected, and inspecting the arguments cannot have moved memory.
    #[inline(always)]
    pub(super) unsafe fn borrow<'call>(
        self,
        env: sys::napi_env,
        again: bool,
        at: usize,
    ) -> Result<Borrowed<'call>, Refusal> {
        let Self { data, length, .. } = if again {
            self.found_again(env).map_err(|reason| Refusal::of(reason, at))?
        } else {
            self
        };
        let bytes: Bytes = if data.is_null() || length == 0 {
            &[]
        } else {
            // SAFETY: Node-API guarantees `length` bytes at `data`. `inspect` found that no other thread shares them,
            // and the caller promises that no JavaScript runs. So the bytes stay, and only this call uses them. Cells
            // allow another argument to be the same memory.
            unsafe { core::slice::from_raw_parts(data.cast::<Cell<u8>>(), length) }
        };
        Ok(Borrowed { bytes, argument: at })
    }

    /// The view with its memory as it is now; empty if the memory is gone. Its class and sharing never change.
    #[cold]
    fn found_again(mut self, env: sys::napi_env) -> Result<Self, Reason> {
        // SAFETY: `env` is live and the value one of the running callback.
        let found = unsafe {
            sys::napi_get_buffer_info(env, self.value.as_ptr(), &mut self.data, &mut self.length)
        };
        if found == sys::Status::napi_ok { Ok(self) } else { Err(Reason::NotBytes) }
    }
}

impl Borrowed<'_> {
    /// An absent argument.
    pub(super) const EMPTY: Self = Self { bytes: &[], argument: 0 };

    /// Refuses an argument that is to be written and has a byte in common with another argument.
    pub(super) fn refuse_overlap(self, others: &[Borrowed]) -> Result<(), Refusal> {
        let written = self.bytes.as_ptr_range();
        for other in others {
            let range = other.bytes.as_ptr_range();
            let disjoint = written.end <= range.start || range.end <= written.start;
            if !(disjoint || other.bytes.is_empty() || self.bytes.is_empty()) {
                return Err(Refusal::overlap(self.argument, other.argument));
            }
        }
        Ok(())
    }
}
