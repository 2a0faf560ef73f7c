//! Frames: nonce, text and tag of one message in one range of memory, 28 bytes longer than the text. This module defines
//! their layout, and takes their nonces under the limits of the ledger.

use super::ledger::Ledger;
use super::nonce::{FrameNonces, Nonce};
use crate::error::Error;
use crate::lanes::Bytes;
use core::cell::Cell;

/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 12;
/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;
/// Bytes of a frame besides its text.
pub const OVERHEAD: usize = NONCE_BYTES + TAG_BYTES;

/// The place of the nonce in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonceAt {
    /// `nonce ‖ ciphertext ‖ tag`.
    #[default]
    Start,
    /// `ciphertext ‖ tag ‖ nonce`.
    End,
}

/// The three parts of a frame.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The nonce, 12 bytes.
    pub nonce: &'a [Cell<u8>; NONCE_BYTES],
    /// Plaintext or ciphertext: the rest of the frame.
    pub text: Bytes<'a>,
    /// The tag, 16 bytes.
    pub tag: &'a [Cell<u8>; TAG_BYTES],
}

impl NonceAt {
    /// The parts of `frame`; `None` if `frame` is shorter than [`OVERHEAD`].
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

/// Takes the nonce of the next frame, and adds the frame's bytes and blocks to `ledger`. An error changes neither count.
///
/// # Errors
/// Those of `Encrypted::plus`, of `Ledger::allow_frame` and of [`FrameNonces::take`].
// Inlined, so that the nonce stays in registers.
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
