//! Arguments by specification: a function lists the arguments it takes, and gets all at once.
//!
//! `call.take((KEY, Bytes, OptionalBytes))?` makes two passes, as `bytes` requires: every argument
//! is inspected before the first one is borrowed.
//!
//! A new kind of argument is a type that implements `Argument` if it borrows memory, and otherwise
//! `Scalar` (scalars.rs). `inspect` may run JavaScript. If so, `may_have_moved_memory` returns
//! true, and `borrow` looks up the memory of every argument again. `borrow` runs no JavaScript.

use super::bytes::{Borrowed, View};
use super::call::Call;
use super::memory;
use super::scalars::{Scalar, is_nullish, kind_of};
use super::status::{Reason, Refusal};
use napi::sys;

/// The specification of one argument.
pub(super) trait Argument {
    /// The result of the first pass.
    type Inspected;
    /// The value that the function gets.
    type Taken<'call>;

    /// The first pass: refuses a value of the wrong kind.
    fn inspect<const N: usize>(
        &self,
        call: &Call<N>,
        at: usize,
    ) -> Result<Self::Inspected, Refusal>;

    /// Whether inspecting this argument may have moved or detached the memory of any argument.
    #[inline(always)]
    fn may_have_moved_memory<const N: usize>(_: &Self::Inspected, _: &Call<N>) -> bool {
        false
    }

    /// The second pass. Runs no JavaScript.
    ///
    /// # Safety
    /// Every argument of the call was inspected, and `again` is true if inspecting one may have
    /// moved memory. The callback is running, and runs no JavaScript during `'call`.
    unsafe fn borrow<'call>(
        inspected: Self::Inspected,
        env: sys::napi_env,
        again: bool,
        at: usize,
    ) -> Result<Self::Taken<'call>, Refusal>;
}

/// The arguments of a function, from the first to the last.
pub(super) trait Arguments<const N: usize> {
    type Taken<'call>;

    fn take(self, call: &Call<N>) -> Result<Self::Taken<'_>, Refusal>;
}

impl<const N: usize> Call<N> {
    /// All arguments, as `specification` says. A function calls this once, and runs no JavaScript
    /// afterwards if it takes bytes.
    // Inlined, so that inspected views stay in registers (see `View`).
    #[inline(always)]
    pub(super) fn take<'call, A: Arguments<N>>(
        &'call self,
        specification: A,
    ) -> Result<A::Taken<'call>, Refusal> {
        specification.take(self)
    }
}

macro_rules! arguments {
    ($($count:literal: $($argument:ident $inspected:ident $at:tt),+;)+) => {
        $(impl<$($argument: Argument),+> Arguments<$count> for ($($argument,)+) {
            type Taken<'call> = ($($argument::Taken<'call>,)+);

            #[inline(always)]
            fn take(self, call: &Call<$count>) -> Result<Self::Taken<'_>, Refusal> {
                $(let $inspected = self.$at.inspect(call, $at)?;)+
                let again = false $(|| $argument::may_have_moved_memory(&$inspected, call))+;
                // SAFETY: the callback is running, and every argument was inspected above.
                // Functions that take bytes run no JavaScript from here on.
                Ok(unsafe { ($($argument::borrow($inspected, call.env, again, $at)?,)+) })
            }
        })+
    };
}

// The numbers of arguments in use; 2 is that of `fault`.
arguments! {
    1: A a 0;
    2: A a 0, B b 1;
    3: A a 0, B b 1, C c 2;
    4: A a 0, B b 1, C c 2, D d 3;
    5: A a 0, B b 1, C c 2, D d 3, E e 4;
    6: A a 0, B b 1, C c 2, D d 3, E e 4, F f 5;
    7: A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6;
    8: A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7;
    9: A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7, I i 8;
    // The last one takes the remaining arguments.
    6: A a 0, B b 1, C c 2, D d 3;
}

/// A Uint8Array.
pub(super) struct Bytes;

impl Argument for Bytes {
    type Inspected = View;
    type Taken<'call> = Borrowed<'call>;

    #[inline(always)]
    fn inspect<const N: usize>(&self, call: &Call<N>, at: usize) -> Result<View, Refusal> {
        let inspected = call.module.views.inspect(call.env, call.argument(at));
        inspected.map_err(|reason| Refusal::of(reason, at))
    }

    #[inline(always)]
    fn may_have_moved_memory<const N: usize>(view: &View, call: &Call<N>) -> bool {
        call.module.views.may_have_moved_memory(view)
    }

    #[inline(always)]
    unsafe fn borrow<'call>(
        view: View,
        env: sys::napi_env,
        again: bool,
        at: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        // SAFETY: the caller's promise.
        unsafe { view.borrow(env, again, at) }
    }
}

/// A Uint8Array; undefined, null or missing for no bytes.
pub(super) struct OptionalBytes;

impl Argument for OptionalBytes {
    type Inspected = Option<View>;
    type Taken<'call> = Borrowed<'call>;

    #[inline(always)]
    fn inspect<const N: usize>(&self, call: &Call<N>, at: usize) -> Result<Option<View>, Refusal> {
        // A missing argument needs no call of Node-API.
        if at >= call.count || is_nullish(call.env, call.argument(at)) {
            return Ok(None);
        }
        Bytes.inspect(call, at).map(Some)
    }

    #[inline(always)]
    fn may_have_moved_memory<const N: usize>(view: &Option<View>, call: &Call<N>) -> bool {
        view.is_some_and(|view| call.module.views.may_have_moved_memory(&view))
    }

    #[inline(always)]
    unsafe fn borrow<'call>(
        view: Option<View>,
        env: sys::napi_env,
        again: bool,
        at: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        match view {
            // SAFETY: the caller's promise.
            Some(view) => unsafe { view.borrow(env, again, at) },
            None => Ok(Borrowed::EMPTY),
        }
    }
}

/// Additional data: a string, a Uint8Array, or undefined, null or missing for no bytes.
pub(super) struct TextOrBytes;

/// A string to be read later, or borrowed bytes.
pub(super) enum Aad<'call> {
    Text(sys::napi_value),
    Bytes(Borrowed<'call>),
}

/// As `Aad`, inspected.
pub(super) enum InspectedAad {
    Text(sys::napi_value),
    Bytes(Option<View>),
}

impl Argument for TextOrBytes {
    type Inspected = InspectedAad;
    type Taken<'call> = Aad<'call>;

    #[inline(always)]
    fn inspect<const N: usize>(&self, call: &Call<N>, at: usize) -> Result<InspectedAad, Refusal> {
        if at >= call.count {
            return Ok(InspectedAad::Bytes(None));
        }
        match kind_of(call.env, call.argument(at)) {
            sys::ValueType::napi_string => Ok(InspectedAad::Text(call.argument(at))),
            sys::ValueType::napi_undefined | sys::ValueType::napi_null => {
                Ok(InspectedAad::Bytes(None))
            }
            _ => {
                let view = call.module.views.inspect(call.env, call.argument(at));
                let view = view.map_err(|reason| match reason {
                    Reason::NotBytes => Refusal::of(Reason::NotText, at),
                    other => Refusal::of(other, at),
                })?;
                Ok(InspectedAad::Bytes(Some(view)))
            }
        }
    }

    #[inline(always)]
    fn may_have_moved_memory<const N: usize>(aad: &InspectedAad, call: &Call<N>) -> bool {
        matches!(aad, InspectedAad::Bytes(Some(view)) if call.module.views.may_have_moved_memory(view))
    }

    #[inline(always)]
    unsafe fn borrow<'call>(
        aad: InspectedAad,
        env: sys::napi_env,
        again: bool,
        at: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        match aad {
            InspectedAad::Text(value) => Ok(Aad::Text(value)),
            InspectedAad::Bytes(None) => Ok(Aad::Bytes(Borrowed::EMPTY)),
            InspectedAad::Bytes(Some(view)) => {
                // SAFETY: the caller's promise.
                let borrowed = unsafe { view.borrow(env, again, at) };
                borrowed.map(Aad::Bytes)
            }
        }
    }
}

/// An ArrayBuffer that is neither shared nor detached: all of its memory.
pub(super) struct Memory;

impl Argument for Memory {
    type Inspected = sys::napi_value;
    type Taken<'call> = Borrowed<'call>;

    fn inspect<const N: usize>(
        &self,
        call: &Call<N>,
        at: usize,
    ) -> Result<sys::napi_value, Refusal> {
        let value = call.argument(at);
        memory::inspect_memory(call.env, value).map_err(|reason| Refusal::of(reason, at))?;
        Ok(value)
    }

    unsafe fn borrow<'call>(
        value: sys::napi_value,
        env: sys::napi_env,
        _: bool,
        at: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        // SAFETY: the caller's promise.
        unsafe { Borrowed::whole(env, value, at) }
    }
}

impl<P: Scalar> Argument for P {
    type Inspected = P::Value;
    type Taken<'call> = P::Value;

    #[inline(always)]
    fn inspect<const N: usize>(&self, call: &Call<N>, at: usize) -> Result<P::Value, Refusal> {
        self.read(call.env, call.argument(at)).map_err(|reason| Refusal::of(reason, at))
    }

    #[inline(always)]
    unsafe fn borrow<'call>(
        value: P::Value,
        _: sys::napi_env,
        _: bool,
        _: usize,
    ) -> Result<Self::Taken<'call>, Refusal> {
        Ok(value)
    }
}
