//! The short way into native code: a call without arguments, which lie on the slate, an array of
//! numbers that `lib/` and this module both know: the operation, the key, and for the frame and the
//! additional data the offset and the length in the ArrayBuffer that `remember` received. Some
//! functions of `sealed` have arguments, and find the key and its prefix here.
//!
//! **No number on the slate is trusted**, so memory is as safe as with arguments, whoever holds the
//! slate and whatever happened between two calls:
//! - The slate is memory of the `Module`, which is never freed. JavaScript may detach the array or
//!   move it to another thread; the words stay, and are atomic. No address is among them.
//! - A reference keeps both ArrayBuffers alive, but its memory may be detached, resized
//!   or moved. So each call asks Node-API where the memory is and how long, and no JavaScript runs
//!   from then on until the call returns. Offset and length must lie within the answer.
//! - `remember` refuses shared memory. An ArrayBuffer never becomes shared.
//! - A key is found by the number that its External carries, index and generation (see `table`).
//! - Everything belongs to one loading of the addon in one environment, and so to one thread.
//!
//! `lib/` guarantees the rest: key, offset and length describe the caller's call, and the memory is
//! not immutable (lib/cipher/native/slate.cts).
//!
//! A `call` that this module refuses, rather than the core, has done nothing and says `ELSEWHERE`.
//! `lib/` then makes the call with arguments, which finds the reason.

use super::Module;
use super::arguments::Memory;
use super::bytes::Borrowed;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::memory::{cells, memory_of};
use super::objects::{Handle, Objects};
use super::scalars::KEY;
use super::status::{Reason, Refusal};
use super::values::{reference, value_of};
use crate::error::Error;
use crate::key::any::AnyKey;
use crate::protocol::sealed::Prefix;
use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};
use napi::sys;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[callback!("numberOf", number_of)];
/// Those that `validateWith` returns.
pub(super) const SHORT: &[(&str, Callback)] =
    &[callback!("remember", remember), ("call", short_call)];

// The words and operations; lib/cipher/native/slate.cts and sealed-calls.cts have the same.
const STATUS: usize = 0;
const OPERATION: usize = 1;
const KEY_LOW: usize = 2;
const KEY_HIGH: usize = 3;
/// The prefix of the key's values: its lower 32 bits, and the others.
const PREFIX_LOW: usize = 4;
const PREFIX_HIGH: usize = 5;
/// The offset of the frame. Its length follows.
const FRAME: usize = 6;
/// The same of the additional data; the length is zero if there are none.
const AAD: usize = 8;
const WORDS: usize = 10;

const ENCRYPT: u32 = 1;
const DECRYPT: u32 = 2;

/// Bits of a key's number in `KEY_LOW`. The others are in `KEY_HIGH`.
const LOW_BITS: u32 = 24;

/// The status of a `call` that has done nothing. Those of others are zero or less.
const ELSEWHERE: u32 = 1;

pub(super) struct Slate {
    words: [AtomicU32; WORDS],
    /// Strong references to the ArrayBuffers of the frame and of the additional data; null before
    /// the first `remember`.
    memories: [Cell<sys::napi_ref>; 2],
}

impl Slate {
    pub(super) fn new() -> Self {
        Self {
            words: [const { AtomicU32::new(0) }; WORDS],
            memories: [const { Cell::new(ptr::null_mut()) }; 2],
        }
    }

    /// The slate as an Int32Array; `None` in runtimes that refuse an addon's memory.
    pub(super) fn array(&'static self, env: sys::napi_env) -> Option<sys::napi_value> {
        let (mut buffer, mut array) = (ptr::null_mut(), ptr::null_mut());
        let kind = sys::TypedarrayType::int32_array;
        // SAFETY: `env` is live. The words are never freed, and may be written through a shared
        // reference. The second call runs only if the first one filled `buffer`.
        let made = unsafe {
            sys::napi_create_external_arraybuffer(
                env,
                self.words.as_ptr().cast_mut().cast(),
                size_of_val(&self.words),
                None,
                ptr::null_mut(),
                &mut buffer,
            ) == sys::Status::napi_ok
                && sys::napi_create_typedarray(env, kind, WORDS, buffer, 0, &mut array)
                    == sys::Status::napi_ok
        };
        made.then_some(array)
    }

    #[inline(always)]
    fn key(&self) -> Handle<AnyKey> {
        Handle::new((self.read(KEY_HIGH) as usize) << LOW_BITS | self.read(KEY_LOW) as usize)
    }

    #[inline(always)]
    pub(super) fn key_and_prefix(&self) -> (Handle<AnyKey>, Prefix) {
        let high = u64::from(self.read(PREFIX_HIGH));
        (self.key(), Prefix::new(high << 32 | u64::from(self.read(PREFIX_LOW))))
    }

    #[inline(always)]
    fn read(&self, at: usize) -> u32 {
        self.words.get(at).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn write(&self, at: usize, value: u32) {
        if let Some(word) = self.words.get(at) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// The view whose numbers begin at the word `at`; empty if its length is zero. `None` if it is
    /// not within its memory.
    ///
    /// # Safety
    /// A callback of `env` is running, and runs no JavaScript during `'call`.
    #[inline(always)]
    unsafe fn view<'call>(&self, env: sys::napi_env, at: usize) -> Option<Borrowed<'call>> {
        let (offset, length) = (self.read(at) as usize, self.read(at + 1) as usize);
        if length == 0 {
            return Some(Borrowed::EMPTY);
        }
        let memory = value_of(env, self.memories.get((at - FRAME) / 2)?.get())?;
        let (data, all) = memory_of(env, memory)?;
        // SAFETY: Node-API guarantees `all` bytes at `data`, which `remember` found unshared. The
        // caller promises that no JavaScript runs.
        let bytes = unsafe { cells(data, all) };
        let bytes = bytes.get(offset..offset.checked_add(length)?)?;
        Some(Borrowed { bytes, ..Borrowed::EMPTY })
    }

    /// Does what the slate says. `None` if this module refuses it.
    ///
    /// # Safety
    /// A callback of `env` is running.
    #[inline(always)]
    unsafe fn answer(&self, env: sys::napi_env, objects: &Objects) -> Option<Result<(), Error>> {
        // SAFETY: the caller's promise. Nothing below runs JavaScript.
        let view = |at| unsafe { self.view(env, at) };
        let (frame, aad) = (view(FRAME)?, view(AAD)?);
        frame.refuse_overlap(&[aad]).ok()?;
        let operation = self.read(OPERATION);
        if !matches!(operation, ENCRYPT | DECRYPT) {
            return None;
        }
        let done = objects.lend(self.key(), |key| {
            Ok(if operation == ENCRYPT {
                key.encrypt_in_place(frame.bytes, aad.bytes)
            } else {
                key.decrypt_in_place(frame.bytes, aad.bytes)
            })
        });
        done.ok()
    }
}

/// `numberOf(key)`: the number of a key, below 2^47.
fn number_of(call: &Call<1>) -> Outcome {
    let (key,) = call.take((KEY,))?;
    Ok(Reply::Number(key.number() as f64))
}

/// `call()`: does what the slate says, and writes the status there. Returns undefined.
unsafe extern "C" fn short_call(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    let (mut count, mut context) = (0, ptr::null_mut());
    // SAFETY: Node-API passes a live `env` and this call's `info`. No argument is asked for.
    let found = unsafe {
        let (none, nowhere) = (ptr::null_mut(), ptr::null_mut());
        sys::napi_get_cb_info(env, info, &mut count, none, nowhere, &mut context)
    };
    if found != sys::Status::napi_ok {
        // The status is still that of a call that has done nothing.
        return ptr::null_mut();
    }
    // SAFETY: `init` registered a `Module` that is never freed and that this thread owns.
    let module = unsafe { &*context.cast::<Module>() };
    let answer = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: Node-API is running this callback.
        unsafe { module.slate.answer(env, &module.objects) }
    }));
    let status = match answer {
        Ok(Some(Ok(()))) => 0,
        Ok(Some(Err(error))) => Refusal::from(error).number() as i32 as u32,
        Ok(None) => ELSEWHERE,
        Err(_) => Refusal::from(Reason::Internal).number() as i32 as u32,
    };
    module.slate.write(STATUS, status);
    ptr::null_mut()
}

/// `remember(frame, aad)`: keeps the ArrayBuffers of the frame and of the additional data, instead
/// of earlier ones. A refusal may leave one of them replaced.
fn remember(call: &Call<2>) -> Outcome {
    call.take((Memory, Memory))?;
    for (at, memory) in call.module.slate.memories.iter().enumerate() {
        let earlier = memory.replace(reference(call.env, call.argument(at))?);
        if !earlier.is_null() {
            // SAFETY: `env` is live, and this was the only copy of the reference.
            unsafe { sys::napi_delete_reference(call.env, earlier) };
        }
    }
    Ok(Reply::DONE)
}
