//! Every reason a call can fail, and no more.

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
    /// The operating system gave no memory for keys.
    NoMemory,
    /// This CPU has the instructions of no backend.
    UnsupportedCpu,
    /// Every place of the arena is taken.
    ArenaFull,
    /// The arena was destroyed.
    ArenaDestroyed,
    /// A sequence number does not come after the one before.
    SequenceReused,
    /// The key was destroyed.
    Destroyed,
}
