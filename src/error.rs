//! Every reason why a call can fail.

macro_rules! errors {
    ($($(#[$doc:meta])+ $name:ident)+) => {
        /// Why a call failed. Memory is as before the call, unless a method says otherwise.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Error { $($(#[$doc])+ $name),+ }

        impl Error {
            /// The names of all errors, in order. TypeScript knows an error by its name.
            pub const NAMES: &[&str] = &[$(stringify!($name)),+];
        }
    };
}

errors! {
    /// The key is neither 16 nor 32 bytes.
    InvalidKeyLength
    /// The nonce is not 12 bytes.
    InvalidNonceLength
    /// The tag is not 16 bytes.
    InvalidTagLength
    /// The message is longer than 2^36 - 32 bytes (SP 800-38D 5.2.1.1).
    MessageTooLong
    /// The associated data is longer than 2^61 - 1 bytes (SP 800-38D 5.2.1.1).
    AadTooLong
    /// The frame to encrypt in is too short for nonce and tag.
    FrameTooShort
    /// The end of a range of a batch comes before that of the range before it.
    EndDescends
    /// The end of a range of a batch lies past the memory.
    EndOutside
    /// A batch has more than 2^32 - 1 frames.
    TooManyFrames
    /// A batch does not have a range of associated data for each frame.
    AadCount
    /// The target is shorter than the output.
    TargetTooShort
    /// The key has reached its limit of encrypted messages or blocks.
    EncryptionsExhausted
    /// The key has reached its limit of refused messages.
    FailuresExhausted
    /// The message does not match its tag, for any cause.
    Authentication
    /// The operating system returned no random bytes.
    Entropy
    /// The system had no memory for keys, a generator or the AAD, a slot is too short, or a fixed
    /// arena has no keys or too many.
    NoMemory
    /// This CPU has the instructions of no backend.
    UnsupportedCpu
    /// Every place of the arena is in use, or its places are too small.
    ArenaFull
    /// The arena was destroyed.
    ArenaDestroyed
    /// A sequence number is not greater than the last one used.
    SequenceReused
    /// The numbers of a run of packets exceed 2^53 - 1.
    NumberTooLarge
    /// The header of a packet has no place for its first byte and its packet number.
    HeaderTooShort
    /// Packet number and payload have fewer than four bytes together: no sample for a mask.
    PacketTooShort
    /// The packet is longer than 65 535 bytes.
    PacketTooLong
    /// The bytes of a run of chunks are not whole chunks and, if announced, a shorter last one.
    PartialChunk
    /// A message would have more than 2^38 chunks.
    TooManyChunks
    /// The secret to split is neither 16 nor 32 bytes, or not 32 bytes in a form that has 32.
    InvalidSecretLength
    /// The threshold is 0 or larger than the number of shares.
    ThresholdAboveShares
    /// A share is malformed, or its point is 0.
    InvalidShare
    /// Two shares have the same point.
    DuplicateShare
    /// A share belongs to another secret than the first one.
    MixedShares
    /// There are fewer shares than the threshold.
    TooFewShares
    /// There are more than 255 shares.
    TooManyShares
    /// Shares above the threshold contradict the others.
    SharesDisagree
    /// The text of a share has a character that is no digit, or bits after its end.
    InvalidText
    /// The key was destroyed.
    Destroyed
}
