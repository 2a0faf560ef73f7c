//! Arguments that borrow no memory: handles, numbers, flags, strings, functions, and any value.

use super::object::OwnArena;
use super::objects::Handle;
use super::status::Reason;
use crate::key::any::AnyKey;
use crate::protocol::chunks::Chunks;
use crate::protocol::packet::Protection;
use crate::protocol::sealed::{NO_PREFIX, PREFIX_BYTES};
use core::marker::PhantomData;
use core::ops::RangeInclusive;
use core::ptr;
use napi::sys;

/// An argument that borrows no memory: the first pass of `arguments` reads all of it.
pub(super) trait Scalar {
    type Value;

    /// Reads the argument, or refuses it.
    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<Self::Value, Reason>;
}

/// The handle of an object of the kind `K`. `Objects::lend` checks whether there is such an object.
pub(super) struct HandleOf<K>(PhantomData<K>);

pub(super) const KEY: HandleOf<AnyKey> = HandleOf(PhantomData);
pub(super) const ARENA: HandleOf<OwnArena> = HandleOf(PhantomData);
pub(super) const CHUNKS: HandleOf<Chunks> = HandleOf(PhantomData);
pub(super) const PACKETS: HandleOf<Protection> = HandleOf(PhantomData);

impl<K> Scalar for HandleOf<K> {
    type Value = Handle<K>;

    #[inline(always)]
    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<Handle<K>, Reason> {
        let mut number = ptr::null_mut();
        // SAFETY: `env` is live and `value` of the running callback. A number, never dereferenced.
        let found = unsafe { sys::napi_get_value_external(env, value, &mut number) };
        if found == sys::Status::napi_ok {
            Ok(Handle::new(number.addr()))
        } else {
            Err(Reason::Handle)
        }
    }
}

/// An argument as `P` reads it; `None` for undefined, null or a missing argument.
pub(super) struct Optional<P>(pub(super) P);

impl<P: Scalar> Scalar for Optional<P> {
    type Value = Option<P::Value>;

    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<Self::Value, Reason> {
        if is_nullish(env, value) { Ok(None) } else { self.0.read(env, value).map(Some) }
    }
}

/// A whole number within these bounds; the upper bound is at most 2^53.
pub(super) struct Whole(pub(super) RangeInclusive<u64>);

impl Scalar for Whole {
    type Value = u64;

    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<u64, Reason> {
        let mut number = f64::NAN;
        // SAFETY: `env` is live and `value` a value of the running callback.
        unsafe { sys::napi_get_value_double(env, value, &mut number) };
        // Through a signed number, whose conversions take the CPU one instruction each.
        let signed = number as i64;
        let whole = signed.cast_unsigned();
        if signed as f64 == number && self.0.contains(&whole) {
            Ok(whole)
        } else {
            Err(Reason::Option)
        }
    }
}

/// The prefix of a sealed value: its bytes as a number, or the number for none.
pub(super) const PREFIX: Whole = Whole(0..=NO_PREFIX);
/// The length of a prefix.
pub(super) const SKIP: Whole = Whole(0..=PREFIX_BYTES as u64);

/// A boolean.
pub(super) struct Flag;

impl Scalar for Flag {
    type Value = bool;

    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<bool, Reason> {
        let mut flag = false;
        // SAFETY: `env` is live and `value` a value of the running callback.
        let found = unsafe { sys::napi_get_value_bool(env, value, &mut flag) };
        if found == sys::Status::napi_ok { Ok(flag) } else { Err(Reason::Option) }
    }
}

/// Any value.
pub(super) struct Any;

impl Scalar for Any {
    type Value = sys::napi_value;

    fn read(&self, _: sys::napi_env, value: sys::napi_value) -> Result<sys::napi_value, Reason> {
        Ok(value)
    }
}

/// A string.
pub(super) struct JsString;

impl Scalar for JsString {
    type Value = sys::napi_value;

    #[inline(always)]
    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<sys::napi_value, Reason> {
        match kind_of(env, value) {
            sys::ValueType::napi_string => Ok(value),
            _ => Err(Reason::NotText),
        }
    }
}

/// A function.
pub(super) struct Function;

impl Scalar for Function {
    type Value = sys::napi_value;

    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<sys::napi_value, Reason> {
        match kind_of(env, value) {
            sys::ValueType::napi_function => Ok(value),
            _ => Err(Reason::Option),
        }
    }
}

/// Whether a value is undefined or null.
#[inline(always)]
pub(super) fn is_nullish(env: sys::napi_env, value: sys::napi_value) -> bool {
    matches!(kind_of(env, value), sys::ValueType::napi_undefined | sys::ValueType::napi_null)
}

/// The type of a value.
#[inline(always)]
pub(super) fn kind_of(env: sys::napi_env, value: sys::napi_value) -> sys::napi_valuetype {
    let mut kind = 0;
    // SAFETY: `env` is live and `value` a value of the running callback.
    unsafe { sys::napi_typeof(env, value, &mut kind) };
    kind
}
