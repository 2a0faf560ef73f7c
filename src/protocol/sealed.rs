//! Sealed values: a frame after the five bytes that name its key, `version ‖ id(4) ‖ frame` (the
//! wire format of Google Tink). A raw value is the frame alone.

use crate::error::Error;
use crate::key::any::AnyKey;
use crate::lanes::{Bytes, write};
use core::ops::Range;

/// Bytes of a prefix.
pub const PREFIX_BYTES: usize = 5;
/// One more than the largest prefix: means no prefix.
pub const NO_PREFIX: u64 = 1 << (8 * PREFIX_BYTES);

/// The bytes before a frame.
#[derive(Clone, Copy)]
pub struct Prefix(Option<[u8; PREFIX_BYTES]>);

impl Prefix {
    /// A prefix as a number, with the version in the top byte; none from [`NO_PREFIX`] on.
    pub fn new(number: u64) -> Self {
        let [0, 0, 0, bytes @ ..] = number.to_be_bytes() else { return Self(None) };
        Self(Some(bytes))
    }

    /// Its length.
    pub fn bytes(self) -> usize {
        self.0.map_or(0, |bytes| bytes.len())
    }

    /// Whether a value begins with it.
    pub fn begins(self, value: &[u8]) -> bool {
        self.0.is_none_or(|bytes| value.starts_with(&bytes))
    }

    /// Writes the prefix to the beginning of `value`.
    fn write(self, value: Bytes) {
        if let (Some(bytes), Some(place)) = (self.0, value.first_chunk()) {
            write(place, &bytes);
        }
    }
}

/// Seals `plaintext` into the beginning of `target`, and returns the number of bytes written.
///
/// # Errors
/// Those of [`AnyKey::encrypt_into`]. A failed call neither writes nor counts.
pub fn seal_into(
    key: &mut AnyKey,
    prefix: Prefix,
    target: Bytes,
    plaintext: Bytes,
    aad: Bytes,
) -> Result<usize, Error> {
    let frame = target.get(prefix.bytes()..).ok_or(Error::TargetTooShort)?;
    let written = key.encrypt_into(frame, plaintext, aad)?;
    prefix.write(target);
    Ok(prefix.bytes() + written)
}

/// Opens the frame after `skip` bytes of `sealed` into `target`, and returns the bytes written.
///
/// # Errors
/// Those of [`AnyKey::decrypt_into`]. A value of fewer than `skip` bytes is a forgery.
pub fn open_into(
    key: &mut AnyKey,
    skip: usize,
    target: Bytes,
    sealed: Bytes,
    aad: Bytes,
) -> Result<usize, Error> {
    key.decrypt_into(target, sealed.get(skip..).unwrap_or(&[]), aad)
}

/// Where a text of `length` bytes lies in its value, and the value's length; `None` for huge ones.
pub fn place(key: &AnyKey, prefix: Prefix, length: usize) -> Option<(Range<usize>, usize)> {
    let start = prefix.bytes() + key.text_at();
    let end = start.checked_add(length)?;
    Some((start..end, length.checked_add(prefix.bytes() + key.overhead())?))
}

/// Seals a value in place: its text is at its [`place`].
///
/// # Errors
/// Those of [`AnyKey::encrypt_in_place`]. A failed call neither writes nor counts.
pub fn seal_in_place(
    key: &mut AnyKey,
    prefix: Prefix,
    value: Bytes,
    aad: Bytes,
) -> Result<(), Error> {
    key.encrypt_in_place(value.get(prefix.bytes()..).ok_or(Error::FrameTooShort)?, aad)?;
    prefix.write(value);
    Ok(())
}

/// Opens in place the frame after `skip` bytes of a value, and returns where its text lies.
///
/// # Errors
/// Those of [`AnyKey::decrypt_in_place`]. A value of fewer than `skip` bytes is a forgery.
pub fn open_in_place(
    key: &mut AnyKey,
    skip: usize,
    value: Bytes,
    aad: Bytes,
) -> Result<Range<usize>, Error> {
    let frame = value.get(skip..).unwrap_or(&[]);
    key.decrypt_in_place(frame, aad)?;
    let start = skip + key.text_at();
    Ok(start..start + frame.len().saturating_sub(key.overhead()))
}
