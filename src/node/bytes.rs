//! Borrowing JavaScript's memory: what is a Uint8Array, not shared, not detached, and overlaps nothing it may not.
//!
//! Two passes over the arguments. The first asks what each one is; it may call one built-in method, and no code of
//! the user's. The second reads pointers and lengths, each once, and from there until the callback returns no
//! JavaScript runs, so nothing moves, detaches or resizes.

use super::status::{Reason, Refusal};
use crate::lanes::Bytes;
use core::cell::Cell;
use core::ptr;
use napi::bindgen_prelude::{JsObjectValue, JsValue, Object, Unknown};
use napi::{Env, sys};

/// What telling views apart needs of JavaScript: `%TypedArray%.prototype.at`, as it was when the addon was loaded, or
/// as whoever loaded it had captured it before.
pub(super) struct Views {
    at: Cell<sys::napi_ref>,
    given: Cell<bool>,
}

impl Views {
    pub(super) fn new(env: &Env) -> napi::Result<Self> {
        let global = env.get_global()?;
        let array: Unknown = global.get_named_property("Uint8Array")?;
        let prototype: Object = array.coerce_to_object()?.get_named_property("prototype")?;
        let at: Unknown = prototype.get_named_property("at")?;
        let views = Self { at: Cell::new(ptr::null_mut()), given: Cell::new(false) };
        views
            .refer_to(env.raw(), at.raw())
            .map_err(|_| napi::Error::from_status(napi::Status::FunctionExpected))?;
        Ok(views)
    }

    /// Uses the caller's capture from now on. Once: later callers are not who loaded the addon.
    pub(super) fn validate_with(
        &self,
        env: sys::napi_env,
        at: sys::napi_value,
    ) -> Result<(), Refusal> {
        if self.given.get() {
            return Err(Refusal::of(Reason::Option, 0));
        }
        self.refer_to(env, at)?;
        self.given.set(true);
        Ok(())
    }

    fn refer_to(&self, env: sys::napi_env, at: sys::napi_value) -> Result<(), Refusal> {
        let (mut kind, mut reference) = (0, ptr::null_mut());
        // SAFETY: `env` is live and `at` a value of it.
        unsafe { sys::napi_typeof(env, at, &mut kind) };
        if kind != sys::ValueType::napi_function {
            return Err(Refusal::of(Reason::Option, 0));
        }
        // SAFETY: as above. A reference before it stays, like all that belongs to a loading.
        let made = unsafe { sys::napi_create_reference(env, at, 1, &mut reference) };
        if made != sys::Status::napi_ok {
            return Err(Reason::Internal.into());
        }
        self.at.set(reference);
        Ok(())
    }

    /// Refuses what is not a Uint8Array over memory that is there and is its environment's alone.
    pub(super) fn inspect(
        &self,
        env: sys::napi_env,
        value: sys::napi_value,
        argument: usize,
    ) -> Result<View, Refusal> {
        let (mut kind, mut length, mut buffer) = (0, 0, ptr::null_mut());
        // SAFETY: `env` is live and `value` is a value of the running callback. The pointer to the bytes is not
        // asked for here: a runtime may move them when it is asked for their buffer.
        let found = unsafe {
            sys::napi_get_typedarray_info(
                env,
                value,
                &mut kind,
                &mut length,
                ptr::null_mut(),
                &mut buffer,
                ptr::null_mut(),
            )
        };
        if found != sys::Status::napi_ok || kind != sys::TypedarrayType::uint8_array {
            return Err(Refusal::of(Reason::NotBytes, argument));
        }
        let mut owned = false;
        // SAFETY: as above; `buffer` was just filled.
        let asked = unsafe { sys::napi_is_arraybuffer(env, buffer, &mut owned) };
        if asked != sys::Status::napi_ok || !owned {
            return Err(Refusal::of(Reason::Shared, argument));
        }
        if length == 0 && !self.is_there(env, value) {
            return Err(Refusal::of(Reason::Detached, argument));
        }
        Ok(View { value, argument })
    }

    /// Node-API reports a detached view, and one that its buffer has shrunk away from, as empty. Every method of
    /// `%TypedArray%.prototype` validates its receiver and throws for both (ECMA-262 `ValidateTypedArray`).
    fn is_there(&self, env: sys::napi_env, view: sys::napi_value) -> bool {
        let (mut at, mut element) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `env` is live and `self.at` a reference of it.
        let found = unsafe { sys::napi_get_reference_value(env, self.at.get(), &mut at) };
        if found != sys::Status::napi_ok {
            return false;
        }
        // SAFETY: `view` and `at` are values of the running callback.
        let called =
            unsafe { sys::napi_call_function(env, view, at, 0, ptr::null(), &mut element) };
        if called == sys::Status::napi_ok {
            return true;
        }
        // SAFETY: `env` is live. The exception is the answer; it goes no further.
        unsafe { sys::napi_get_and_clear_last_exception(env, &mut element) };
        false
    }
}

/// An argument that was inspected.
#[derive(Clone, Copy)]
pub(super) struct View {
    value: sys::napi_value,
    argument: usize,
}

/// The memory of an argument, for as long as its callback runs.
#[derive(Clone, Copy)]
pub(super) struct Borrowed<'call> {
    /// The bytes.
    pub(super) bytes: Bytes<'call>,
    argument: usize,
}

impl View {
    /// Reads pointer and length.
    ///
    /// # Safety
    /// The callback that owns the view is running, and runs no JavaScript during `'call`.
    pub(super) unsafe fn borrow<'call>(
        self,
        env: sys::napi_env,
    ) -> Result<Borrowed<'call>, Refusal> {
        let (mut data, mut length) = (ptr::null_mut(), 0);
        // SAFETY: `env` is live and `value` a value of the running callback.
        let found = unsafe { sys::napi_get_buffer_info(env, self.value, &mut data, &mut length) };
        if found != sys::Status::napi_ok {
            return Err(Refusal::of(Reason::NotBytes, self.argument));
        }
        let bytes: Bytes = if data.is_null() || length == 0 {
            &[]
        } else {
            // SAFETY: Node-API vouches for `length` bytes at `data`; `inspect` found them not shared with another
            // thread, and the caller promises that no JavaScript runs, so they stay, and only this call uses them.
            // Cells allow that another argument is the same memory.
            unsafe { core::slice::from_raw_parts(data.cast::<Cell<u8>>(), length) }
        };
        Ok(Borrowed { bytes, argument: self.argument })
    }
}

impl Borrowed<'_> {
    /// What an absent argument is.
    pub(super) const EMPTY: Self = Self { bytes: &[], argument: 0 };

    /// Refuses a range that is to be written and has a byte in common with another argument.
    pub(super) fn apart_from(self, others: &[Borrowed]) -> Result<(), Refusal> {
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
