//! One call from JavaScript: its arguments, the wrapper that catches panics, and the number that goes back.

use super::Module;
use super::bytes::{Borrowed, View};
use super::status::{Reason, Refusal};
use crate::key::Key;
use crate::key::arena::Arena;
use core::ffi::c_void;
use core::ptr;
use napi::sys;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A function as Node-API calls it.
pub(super) type Callback =
    unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

/// A call with up to `N` arguments; missing ones are undefined.
pub(super) struct Call<const N: usize> {
    pub(super) env: sys::napi_env,
    pub(super) module: &'static Module,
    arguments: [sys::napi_value; N],
    /// How many there are.
    count: usize,
}

/// What goes back to JavaScript when nothing was refused.
pub(super) enum Reply {
    /// A number, zero or more.
    Number(f64),
    /// A value.
    Value(sys::napi_value),
}

impl Reply {
    /// It is done, and there is nothing more to say.
    pub(super) const DONE: Self = Self::Number(0.0);
}

/// A `(name, callback)` pair whose callback runs `$function` inside the wrapper.
macro_rules! callback {
    ($name:literal, $function:path) => {{
        unsafe extern "C" fn callback(
            env: napi::sys::napi_env,
            info: napi::sys::napi_callback_info,
        ) -> napi::sys::napi_value {
            // SAFETY: Node-API calls this with a live environment and this call's info; `init` registered it.
            unsafe { $crate::node::call::enter(env, info, $function) }
        }
        ($name, callback as $crate::node::call::Callback)
    }};
}
pub(super) use callback;

/// Collects the arguments, runs `body`, and turns what comes of it into a value.
///
/// # Safety
/// Node-API is calling with a live `env` and this call's `info`, through a function that `init` registered.
pub(super) unsafe fn enter<const N: usize>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    body: impl Fn(&Call<N>) -> Result<Reply, Refusal>,
) -> sys::napi_value {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let (mut count, mut arguments, mut context) = (N, [ptr::null_mut(); N], ptr::null_mut());
        // SAFETY: the caller's promise; `arguments` has room for `count`.
        let found = unsafe {
            sys::napi_get_cb_info(
                env,
                info,
                &mut count,
                arguments.as_mut_ptr(),
                ptr::null_mut(),
                &mut context,
            )
        };
        if found != sys::Status::napi_ok {
            return Err(Reason::Internal.into());
        }
        // SAFETY: `init` registered every function with a `Module` that is never freed and that this thread owns.
        let module = unsafe { &*context.cast::<Module>() };
        body(&Call { env, module, arguments, count })
    }));
    let number = match outcome {
        Ok(Ok(Reply::Value(value))) => return value,
        Ok(Ok(Reply::Number(number))) => number,
        Ok(Err(refusal)) => refusal.number(),
        Err(_) => Refusal::from(Reason::Internal).number(),
    };
    let (mut value, whole) = (ptr::null_mut(), number as i32);
    // SAFETY: `env` is live. Where it fails, null is undefined, which TypeScript takes for an internal error.
    unsafe {
        if f64::from(whole) == number {
            sys::napi_create_int32(env, whole, &mut value);
        } else {
            sys::napi_create_double(env, number, &mut value);
        }
    }
    value
}

impl<const N: usize> Call<N> {
    /// The arguments from 1 to `M` as memory, the last of them optional: undefined and null are empty.
    // Inlined, so that what it found goes on in registers: a copy of the pairs waits for their stores.
    #[inline(always)]
    pub(super) fn bytes<const M: usize>(&self) -> Result<[Borrowed<'_>; M], Refusal> {
        let mut views = [None; M];
        for (at, view) in (1..).zip(&mut views) {
            if at < M || !self.is_absent(at) {
                *view = Some(self.view(at)?);
            }
        }
        let again = views.iter().flatten().any(|view| view.stale);
        let mut borrowed = [Borrowed::EMPTY; M];
        for (borrowed, view) in borrowed.iter_mut().zip(views) {
            if let Some(view) = view {
                // SAFETY: the callback is running, every argument is inspected, and no function that takes memory
                // runs JavaScript after this one; all are asked for again if one of them may have run some.
                *borrowed = unsafe { view.borrow(self.env, again) }?;
            }
        }
        Ok(borrowed)
    }

    /// The argument at `at`, inspected.
    pub(super) fn view(&self, at: usize) -> Result<View, Refusal> {
        self.module.views.inspect(self.env, self.argument(at), at)
    }

    /// The argument at `at`, whatever it is.
    pub(super) fn argument(&self, at: usize) -> sys::napi_value {
        self.arguments.get(at).copied().unwrap_or(ptr::null_mut())
    }

    fn is_absent(&self, at: usize) -> bool {
        // Whoever leaves it out saves the question.
        if at >= self.count {
            return true;
        }
        let mut kind = 0;
        // SAFETY: `env` is live and the argument a value of the running callback.
        unsafe { sys::napi_typeof(self.env, self.argument(at), &mut kind) };
        matches!(kind, sys::ValueType::napi_undefined | sys::ValueType::napi_null)
    }

    /// The argument at `at` as a whole number from 0 to 2^53.
    pub(super) fn number(&self, at: usize) -> Result<u64, Refusal> {
        let mut number = f64::NAN;
        // SAFETY: as in `is_absent`.
        unsafe { sys::napi_get_value_double(self.env, self.argument(at), &mut number) };
        if number >= 0.0 && number <= 2_f64.powi(53) && number.fract() == 0.0 {
            Ok(number as u64)
        } else {
            Err(Refusal::of(Reason::Option, at))
        }
    }

    /// The argument at `at` as a boolean.
    pub(super) fn flag(&self, at: usize) -> Result<bool, Refusal> {
        let mut flag = false;
        // SAFETY: as in `is_absent`.
        let found = unsafe { sys::napi_get_value_bool(self.env, self.argument(at), &mut flag) };
        if found == sys::Status::napi_ok { Ok(flag) } else { Err(Refusal::of(Reason::Option, at)) }
    }

    /// Argument 0 as the handle of a key, and the key lent to `body`.
    pub(super) fn with_key<T>(
        &self,
        body: impl FnOnce(&mut Key) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let handle = self.handle(0)?;
        let mut keys = self.module.keys.try_borrow_mut().map_err(|_| Reason::Internal)?;
        body(keys.get(handle).ok_or(Reason::Handle)?)
    }

    /// The argument at `at` as the handle of an arena, absent for this environment's own, and the arena lent to `body`.
    pub(super) fn with_arena<T>(
        &self,
        at: usize,
        body: impl FnOnce(&mut Arena) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.is_absent(at) {
            return body(&mut *self.module.arena.try_borrow_mut().map_err(|_| Reason::Internal)?);
        }
        let handle = self.handle(at)?;
        let mut arenas = self.module.arenas.try_borrow_mut().map_err(|_| Reason::Internal)?;
        body(arenas.get(handle).ok_or(Reason::Handle)?)
    }

    /// What the External at `at` carries. It is compared, never dereferenced.
    fn handle(&self, at: usize) -> Result<usize, Refusal> {
        let mut handle = ptr::null_mut();
        // SAFETY: as in `is_absent`.
        let found =
            unsafe { sys::napi_get_value_external(self.env, self.argument(at), &mut handle) };
        if found == sys::Status::napi_ok { Ok(handle.addr()) } else { Err(Reason::Handle.into()) }
    }

    /// An External that carries `handle` and keeps `bytes` of native memory; `collected` gets the handle and the module.
    pub(super) fn external(
        &self,
        handle: usize,
        bytes: usize,
        collected: unsafe extern "C" fn(sys::napi_env, *mut c_void, *mut c_void),
    ) -> Result<Reply, Refusal> {
        let (mut external, module) = (ptr::null_mut(), ptr::from_ref(self.module).cast_mut());
        // SAFETY: `env` is live. The handle is a number that nobody dereferences, and the module is never freed.
        let made = unsafe {
            sys::napi_create_external(
                self.env,
                ptr::without_provenance_mut(handle),
                Some(collected),
                module.cast(),
                &mut external,
            )
        };
        if made != sys::Status::napi_ok {
            return Err(Reason::Internal.into());
        }
        account_for(self.env, bytes as i64);
        Ok(Reply::Value(external))
    }
}

/// Tells the collector of memory that an External keeps, or no longer keeps.
pub(super) fn account_for(env: sys::napi_env, bytes: i64) {
    let mut all = 0;
    // SAFETY: `env` is live. It is a hint: nothing follows where it fails.
    unsafe { sys::napi_adjust_external_memory(env, bytes, &mut all) };
}
