//! How a refusal crosses into JavaScript: one negative number that names the reason and the arguments concerned.

use crate::error::Error;

macro_rules! reasons {
    ($($(#[$doc:meta])+ $reason:ident)+) => {
        /// Why the boundary refused a call. The reasons of the core are those of [`Error`].
        #[derive(Clone, Copy)]
        pub(super) enum Reason { $($(#[$doc])+ $reason),+ }

        impl Reason {
            const NAMES: &[&str] = &[$(stringify!($reason)),+];
        }
    };
}

reasons! {
    /// A panic was caught, or Node-API broke a promise.
    Internal
    /// The value is not a handle, or is the handle of another loading of the addon, another kind, or a removed object.
    Handle
    /// The argument is not a Uint8Array.
    NotBytes
    /// The argument lies on a SharedArrayBuffer.
    Shared
    /// The argument's buffer was detached, or shrank so that the argument lies outside.
    Detached
    /// The call would write the argument, which has bytes in common with the other argument.
    Overlap
    /// The argument is a number or flag of the wrong kind, or out of range.
    Option
    /// The table has no handle for another object.
    Full
    /// The backend exists and does not run on this CPU.
    BackendUnavailable
}

/// A reason, and the positions of the arguments concerned, from 0.
#[derive(Clone, Copy)]
pub(super) struct Refusal {
    /// A position among [`Refusal::names`].
    reason: usize,
    argument: usize,
    other: usize,
}

impl Refusal {
    /// The names of all reasons in the order of their numbers: those of [`Reason`], then those of [`Error`].
    pub(super) fn names() -> Vec<&'static str> {
        [Reason::NAMES, Error::NAMES].concat()
    }

    pub(super) fn of(reason: Reason, argument: usize) -> Self {
        Self { reason: reason as usize, argument, other: 0 }
    }

    pub(super) fn overlap(argument: usize, other: usize) -> Self {
        Self { other, ..Self::of(Reason::Overlap, argument) }
    }

    /// `-(1 + reason + 2^8·argument + 2^16·other)`.
    pub(super) fn number(self) -> f64 {
        -((1 + self.reason + (self.argument << 8) + (self.other << 16)) as f64)
    }
}

// A reason takes eight bits of a refusal's number.
const _: () = assert!(Reason::NAMES.len() + Error::NAMES.len() <= 1 << 8);

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self::of(reason, 0)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { reason: Reason::NAMES.len() + error as usize, argument: 0, other: 0 }
    }
}
