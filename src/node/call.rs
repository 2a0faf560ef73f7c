//! One call from JavaScript: the wrapper that catches panics, and the value that it returns.

use super::Module;
use super::status::{Reason, Refusal};
use core::ptr;
use napi::sys;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A function as Node-API calls it.
pub(super) type Callback =
    unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

/// A call with up to `N` arguments; missing ones are undefined. `arguments` reads them.
pub(super) struct Call<const N: usize> {
    pub(super) env: sys::napi_env,
    pub(super) module: &'static Module,
    arguments: [sys::napi_value; N],
    /// The number of arguments that the caller passed.
    pub(super) count: usize,
}

/// The result of a call that was not refused.
pub(super) enum Reply {
    /// Zero or more.
    Number(f64),
    Flag(bool),
    /// A value that exists already.
    Value(sys::napi_value),
}

impl Reply {
    /// Of a function without a result.
    pub(super) const DONE: Self = Self::Number(0.0);
}

/// A reply, or why the call was refused.
pub(super) type Outcome = Result<Reply, Refusal>;

/// A `(name, callback)` pair whose callback runs `$function` inside the wrapper.
macro_rules! callback {
    ($name:literal, $function:path) => {{
        unsafe extern "C" fn callback(
            env: napi::sys::napi_env,
            info: napi::sys::napi_callback_info,
        ) -> napi::sys::napi_value {
            // SAFETY: Node-API passes a live `env` and this call's `info`; `init` registered this.
            unsafe { $crate::node::call::enter(env, info, $function) }
        }
        ($name, callback as $crate::node::call::Callback)
    }};
}
pub(super) use callback;

/// Collects the arguments, runs `body`, and turns its outcome into a value.
///
/// # Safety
/// Node-API is calling a function that `init` registered, with a live `env` and this `info`.
pub(super) unsafe fn enter<const N: usize>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    body: impl Fn(&Call<N>) -> Outcome,
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
        // SAFETY: `init` registered a `Module` that is never freed and that this thread owns.
        let module = unsafe { &*context.cast::<Module>() };
        body(&Call { env, module, arguments, count })
    }));
    // If a call of Node-API below fails, `value` stays null, which JavaScript sees as undefined.
    // That is not a number from zero on, so `lib/` throws an internal error.
    let mut value = ptr::null_mut();
    let number = match outcome {
        Ok(Ok(Reply::Value(value))) => return value,
        Ok(Ok(Reply::Flag(flag))) => {
            // SAFETY: `env` is live.
            unsafe { sys::napi_get_boolean(env, flag, &mut value) };
            return value;
        }
        Ok(Ok(Reply::Number(number))) => number,
        Ok(Err(refusal)) => refusal.number(),
        Err(_) => Refusal::from(Reason::Internal).number(),
    };
    let whole = number as i32;
    // SAFETY: `env` is live.
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
    /// The argument at position `at`, of any kind; null past `N`, which Node-API refuses.
    #[inline(always)]
    pub(super) fn argument(&self, at: usize) -> sys::napi_value {
        self.arguments.get(at).copied().unwrap_or(ptr::null_mut())
    }

    /// A string as the reply.
    pub(super) fn text(&self, text: &str) -> Outcome {
        let mut value = ptr::null_mut();
        // SAFETY: `env` is live, and `text` has as many bytes as it says.
        let made = unsafe {
            let length = text.len().cast_signed();
            sys::napi_create_string_utf8(self.env, text.as_ptr().cast(), length, &mut value)
        };
        if made == sys::Status::napi_ok {
            Ok(Reply::Value(value))
        } else {
            Err(Reason::Internal.into())
        }
    }
}
