//! The short way of one loading: the slate, and the functions that take no handle, because the key
//! is on the slate. `validateWith` returns them to the first caller. They are no exports: other
//! code that requires the addon could use the key of the last call.

use super::call::{Call, Callback, Outcome, Reply, callback};
use super::scalars::{Any, Function, Optional};
use super::{Module, sealed, sealed_short, sealed_text, slate};
use core::ptr;
use napi::sys;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[callback!("validateWith", validate_with)];

/// `validateWith(method, transfer)`: from now on uses this `%TypedArray%.prototype.at`, which the
/// caller saved, and `transfer`, which `jobs` describes. Accepted once. No `transfer`, no jobs.
/// Returns the short way, if this runtime can have a slate: an object with the slate, an
/// Int32Array, as `words`, and the functions.
fn validate_with(call: &Call<2>) -> Outcome {
    let (method, transfer) = call.take((Any, Optional(Function)))?;
    call.module.views.validate_with(call.env, method)?;
    if let Some(transfer) = transfer {
        call.module.jobs.transfer_with(call.env, transfer)?;
    }
    Ok(short_way(call.env, call.module).map_or(Reply::DONE, Reply::Value))
}

/// The slate and the functions, as an object's own properties: no setter of a prototype runs.
fn short_way(env: sys::napi_env, module: &'static Module) -> Option<sys::napi_value> {
    let words = module.slate.array(env)?;
    let context = ptr::from_ref(module).cast_mut().cast();
    let functions = [slate::SHORT, sealed::SHORT, sealed_short::SHORT, sealed_text::SHORT];
    let mut properties = vec![property(env, "words", words, None, context)?];
    for (name, callback) in functions.into_iter().flatten() {
        properties.push(property(env, name, ptr::null_mut(), Some(*callback), context)?);
    }
    let mut object = ptr::null_mut();
    // SAFETY: `env` is live; `properties` has as many as it says, and `init` never frees `context`.
    let made = unsafe {
        let (count, all) = (properties.len(), properties.as_ptr());
        sys::napi_create_object(env, &mut object) == sys::Status::napi_ok
            && sys::napi_define_properties(env, object, count, all) == sys::Status::napi_ok
    };
    made.then_some(object)
}

/// A property with this value or method.
fn property(
    env: sys::napi_env,
    name: &str,
    value: sys::napi_value,
    method: sys::napi_callback,
    context: *mut core::ffi::c_void,
) -> Option<sys::napi_property_descriptor> {
    let mut key = ptr::null_mut();
    // SAFETY: `env` is live, and `name` has as many bytes as it says.
    let made = unsafe {
        let length = name.len().cast_signed();
        sys::napi_create_string_utf8(env, name.as_ptr().cast(), length, &mut key)
    };
    (made == sys::Status::napi_ok).then_some(sys::napi_property_descriptor {
        utf8name: ptr::null(),
        name: key,
        method,
        getter: None,
        setter: None,
        value,
        attributes: sys::PropertyAttributes::enumerable,
        data: context,
    })
}
