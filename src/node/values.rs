//! Values of JavaScript that outlive a callback, and calls of JavaScript's functions.

use super::status::{Reason, Refusal};
use core::ptr;
use napi::sys;

/// A strong reference.
pub(super) fn reference(
    env: sys::napi_env,
    value: sys::napi_value,
) -> Result<sys::napi_ref, Refusal> {
    let mut reference = ptr::null_mut();
    // SAFETY: `env` is live and `value` a value of the running callback.
    let made = unsafe { sys::napi_create_reference(env, value, 1, &mut reference) };
    if made == sys::Status::napi_ok { Ok(reference) } else { Err(Reason::Internal.into()) }
}

/// The value of a strong reference.
pub(super) fn value_of(env: sys::napi_env, reference: sys::napi_ref) -> Option<sys::napi_value> {
    let mut value = ptr::null_mut();
    if reference.is_null() {
        return None;
    }
    // SAFETY: `env` is live, and `reference` is one of its references.
    let found = unsafe { sys::napi_get_reference_value(env, reference, &mut value) };
    (found == sys::Status::napi_ok && !value.is_null()).then_some(value)
}

/// The result of a function; `None` if it threw, or if JavaScript cannot run any more. The
/// exception stays pending, so that the caller of the running callback gets it.
pub(super) fn call_function(
    env: sys::napi_env,
    function: sys::napi_value,
    values: &[sys::napi_value],
) -> Option<sys::napi_value> {
    let (mut receiver, mut result) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: `env` is live, and the values belong to the running callback.
    let called = unsafe {
        sys::napi_get_undefined(env, &mut receiver) == sys::Status::napi_ok
            && sys::napi_call_function(
                env,
                receiver,
                function,
                values.len(),
                values.as_ptr(),
                &mut result,
            ) == sys::Status::napi_ok
    };
    (called && !result.is_null()).then_some(result)
}
