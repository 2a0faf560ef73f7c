//! Frames: one message with its nonce and its tag in one range of memory, 28 bytes longer than the message. Their layout, and
//! their nonces under the limits of the ledger.

use super::ledger::Ledger;
use super::nonce::{FrameNonces, Nonce};
use crate::error::Error;
use crate::lanes::Bytes;
use core::cell::Cell;

/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 12;
/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;
/// Bytes that a frame has besides its message.
pub const OVERHEAD: usize = NONCE_BYTES + TAG_BYTES;

/// Where in a frame the nonce lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonceAt {
    /// `nonce ‖ ciphertext ‖ tag`.
    #[default]
    Start,
    /// `ciphertext ‖ tag ‖ nonce`.
    End,
}

/// The three parts of a frame, of lengths 12, any, 16.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The nonce.
    pub nonce: &'a [Cell<u8>; NONCE_BYTES],
    /// Plaintext or ciphertext.
    pub text: Bytes<'a>,
    /// The tag.
    pub tag: &'a [Cell<u8>; TAG_BYTES],
}

impl NonceAt {
    /// The parts of `frame`, if it has at least [`OVERHEAD`] bytes.
    pub fn split(self, frame: Bytes) -> Option<Parts> {
        let (nonce, (text, tag)) = match self {
            Self::Start => {
                let (nonce, rest) = frame.split_first_chunk()?;
                (nonce, rest.split_last_chunk()?)
            }
            Self::End => {
                let (rest, nonce) = frame.split_last_chunk()?;
                (nonce, rest.split_last_chunk()?)
            }
        };
        Some(Parts { nonce, text, tag })
    }
}

/// The nonce of the next frame, entered in `ledger`. Where it fails, the ledger is as it was.
///
/// # Errors
/// The lengths of SP 800-38D, the limits, and those of [`FrameNonces::take`].
// Inlined, so that the nonce goes on in registers.
#[inline(always)]
pub(super) fn next_nonce(
    nonces: &mut FrameNonces,
    ledger: &mut Ledger,
    text: usize,
    aad: usize,
) -> Result<Nonce, Error> {
    let encrypted = ledger.encrypted.plus(text, aad)?;
    ledger.allow_frame(nonces.taken())?;
    let nonce = nonces.take()?;
    ledger.encrypted = encrypted;
    Ok(nonce)
}
