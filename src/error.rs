//! Every reason a call can fail, and no more.

use core::fmt;

/// Why a call failed. Nothing was written, except where a method's documentation says what was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The key is neither 16 nor 32 bytes.
    InvalidKeyLength,
    /// The nonce is not 12 bytes.
    InvalidNonceLength,
    /// The tag is not 16 bytes.
    InvalidTagLength,
    /// The message is longer than 2^36 - 32 bytes (SP 800-38D 5.2.1.1).
    MessageTooLong,
    /// The associated data is longer than 2^61 - 1 bytes (SP 800-38D 5.2.1.1).
    AadTooLong,
    /// The frame to encrypt in has no room for nonce and tag.
    FrameTooShort,
    /// The target is shorter than what is to be written.
    TargetTooShort,
    /// The key has encrypted as many messages or blocks as it may.
    EncryptionsExhausted,
    /// The key has refused as many messages as it may.
    FailuresExhausted,
    /// The message is not what was encrypted, whatever the cause.
    Authentication,
    /// The operating system gave no random bytes.
    Entropy,
    /// The key was destroyed.
    Destroyed,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidKeyLength => "the key must be 16 or 32 bytes",
            Self::InvalidNonceLength => "the nonce must be 12 bytes",
            Self::InvalidTagLength => "the tag must be 16 bytes",
            Self::MessageTooLong => "the message is longer than 2^36 - 32 bytes",
            Self::AadTooLong => "the associated data is longer than 2^61 - 1 bytes",
            Self::FrameTooShort => "the frame has no room for nonce and tag",
            Self::TargetTooShort => "the target is too short",
            Self::EncryptionsExhausted => "the key has encrypted as much as it may",
            Self::FailuresExhausted => "the key has refused as many messages as it may",
            Self::Authentication => "the message could not be authenticated",
            Self::Entropy => "the operating system gave no random bytes",
            Self::Destroyed => "the key was destroyed",
        })
    }
}

impl core::error::Error for Error {}
