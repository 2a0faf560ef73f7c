//! Jobs: one frame in work on libuv's pool of threads, while JavaScript runs on.
//!
//! The memory of the frame crosses to a thread of the pool as an address. This is sound because no
//! JavaScript can reach it meanwhile: `transfer`, which `lib/` gave this loading of the addon,
//! moves it into a new ArrayBuffer to which only the job refers. `transfer` is JavaScript's
//! `structuredClone` with a transfer list. A program that loads the addon and gives another
//! function must keep this promise; address, length and detached argument are checked. At the end,
//! the job gives the ArrayBuffer back.
//!
//! A job belongs to one thread at a time: to that of the environment, from `napi_queue_async_work`
//! on to one of the pool (`execute`), and then to the first again (`complete`). The runtime calls
//! `complete` once for every job in the queue, even if cancelled, when no JavaScript may run.
//!
//! When the environment ends, Node and Bun call `complete` for every job before they free
//! ArrayBuffers. Deno frees them while jobs run, and may not call `complete`. So the environment's
//! cleanup hook waits for running jobs; others return at once (`stop`), and wipe their keys.

use super::Module;
use super::arguments::{Memory, OptionalBytes};
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::memory::{cells, memory_of};
use super::objects::Handle;
use super::scalars::{Function, KEY, Whole};
use super::status::{Reason, Refusal};
use super::values::{call_function, reference, value_of};
use crate::error::Error;
use crate::key::any::{AnyJob, AnyKey};
use crate::key::arena::Arena;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;
use napi::sys;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use zeroize::Zeroize;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("encryptInPlaceAsync", encrypt),
    callback!("decryptInPlaceAsync", decrypt),
    callback!("cancelJob", cancel),
];

/// One frame and the work on it.
struct Job {
    module: &'static Module,
    key: Handle<AnyKey>,
    number: usize,
    work: sys::napi_async_work,
    /// `done(status, memory)`.
    done: sys::napi_ref,
    /// The ArrayBuffer with the frame; null before the transfer.
    memory: sys::napi_ref,
    /// The frame's address and length.
    frame: (*const Cell<u8>, usize),
    /// A copy of the AAD.
    aad: Vec<u8>,
    /// Consumed by `execute`.
    task: Option<AnyJob>,
    outcome: Result<(), Refusal>,
}

/// A direction: whether a key allows a job for a frame and an AAD of these lengths, and the job.
struct Direction {
    allow: fn(&mut AnyKey, usize, usize) -> Result<(), Error>,
    task: fn(&mut AnyKey, usize, usize, &mut Arena) -> Result<AnyJob, Error>,
}

/// `encryptInPlaceAsync(key, memory, aad, done)`: the job's number. At the end, calls
/// `done(status, memory)` with 0 or a refusal, and an ArrayBuffer of the bytes of `memory`, which
/// is detached. A refusal of the call itself leaves `memory` as it was, and counts nothing.
fn encrypt(call: &Call<4>) -> Outcome {
    start(call, Direction { allow: AnyKey::allow_encrypt_job, task: AnyKey::encrypt_job })
}

/// `decryptInPlaceAsync(key, memory, aad, done)`: likewise. A frame that is too short is a forgery.
fn decrypt(call: &Call<4>) -> Outcome {
    start(call, Direction { allow: AnyKey::allow_decrypt_job, task: AnyKey::decrypt_job })
}

/// `cancelJob(number)`: cancels a job that has not begun. Other numbers have no effect.
fn cancel(call: &Call<1>) -> Outcome {
    let (number,) = call.take((Whole(0..=1 << 53),))?;
    let mut works = call.module.jobs.works.try_borrow_mut().map_err(|_| Reason::Internal)?;
    if let Some(work) = works.get(number as usize).filter(|work| !work.is_null()) {
        // SAFETY: `env` is live. The table has the work from the moment it was queued until `free`
        // deletes it. The call fails for work that has begun.
        unsafe { sys::napi_cancel_async_work(call.env, *work) };
    }
    Ok(Reply::DONE)
}

fn start(call: &Call<4>, direction: Direction) -> Outcome {
    let env = call.env;
    let (key, aad) = accept(call, &direction)?;
    let address = Box::into_raw(Box::new(Job::new(call.module, key, aad)));
    // SAFETY: the box is this function's own until the work is queued.
    let job = unsafe { &mut *address };
    let prepared = job.prepare(env, call.argument(3), address);
    let transferred = prepared.and_then(|()| call.module.jobs.transfer(env, call.argument(1)));
    let memory = match transferred {
        Ok(memory) => memory,
        Err(refusal) => {
            // SAFETY: as above.
            unsafe { Box::from_raw(address) }.free(env);
            return Err(refusal);
        }
    };
    let (number, work) = (job.number, job.work);
    job.outcome = job.equip(env, memory, &direction);
    if job.outcome.is_ok() {
        // SAFETY: `env` is live. If the call succeeds, the job belongs to the pool.
        if unsafe { sys::napi_queue_async_work(env, work) } == sys::Status::napi_ok {
            call.module.jobs.may_cancel(number, work);
            return Ok(Reply::Number(number as f64));
        }
        job.outcome = Err(Reason::Internal.into());
    }
    // SAFETY: the work is not queued.
    unsafe { Box::from_raw(address) }.end(env, memory);
    Ok(Reply::Number(number as f64))
}

/// Every refusal that can be known before the transfer; a copy of the AAD. The memory of the
/// arguments, which the caller's next steps may detach, is borrowed in this function alone.
fn accept(call: &Call<4>, direction: &Direction) -> Result<(Handle<AnyKey>, Vec<u8>), Refusal> {
    let (key, memory, aad, _) = call.take((KEY, Memory, OptionalBytes, Function))?;
    memory.refuse_overlap(&[aad])?;
    call.module
        .objects
        .lend(key, |key| Ok((direction.allow)(key, memory.bytes.len(), aad.bytes.len())?))?;
    if call.module.jobs.transfer.get().is_null() {
        return Err(Refusal::of(Reason::Untransferable, 1));
    }
    let mut copy = Vec::new();
    copy.try_reserve_exact(aad.bytes.len()).map_err(|_| Error::NoMemory)?;
    copy.extend(aad.bytes.iter().map(Cell::get));
    Ok((key, copy))
}

impl Job {
    /// A job without memory and task.
    fn new(module: &'static Module, key: Handle<AnyKey>, aad: Vec<u8>) -> Self {
        Self {
            module,
            key,
            number: usize::MAX,
            work: ptr::null_mut(),
            done: ptr::null_mut(),
            memory: ptr::null_mut(),
            frame: (ptr::null(), 0),
            aad,
            task: None,
            outcome: Ok(()),
        }
    }

    /// Makes everything that can be made before the transfer. `address` is that of the job.
    fn prepare(
        &mut self,
        env: sys::napi_env,
        done: sys::napi_value,
        address: *mut Self,
    ) -> Result<(), Refusal> {
        self.done = reference(env, done)?;
        let mut name = ptr::null_mut();
        let text = "AesGcm";
        // SAFETY: `env` is live, and `text` has as many bytes as it says.
        let made = unsafe {
            let length = text.len().cast_signed();
            sys::napi_create_string_utf8(env, text.as_ptr().cast(), length, &mut name)
                == sys::Status::napi_ok
                && sys::napi_create_async_work(
                    env,
                    ptr::null_mut(),
                    name,
                    Some(execute),
                    Some(complete),
                    address.cast(),
                    &mut self.work,
                ) == sys::Status::napi_ok
        };
        if !made {
            return Err(Reason::Internal.into());
        }
        let mut works = self.module.jobs.works.try_borrow_mut().map_err(|_| Reason::Internal)?;
        self.number = works.insert(ptr::null_mut())?;
        Ok(())
    }

    /// Gives the job the transferred memory, and its task: takes the nonce and counts. The key may
    /// have been destroyed since it allowed the job, because JavaScript ran.
    fn equip(
        &mut self,
        env: sys::napi_env,
        memory: sys::napi_value,
        direction: &Direction,
    ) -> Result<(), Refusal> {
        self.memory = reference(env, memory)?;
        self.frame = memory_of(env, memory).ok_or(Reason::Internal)?;
        let (frame, aad) = (self.frame.1, self.aad.len());
        // Not the key's own arena, whose size a caller may have chosen for the keys alone.
        let task = self.module.lend_arena(None, |arena| {
            let lent = |key: &mut AnyKey| Ok((direction.task)(key, frame, aad, arena)?);
            self.module.objects.lend(self.key, lent)
        });
        self.task = Some(task?);
        Ok(())
    }

    /// On a thread of the pool.
    fn run(&mut self) -> Result<(), Refusal> {
        // Taken first, so that the key is wiped also if the environment has ended.
        let task = self.task.take().ok_or(Reason::Internal)?;
        let ended = self.module.jobs.ended.read().unwrap_or_else(PoisonError::into_inner);
        if *ended {
            return Err(Reason::Cancelled.into());
        }
        let (data, length) = self.frame;
        // SAFETY: the memory of an ArrayBuffer to which the job holds the only reference, so that
        // no other thread uses the memory. The runtime does not free the memory before `complete`
        // or, if the environment ends, before `stop` returns, which waits for the lock above.
        let frame = unsafe { cells(data, length) };
        let aad = Cell::from_mut(self.aad.as_mut_slice()).as_slice_of_cells();
        Ok(task.run(frame, aad)?)
    }

    /// Frees the job, and calls `done` if JavaScript can still run.
    fn end(mut self, env: sys::napi_env, memory: sys::napi_value) {
        let status = match self.outcome {
            Ok(()) => 0.0,
            Err(refusal) => self.counted(refusal).number(),
        };
        let done = value_of(env, self.done);
        self.free(env);
        let mut number = ptr::null_mut();
        // SAFETY: `env` is live.
        let made = unsafe { sys::napi_create_double(env, status, &mut number) };
        if let (Some(done), sys::Status::napi_ok) = (done, made) {
            call_function(env, done, &[number, memory]);
        }
    }

    /// A refusal of the job. Counts a forgery, of which the key may then have too many. Without the
    /// key, a forgery remains a forgery.
    fn counted(&mut self, refusal: Refusal) -> Refusal {
        let forgery = Refusal::from(Error::Authentication);
        if refusal.number() != forgery.number() {
            return refusal;
        }
        let lent = |key: &mut AnyKey| Ok(key.count_failure());
        self.module.objects.lend(self.key, lent).map_or(forgery, Refusal::from)
    }

    /// Frees the job and all that belongs to it.
    fn free(mut self, env: sys::napi_env) {
        self.aad.zeroize();
        if let Ok(mut works) = self.module.jobs.works.try_borrow_mut() {
            works.remove(self.number);
        }
        for reference in [self.done, self.memory] {
            if !reference.is_null() {
                // SAFETY: `env` is live, and `reference` is its reference, which this job alone
                // uses.
                unsafe { sys::napi_delete_reference(env, reference) };
            }
        }
        if !self.work.is_null() {
            // SAFETY: `env` is live. The work is not in the queue: it never was, or it is complete.
            unsafe { sys::napi_delete_async_work(env, self.work) };
        }
    }
}

/// On a thread of the pool: does the work. Uses no Node-API.
unsafe extern "C" fn execute(_: sys::napi_env, job: *mut c_void) {
    // SAFETY: `start` gave the job to the pool: no other thread touches it before `complete`.
    let job = unsafe { &mut *job.cast::<Job>() };
    let outcome = catch_unwind(AssertUnwindSafe(|| job.run()));
    job.outcome = outcome.unwrap_or(Err(Reason::Internal.into()));
}

/// On the thread of the environment, after the work or instead of it.
unsafe extern "C" fn complete(env: sys::napi_env, status: sys::napi_status, job: *mut c_void) {
    // SAFETY: `start` leaked this box, and the pool is done with it.
    let mut job = unsafe { Box::from_raw(job.cast::<Job>()) };
    match status {
        sys::Status::napi_ok => {}
        sys::Status::napi_cancelled => job.outcome = Err(Reason::Cancelled.into()),
        _ => job.outcome = Err(Reason::Internal.into()),
    }
    // A panic must not cross the boundary, and there is no caller to report it to.
    let _ = catch_unwind(AssertUnwindSafe(|| match value_of(env, job.memory) {
        Some(memory) => job.end(env, memory),
        None => job.free(env),
    }));
}
