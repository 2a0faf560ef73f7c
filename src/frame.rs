//! A frame: one message with its nonce and its tag, in one range of memory, 28 bytes longer than the message.

use crate::lanes::Bytes;

/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 12;
/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;
/// What a frame adds to its message.
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
    pub nonce: &'a [core::cell::Cell<u8>; NONCE_BYTES],
    /// Plaintext or ciphertext.
    pub text: Bytes<'a>,
    /// The tag.
    pub tag: &'a [core::cell::Cell<u8>; TAG_BYTES],
}

impl NonceAt {
    /// The parts of `frame`; none where it is shorter than [`OVERHEAD`].
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
