//! ArrayBuffers: the memory of async calls, which belongs to a job until its end.

use super::bytes::Borrowed;
use super::status::{Reason, Refusal};
use crate::lanes::Bytes;
use core::cell::Cell;
use core::ptr;
use napi::sys;

/// Refuses a value that is no ArrayBuffer (as a SharedArrayBuffer is not), or has lost its memory.
pub(super) fn inspect_memory(env: sys::napi_env, value: sys::napi_value) -> Result<(), Reason> {
    let (mut owned, mut gone) = (false, true);
    // SAFETY: `env` is live and `value` is a value of the running callback.
    let asked = unsafe { sys::napi_is_arraybuffer(env, value, &mut owned) };
    if asked != sys::Status::napi_ok || !owned {
        return Err(Reason::NotBytes);
    }
    // SAFETY: as above.
    let asked = unsafe { sys::napi_is_detached_arraybuffer(env, value, &mut gone) };
    if asked != sys::Status::napi_ok || gone { Err(Reason::Detached) } else { Ok(()) }
}

/// Where the memory of an ArrayBuffer lies and its length; `None` for another value.
pub(super) fn memory_of(
    env: sys::napi_env,
    buffer: sys::napi_value,
) -> Option<(*const Cell<u8>, usize)> {
    let (mut data, mut length) = (ptr::null_mut(), 0);
    // SAFETY: `env` is live and `buffer` is a value of the running callback.
    let found = unsafe { sys::napi_get_arraybuffer_info(env, buffer, &mut data, &mut length) };
    (found == sys::Status::napi_ok).then_some((data.cast_const().cast(), length))
}

/// A slice of `length` bytes at `data`; empty if `data` is null.
///
/// # Safety
/// `length` bytes at `data` stay valid, and only this thread uses them, during `'a`.
pub(super) unsafe fn cells<'a>(data: *const Cell<u8>, length: usize) -> Bytes<'a> {
    if data.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { core::slice::from_raw_parts(data, length) }
}

impl Borrowed<'_> {
    /// All memory of the ArrayBuffer that is the argument at position `at`.
    ///
    /// # Safety
    /// `inspect_memory` accepted `value`; its callback runs, and no JavaScript during `'call`.
    pub(super) unsafe fn whole<'call>(
        env: sys::napi_env,
        value: sys::napi_value,
        at: usize,
    ) -> Result<Borrowed<'call>, Refusal> {
        let (data, length) = memory_of(env, value).ok_or(Refusal::of(Reason::NotBytes, at))?;
        // SAFETY: Node-API guarantees `length` bytes at `data`, unshared. No JavaScript runs.
        Ok(Borrowed { bytes: unsafe { cells(data, length) }, argument: at })
    }
}
