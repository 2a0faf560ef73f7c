//! How a refusal crosses into JavaScript: one negative number that names the reason and the arguments concerned.

use crate::error::Error;

macro_rules! reasons {
    ($($(#[$doc:meta])+ $reason:ident)+) => {
        /// Why a call was refused.
        #[derive(Clone, Copy)]
        pub(super) enum Reason { $($(#[$doc])+ $reason),+ }

        impl Reason {
            /// The names in order: TypeScript knows a reason by its name.
            pub(super) const NAMES: &[&str] = &[$(stringify!($reason)),+];
        }
    };
}

reasons! {
    /// A panic was caught, or a promise of Node-API's did not hold.
    Internal
    /// The handle is no handle, is of another loading of the addon, or is stale.
    Handle
    /// The argument is no Uint8Array.
    NotBytes
    /// The argument lies on a SharedArrayBuffer.
    Shared
    /// The argument's buffer was detached, or has shrunk away under it.
    Detached
    /// The argument is written and overlaps the second one.
    Overlap
    /// The argument is a number or flag of the wrong kind.
    Option
    /// As many keys are alive as there are handles.
    Full
    /// No backend runs on this CPU.
    UnsupportedCpu
    /// The backend exists and does not run on this CPU.
    BackendUnavailable
    /// See [`Error::InvalidKeyLength`].
    InvalidKeyLength
    /// See [`Error::InvalidNonceLength`].
    InvalidNonceLength
    /// See [`Error::InvalidTagLength`].
    InvalidTagLength
    /// See [`Error::MessageTooLong`].
    MessageTooLong
    /// See [`Error::AadTooLong`].
    AadTooLong
    /// See [`Error::FrameTooShort`].
    FrameTooShort
    /// See [`Error::TargetTooShort`].
    TargetTooShort
    /// See [`Error::EncryptionsExhausted`].
    EncryptionsExhausted
    /// See [`Error::FailuresExhausted`].
    FailuresExhausted
    /// See [`Error::Authentication`].
    Authentication
    /// See [`Error::Entropy`].
    Entropy
    /// See [`Error::NoMemory`].
    ArenaMemory
    /// See [`Error::ArenaFull`].
    ArenaFull
    /// See [`Error::ArenaDestroyed`].
    ArenaDestroyed
    /// See [`Error::Destroyed`].
    Destroyed
}

impl From<Error> for Reason {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidKeyLength => Self::InvalidKeyLength,
            Error::InvalidNonceLength => Self::InvalidNonceLength,
            Error::InvalidTagLength => Self::InvalidTagLength,
            Error::MessageTooLong => Self::MessageTooLong,
            Error::AadTooLong => Self::AadTooLong,
            Error::FrameTooShort => Self::FrameTooShort,
            Error::TargetTooShort => Self::TargetTooShort,
            Error::EncryptionsExhausted => Self::EncryptionsExhausted,
            Error::FailuresExhausted => Self::FailuresExhausted,
            Error::Authentication => Self::Authentication,
            Error::Entropy => Self::Entropy,
            Error::NoMemory => Self::ArenaMemory,
            Error::UnsupportedCpu => Self::UnsupportedCpu,
            Error::ArenaFull => Self::ArenaFull,
            Error::ArenaDestroyed => Self::ArenaDestroyed,
            // No function here takes a sequence number.
            Error::SequenceReused => Self::Internal,
            Error::Destroyed => Self::Destroyed,
        }
    }
}

/// A reason, and the positions of the arguments concerned (the handle is argument 0).
#[derive(Clone, Copy)]
pub(super) struct Refusal {
    reason: Reason,
    argument: usize,
    other: usize,
}

impl Refusal {
    pub(super) fn of(reason: Reason, argument: usize) -> Self {
        Self { reason, argument, other: 0 }
    }

    pub(super) fn overlap(argument: usize, other: usize) -> Self {
        Self { reason: Reason::Overlap, argument, other }
    }

    /// `-(1 + reason + 2^8·argument + 2^16·other)`.
    pub(super) fn number(self) -> f64 {
        -((1 + self.reason as usize + (self.argument << 8) + (self.other << 16)) as f64)
    }
}

impl<T: Into<Reason>> From<T> for Refusal {
    fn from(reason: T) -> Self {
        Self::of(reason.into(), 0)
    }
}
