//! How a refusal crosses into JavaScript: one negative number for the reason and the arguments.

use crate::error::Error;
use crate::key::ranges::ErrorAt;

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
    /// No handle, or that of another loading of the addon, another kind, or a removed object.
    Handle
    /// The argument is not a Uint8Array, or not an ArrayBuffer if the function expects that.
    NotBytes
    /// The argument is neither a Uint32Array nor, where a number is allowed, a number.
    NotEnds
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
    /// The argument's memory cannot be transferred: the runtime refuses, or makes a copy.
    Untransferable
    /// The job was cancelled before it began.
    Cancelled
    /// The argument is not a string, or neither a string nor a Uint8Array if both are accepted.
    NotText
    /// The string has a surrogate without its other half.
    Surrogate
    /// An authentic message is not UTF-8.
    NotUtf8
    /// The result would be longer than a string can be.
    TextTooLong
}

/// A reason, and what it is about.
#[derive(Clone, Copy)]
pub(super) struct Refusal {
    /// A position among [`Refusal::names`].
    reason: usize,
    /// The position of the argument concerned, from 0.
    argument: usize,
    /// The position of the argument that overlaps this one, or the index of an element or frame.
    detail: usize,
}

impl Refusal {
    /// The names of all reasons in the order of their numbers: [`Reason`]'s, then [`Error`]'s.
    pub(super) fn names() -> Vec<&'static str> {
        [Reason::NAMES, Error::NAMES].concat()
    }

    pub(super) fn of(reason: Reason, argument: usize) -> Self {
        Self { reason: reason as usize, argument, detail: 0 }
    }

    pub(super) fn overlap(argument: usize, other: usize) -> Self {
        Self { detail: other, ..Self::of(Reason::Overlap, argument) }
    }

    /// The same refusal, about an element of the argument.
    pub(super) fn in_element(self, index: usize) -> Self {
        Self { detail: index, ..self }
    }

    /// The same refusal, about another argument.
    pub(super) fn about(self, argument: usize) -> Self {
        Self { argument, ..self }
    }

    /// `-(1 + reason + 2^8·argument + 2^16·detail)`: exact, as an index is below 2^32.
    pub(super) fn number(self) -> f64 {
        -((1 + self.reason + (self.argument << 8) + (self.detail << 16)) as f64)
    }
}

// A reason takes eight bits of a refusal's number. The last is lib/'s own (status.cts).
const _: () = assert!(Reason::NAMES.len() + Error::NAMES.len() < 1 << 8);

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self::of(reason, 0)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { reason: Reason::NAMES.len() + error as usize, argument: 0, detail: 0 }
    }
}

impl From<ErrorAt> for Refusal {
    fn from(ErrorAt { error, index }: ErrorAt) -> Self {
        Self { detail: index, ..error.into() }
    }
}
