//! What one key object may do, and what it has done.

use crate::error::Error;

/// Longest message: 2^39 - 256 bits (SP 800-38D 5.2.1.1; RFC 5116 is off by one).
pub const MAX_MESSAGE_BYTES: u64 = (1 << 36) - 32;
/// Longest associated data: 2^64 - 1 bits, in whole bytes (SP 800-38D 5.2.1.1).
pub const MAX_AAD_BYTES: u64 = (1 << 61) - 1;
/// Most frames under one key, and the default of [`Limits`]: SP 800-38D 8.3.
pub const MAX_MESSAGES: u64 = 1 << 32;
/// Most blocks under one key: at 2^48 the advantage of telling GCM from random is about 2^-33.
pub const MAX_BLOCKS: u64 = 1 << 48;

// The counter of a message's last block fits in 32 bits: it starts at 2 (SP 800-38D 7.1 steps 2 and 3).
const _: () = assert!(MAX_MESSAGE_BYTES / 16 == (1 << 32) - 2);

/// What one key object may do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Frames it may encrypt.
    pub messages: u64,
    /// Messages it may refuse.
    pub failures: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { messages: MAX_MESSAGES, failures: MAX_MESSAGES }
    }
}

/// What one key object has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames encrypted.
    pub messages: u64,
    /// Bytes of plaintext encrypted, in frames and detached.
    pub bytes: u64,
    /// Cipher blocks spent on encryption, one for the tag of each message included.
    pub blocks: u64,
    /// Messages refused.
    pub failures: u64,
}

/// The counts but for messages, which are the nonces taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) bytes: u64,
    pub(crate) blocks: u64,
    pub(crate) failures: u64,
}

impl Spent {
    /// The counts after one more encryption, where the limits allow it.
    pub(crate) fn with(self, text: usize, aad: usize) -> Result<Self, Error> {
        check_lengths(text, aad)?;
        let blocks = (text as u64).div_ceil(16).saturating_add(1).saturating_add(self.blocks);
        if blocks > MAX_BLOCKS {
            return Err(Error::EncryptionsExhausted);
        }
        Ok(Self { blocks, bytes: self.bytes.saturating_add(text as u64), ..self })
    }
}

/// The lengths of SP 800-38D 5.2.1.1.
pub(crate) fn check_lengths(text: usize, aad: usize) -> Result<(), Error> {
    if text as u64 > MAX_MESSAGE_BYTES {
        return Err(Error::MessageTooLong);
    }
    if aad as u64 > MAX_AAD_BYTES {
        return Err(Error::AadTooLong);
    }
    Ok(())
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use crate::error::Error;
    use crate::limits::{MAX_AAD_BYTES, MAX_BLOCKS, MAX_MESSAGE_BYTES, Spent};

    #[test]
    fn lengths_and_blocks_stop_at_their_limits() {
        let (text, aad) = (MAX_MESSAGE_BYTES as usize, MAX_AAD_BYTES as usize);
        let fresh = Spent::default();
        assert_eq!(fresh.with(text, aad).map(|spent| spent.blocks), Ok((1 << 32) - 1));
        assert_eq!(fresh.with(text + 1, 0), Err(Error::MessageTooLong));
        assert_eq!(fresh.with(0, aad + 1), Err(Error::AadTooLong));
        let spent = Spent { blocks: MAX_BLOCKS - 2, ..fresh };
        assert_eq!(spent.with(16, 0).map(|spent| spent.blocks), Ok(MAX_BLOCKS));
        assert_eq!(spent.with(17, 0), Err(Error::EncryptionsExhausted));
    }
}
