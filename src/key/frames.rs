//! The layout of frames: nonce, text and tag of a message in one range. Nonces have `N` bytes.

use crate::lanes::Bytes;
use core::cell::Cell;

/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;
/// Bytes of a frame of AES-GCM besides its text.
pub const OVERHEAD: usize = overhead::<12>();

/// Bytes of a frame besides its text: nonce and tag.
pub const fn overhead<const N: usize>() -> usize {
    N + TAG_BYTES
}

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
pub struct FrameParts<'a, const N: usize> {
    /// The nonce.
    pub nonce: &'a [Cell<u8>; N],
    /// Plaintext or ciphertext: the rest of the frame.
    pub text: Bytes<'a>,
    /// The tag, 16 bytes.
    pub tag: &'a [Cell<u8>; TAG_BYTES],
}

impl NonceAt {
    /// The parts of `frame`; `None` if `frame` is shorter than [`overhead`].
    pub fn split<const N: usize>(self, frame: Bytes) -> Option<FrameParts<N>> {
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
        Some(FrameParts { nonce, text, tag })
    }
}
