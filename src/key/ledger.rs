//! The ledger of a key object: its limits, the counts that they apply to, and the nonces of frames.

use super::Bounded;
use super::nonce::{FrameNonces, Run};
use crate::error::Error;
use crate::rng::shared::SharedGenerator;
use core::marker::PhantomData;

/// The limits that the standard of a cipher sets, or that follow from it.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Longest message, in bytes.
    pub text: u64,
    /// Longest associated data, in bytes.
    pub aad: u64,
    /// Most frames under one key: the highest value and the default of `messages` in [`Limits`].
    pub messages: u64,
    /// Most cipher blocks of one key object.
    pub blocks: u64,
}

/// Longest message of GCM: 2^39 - 256 bits, in bytes (SP 800-38D 5.2.1.1; RFC 5116 5.1: one more).
pub const MAX_MESSAGE_BYTES: u64 = (1 << 36) - 32;
/// Longest associated data of GCM: 2^64 - 1 bits, rounded down to bytes (SP 800-38D 5.2.1.1).
pub const MAX_AAD_BYTES: u64 = (1 << 61) - 1;
/// Most frames under one key of AES-GCM (SP 800-38D 8.3). Also the highest value and the default of
/// `failures` in [`Limits`], for which 8.3 has no limit.
pub const MAX_MESSAGES: u64 = 1 << 32;
/// Most blocks of one key object of AES-GCM. After 2^48 blocks, the advantage in telling the output
/// from random bits is about 2^-33.
pub const MAX_BLOCKS: u64 = 1 << 48;

/// AES-GCM.
pub const GCM: Bounds = Bounds {
    text: MAX_MESSAGE_BYTES,
    aad: MAX_AAD_BYTES,
    messages: MAX_MESSAGES,
    blocks: MAX_BLOCKS,
};

/// XAES-256-GCM: each message has its own AES-GCM key, so messages and blocks have no common limit.
pub const XAES: Bounds = Bounds { messages: u64::MAX, blocks: u64::MAX, ..GCM };

/// AES-GCM-SIV: lengths of RFC 8452 section 6. The advantage of section 9 stays below 2^-32, even
/// if each nonce is used 256 times, while messages times the square of their blocks do not exceed
/// 2^81. The largest message has 2^32 blocks, so 2^48 blocks in all cannot exceed 2^80.
pub const SIV: Bounds =
    Bounds { text: 1 << 36, aad: 1 << 36, messages: MAX_BLOCKS, blocks: MAX_BLOCKS };

// Counters start at 2 (SP 800-38D 7.1 steps 2 and 3): the last of the longest message is 2^32 - 1.
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
    /// The limits of the key's cipher.
    fn default() -> Self {
        Self { messages: u64::MAX, failures: u64::MAX }
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

/// Limits and counts of one key object. The number of frames is the number of nonces taken.
pub(super) struct Ledger<C, const N: usize> {
    cipher: PhantomData<fn() -> C>,
    limits: Limits,
    nonces: FrameNonces<N>,
    pub(super) encrypted: Encrypted,
    failures: u64,
}

/// Plaintext encrypted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Encrypted {
    bytes: u64,
    pub(super) blocks: u64,
}

impl<C: Bounded<N>, const N: usize> Ledger<C, N> {
    /// An empty ledger, whose nonces have salts from `generator`. Limits above those of the cipher,
    /// and failures above [`MAX_MESSAGES`], are lowered.
    pub(super) fn new(limits: Limits, generator: &SharedGenerator) -> Self {
        let limits = Limits {
            messages: limits.messages.min(C::BOUNDS.messages),
            failures: limits.failures.min(MAX_MESSAGES),
        };
        let nonces = FrameNonces::new(generator);
        Self { cipher: PhantomData, limits, nonces, encrypted: Encrypted::default(), failures: 0 }
    }

    /// Counts one more frame, of `text` and `aad` bytes, and takes its nonce.
    ///
    /// # Errors
    /// Those of [`Encrypted::plus`] and `take_nonces`. A failed call neither counts nor takes.
    // Inlined, so that the nonce stays in registers.
    #[inline(always)]
    pub(super) fn next_nonce(&mut self, text: usize, aad: usize) -> Result<[u8; N], Error> {
        let encrypted = self.encrypted.plus(C::BOUNDS, text, aad)?;
        Ok(self.take_nonces(1, encrypted)?.take())
    }

    /// Counts `more` frames, after which the sums are `encrypted`, and takes nonces under one salt.
    ///
    /// # Errors
    /// [`Error::EncryptionsExhausted`] if these frames would exceed the limit of messages, and
    /// those of [`FrameNonces::take_run`]. A failed call neither counts nor takes.
    #[inline(always)]
    pub(super) fn take_nonces(&mut self, more: u64, encrypted: Encrypted) -> Result<Run<N>, Error> {
        self.allow_frames(more)?;
        let nonces = self.nonces.take_run(more)?;
        self.encrypted = encrypted;
        Ok(nonces)
    }

    /// Whether [`next_nonce`](Self::next_nonce) would succeed now. Neither counts nor takes, but
    /// draws a salt if the next nonce needs one.
    ///
    /// # Errors
    /// Those of `next_nonce`.
    pub(super) fn allow_frame(&mut self, text: usize, aad: usize) -> Result<(), Error> {
        self.encrypted.plus(C::BOUNDS, text, aad)?;
        self.allow_frames(1)?;
        self.nonces.prepare()
    }

    /// The sums after one more encryption: [`Encrypted::plus`].
    pub(super) fn plus(&self, text: usize, aad: usize) -> Result<Encrypted, Error> {
        self.encrypted.plus(C::BOUNDS, text, aad)
    }

    /// [`Error::MessageTooLong`] or [`Error::AadTooLong`] for lengths above the bounds.
    pub(super) fn check_lengths(&self, text: usize, aad: usize) -> Result<(), Error> {
        C::BOUNDS.check_lengths(text, aad)
    }

    fn allow_frames(&self, more: u64) -> Result<(), Error> {
        let all = self.nonces.taken().checked_add(more);
        let allowed = all.is_some_and(|all| all <= self.limits.messages);
        if allowed { Ok(()) } else { Err(Error::EncryptionsExhausted) }
    }

    /// [`Error::FailuresExhausted`] if the number of failed decryptions has reached the limit.
    pub(super) fn allow_decryption(&self) -> Result<(), Error> {
        if self.failures < self.limits.failures { Ok(()) } else { Err(Error::FailuresExhausted) }
    }

    /// Counts a failed decryption, and returns [`Error::Authentication`]; at the limit, counts
    /// nothing and returns [`Error::FailuresExhausted`]: short frames do not ask
    /// `allow_decryption`.
    pub(super) fn count_failure(&mut self) -> Error {
        if let Err(exhausted) = self.allow_decryption() {
            return exhausted;
        }
        self.failures = self.failures.saturating_add(1);
        Error::Authentication
    }

    /// All counts.
    pub(super) fn counts(&self) -> Counts {
        let Encrypted { bytes, blocks } = self.encrypted;
        Counts { messages: self.nonces.taken(), bytes, blocks, failures: self.failures }
    }
}

impl Encrypted {
    /// The sums after one more encryption, of `text` and `aad` bytes.
    ///
    /// # Errors
    /// Those of [`Bounds::check_lengths`]; [`Error::EncryptionsExhausted`] above `bounds.blocks`.
    pub(super) fn plus(self, bounds: &Bounds, text: usize, aad: usize) -> Result<Self, Error> {
        self.plus_messages(bounds, 1, text, aad)
    }

    /// The sums after `count` more encryptions, each of `text` and at most `aad` bytes.
    ///
    /// # Errors
    /// As [`plus`](Self::plus).
    #[inline(always)]
    pub(super) fn plus_messages(
        self,
        bounds: &Bounds,
        count: usize,
        text: usize,
        aad: usize,
    ) -> Result<Self, Error> {
        bounds.check_lengths(text, aad)?;
        let (count, text) = (count as u64, text as u64);
        let blocks = text.div_ceil(16).saturating_add(1).saturating_mul(count);
        let blocks = blocks.saturating_add(self.blocks);
        if blocks > bounds.blocks {
            return Err(Error::EncryptionsExhausted);
        }
        Ok(Self { blocks, bytes: self.bytes.saturating_add(text.saturating_mul(count)) })
    }
}

impl Bounds {
    /// [`Error::MessageTooLong`] or [`Error::AadTooLong`] for lengths above these.
    #[inline(always)]
    fn check_lengths(&self, text: usize, aad: usize) -> Result<(), Error> {
        if text as u64 > self.text {
            return Err(Error::MessageTooLong);
        }
        if aad as u64 > self.aad {
            return Err(Error::AadTooLong);
        }
        Ok(())
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::{Encrypted, GCM, MAX_AAD_BYTES, MAX_BLOCKS, MAX_MESSAGE_BYTES};
    use crate::error::Error;

    #[test]
    fn lengths_and_blocks_stop_at_their_limits() {
        let (text, aad) = (MAX_MESSAGE_BYTES as usize, MAX_AAD_BYTES as usize);
        let fresh = Encrypted::default();
        assert_eq!(fresh.plus(&GCM, text, aad).map(|sums| sums.blocks), Ok((1 << 32) - 1));
        assert_eq!(fresh.plus(&GCM, text + 1, 0), Err(Error::MessageTooLong));
        assert_eq!(fresh.plus(&GCM, 0, aad + 1), Err(Error::AadTooLong));
        let nearly = Encrypted { blocks: MAX_BLOCKS - 2, ..fresh };
        assert_eq!(nearly.plus(&GCM, 16, 0).map(|sums| sums.blocks), Ok(MAX_BLOCKS));
        assert_eq!(nearly.plus(&GCM, 17, 0), Err(Error::EncryptionsExhausted));
    }
}
