//! The ledger of one key object: its limits, and the counts that the limits apply to.

use crate::error::Error;

/// Longest message: 2^39 - 256 bits, in bytes (SP 800-38D 5.2.1.1; RFC 5116 5.1 allows one byte more).
pub const MAX_MESSAGE_BYTES: u64 = (1 << 36) - 32;
/// Longest associated data: 2^64 - 1 bits, rounded down to bytes (SP 800-38D 5.2.1.1).
pub const MAX_AAD_BYTES: u64 = (1 << 61) - 1;
/// Most frames under one key (SP 800-38D 8.3). Also the highest value and the default of both [`Limits`]; 8.3 does not limit
/// failures.
pub const MAX_MESSAGES: u64 = 1 << 32;
/// Most blocks of one key object. After 2^48 blocks, the advantage in telling the output from random bits is about 2^-33.
pub const MAX_BLOCKS: u64 = 1 << 48;

// Counters of a message start at 2 (SP 800-38D 7.1 steps 2 and 3): that of the longest message's last block is 2^32 - 1.
const _: () = assert!(MAX_MESSAGE_BYTES / 16 == (1 << 32) - 2);

/// The limits that a caller may choose for one key object.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Frames that the key may encrypt.
    pub messages: u64,
    /// Failed decryptions after which the key refuses to decrypt.
    pub failures: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { messages: MAX_MESSAGES, failures: MAX_MESSAGES }
    }
}

/// The counts of one key object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames encrypted.
    pub messages: u64,
    /// Bytes of plaintext encrypted, in frames and detached.
    pub bytes: u64,
    /// Cipher blocks of encryptions, including one for the tag of each message.
    pub blocks: u64,
    /// Failed decryptions.
    pub failures: u64,
}

/// Limits and counts of one key object, except the number of frames, which is the number of nonces taken.
pub(super) struct Ledger {
    limits: Limits,
    pub(super) encrypted: Encrypted,
    failures: u64,
}

/// Plaintext encrypted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Encrypted {
    bytes: u64,
    blocks: u64,
}

impl Ledger {
    /// An empty ledger. Limits above [`MAX_MESSAGES`] are lowered to [`MAX_MESSAGES`].
    pub(super) fn new(limits: Limits) -> Self {
        let limits = Limits {
            messages: limits.messages.min(MAX_MESSAGES),
            failures: limits.failures.min(MAX_MESSAGES),
        };
        Self { limits, encrypted: Encrypted::default(), failures: 0 }
    }

    /// [`Error::EncryptionsExhausted`] if `frames`, the number of frames so far, has reached the limit.
    pub(super) fn allow_frame(&self, frames: u64) -> Result<(), Error> {
        self.allow_frames(frames, 1)
    }

    /// [`Error::EncryptionsExhausted`] if `more` frames after the `frames` so far would exceed the limit.
    pub(super) fn allow_frames(&self, frames: u64, more: u64) -> Result<(), Error> {
        let allowed = frames.checked_add(more).is_some_and(|all| all <= self.limits.messages);
        if allowed { Ok(()) } else { Err(Error::EncryptionsExhausted) }
    }

    /// [`Error::FailuresExhausted`] if the number of failed decryptions has reached the limit.
    pub(super) fn allow_decryption(&self) -> Result<(), Error> {
        if self.failures < self.limits.failures { Ok(()) } else { Err(Error::FailuresExhausted) }
    }

    /// Counts a failed decryption, and returns [`Error::Authentication`]. At the limit, only returns
    /// [`Error::FailuresExhausted`]: short frames come here without `allow_decryption`.
    pub(super) fn failure(&mut self) -> Error {
        if let Err(exhausted) = self.allow_decryption() {
            return exhausted;
        }
        self.failures = self.failures.saturating_add(1);
        Error::Authentication
    }

    /// All counts; `frames` is the number of frames so far.
    pub(super) fn counts(&self, frames: u64) -> Counts {
        let Encrypted { bytes, blocks } = self.encrypted;
        Counts { messages: frames, bytes, blocks, failures: self.failures }
    }
}

impl Encrypted {
    /// The sums after one more encryption, of `text` and `aad` bytes.
    ///
    /// # Errors
    /// Those of [`check_lengths`]; [`Error::EncryptionsExhausted`] if the blocks would exceed [`MAX_BLOCKS`].
    pub(super) fn plus(self, text: usize, aad: usize) -> Result<Self, Error> {
        self.plus_messages(1, text, aad)
    }

    /// The sums after `count` more encryptions, each of `text` and at most `aad` bytes.
    ///
    /// # Errors
    /// As [`plus`](Self::plus).
    #[inline(always)]
    pub(super) fn plus_messages(
        self,
        count: usize,
        text: usize,
        aad: usize,
    ) -> Result<Self, Error> {
        check_lengths(text, aad)?;
        let (count, text) = (count as u64, text as u64);
        let blocks = text.div_ceil(16).saturating_add(1).saturating_mul(count);
        let blocks = blocks.saturating_add(self.blocks);
        if blocks > MAX_BLOCKS {
            return Err(Error::EncryptionsExhausted);
        }
        Ok(Self { blocks, bytes: self.bytes.saturating_add(text.saturating_mul(count)) })
    }
}

/// [`Error::MessageTooLong`] or [`Error::AadTooLong`] for lengths above those of SP 800-38D 5.2.1.1.
pub(super) fn check_lengths(text: usize, aad: usize) -> Result<(), Error> {
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
    use super::{Encrypted, MAX_AAD_BYTES, MAX_BLOCKS, MAX_MESSAGE_BYTES};
    use crate::backend::Cpu;
    use crate::error::Error;
    use crate::key::arena::Arena;
    use crate::key::batch::{Aad, Batch};
    use crate::key::ranges::{ErrorAt, Ranges};
    use crate::key::{Key, Options};
    use crate::rng::shared::SharedGenerator;
    use crate::secret::SecretKey;
    use core::cell::Cell;

    #[test]
    fn lengths_and_blocks_stop_at_their_limits() {
        let (text, aad) = (MAX_MESSAGE_BYTES as usize, MAX_AAD_BYTES as usize);
        let fresh = Encrypted::default();
        assert_eq!(fresh.plus(text, aad).map(|sums| sums.blocks), Ok((1 << 32) - 1));
        assert_eq!(fresh.plus(text + 1, 0), Err(Error::MessageTooLong));
        assert_eq!(fresh.plus(0, aad + 1), Err(Error::AadTooLong));
        let nearly = Encrypted { blocks: MAX_BLOCKS - 2, ..fresh };
        assert_eq!(nearly.plus(16, 0).map(|sums| sums.blocks), Ok(MAX_BLOCKS));
        assert_eq!(nearly.plus(17, 0), Err(Error::EncryptionsExhausted));
    }

    #[test]
    fn the_limit_of_blocks_holds_for_a_batch_as_a_whole() {
        let Some(cpu) = Cpu::best() else { return assert_eq!(Cpu::all().count(), 1) };
        let (mut arena, generator) = (Arena::default(), SharedGenerator::default());
        let secret = SecretKey::copy(&[const { Cell::new(7) }; 32]);
        let key = secret
            .and_then(|secret| Key::new(cpu, &secret, Options::default(), &mut arena, &generator));
        let Ok(mut key) = key else { return assert_eq!(key.err(), None) };
        key.ledger.encrypted.blocks = MAX_BLOCKS - 6;
        let memory = [const { Cell::new(7) }; 4 * 44];
        let mut encrypt = |ends: &[u32]| -> Result<_, ErrorAt> {
            let batch = Batch::new(Ranges::ending_at(&memory, ends)?, Aad::Same(&[]))?;
            key.encrypt_batch(batch)?;
            Ok((key.counts().messages, key.counts().blocks))
        };
        // Two blocks for each of these frames.
        let refusal = Err(Error::EncryptionsExhausted.into());
        assert_eq!(encrypt(&[44, 88, 132, 176]), refusal);
        assert!(memory.iter().all(|byte| byte.get() == 7), "a refused batch wrote");
        assert_eq!(encrypt(&[44, 88, 132]), Ok((3, MAX_BLOCKS)));
        assert_eq!(encrypt(&[28]), refusal);
    }
}
