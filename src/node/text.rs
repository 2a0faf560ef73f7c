//! Strings of JavaScript: read into memory that is wiped after the call, and made of bytes.

use super::call::{Outcome, Reply};
use super::scratch::{Area, reserve};
use super::status::{Reason, Refusal};
use crate::lanes;
use crate::protocol::base64url::text_room;
use crate::protocol::utf8::{Encoding, encoding_of, utf8_length, write_utf8};
use core::cell::Cell;
use core::ptr;
use napi::sys;

/// Most characters of a string (V8's `String::kMaxLength` on machines of 64 bits).
const LONGEST: usize = (1 << 29) - 24;

/// The UTF-16 units of a string.
#[inline(always)]
pub(super) fn units_of<const N: usize>(
    env: sys::napi_env,
    string: sys::napi_value,
    area: &mut Area<u16, N>,
) -> Result<&[u16], Refusal> {
    // Node-API writes a zero after the units, and says how many units it has written.
    let read = |units: &mut [u16]| {
        let mut length = 0;
        // SAFETY: `env` is live, `string` of the running callback, `units` as long as it says.
        let found = unsafe {
            let room = units.len();
            sys::napi_get_value_string_utf16(env, string, units.as_mut_ptr(), room, &mut length)
        };
        if found == sys::Status::napi_ok { Ok(length) } else { Err(Reason::NotText) }
    };
    area.used = N;
    let mut length = read(&mut area.near)?;
    area.used = length;
    if length + 1 < N {
        return Ok(area.near.get(..length).unwrap_or(&[]));
    }
    // The string may go on.
    // SAFETY: as above. Without memory, the call returns the length of the string.
    let found =
        unsafe { sys::napi_get_value_string_utf16(env, string, ptr::null_mut(), 0, &mut length) };
    if found != sys::Status::napi_ok {
        return Err(Reason::NotText.into());
    }
    reserve(&mut area.far, length + 1)?;
    let length = read(&mut area.far)?;
    Ok(area.far.get(..length).unwrap_or(&[]))
}

/// Reads a string in UTF-8, in which the runtime has replaced unpaired surrogates by U+FFFD, and
/// returns its length. The area has room for whole groups of base64url.
#[inline(always)]
pub(super) fn replaced_utf8_of<const N: usize>(
    env: sys::napi_env,
    string: sys::napi_value,
    area: &mut Area<u8, N>,
) -> Result<usize, Refusal> {
    let read = |bytes: &mut [u8]| read_utf8(env, string, bytes);
    area.used = N;
    let mut length = read(&mut area.near)?;
    area.used = length;
    // The runtime keeps a byte for a zero and never splits a character, so up to four bytes of a
    // full area are left.
    if length + 4 < N {
        return Ok(length);
    }
    // The string may go on.
    // SAFETY: as above. Without memory, the call returns the length of the string.
    let found =
        unsafe { sys::napi_get_value_string_utf8(env, string, ptr::null_mut(), 0, &mut length) };
    if found != sys::Status::napi_ok {
        return Err(Reason::NotText.into());
    }
    reserve(&mut area.far, text_room(length + 1))?;
    Ok(read(&mut area.far)?)
}

/// U+FFFD in UTF-8, by which the runtime replaces an unpaired surrogate.
const REPLACEMENT: [u8; 3] = [0xef, 0xbf, 0xbd];

/// Reads a string in UTF-8 into the area from `at` on, and returns where it ends. Refuses long
/// strings, and U+FFFD, which may have replaced a surrogate. Everything up to the end counts as in
/// use.
#[inline(always)]
pub(super) fn short_utf8_of<const N: usize>(
    env: sys::napi_env,
    string: sys::napi_value,
    area: &mut Area<u8, N>,
    at: usize,
) -> Result<usize, Refusal> {
    area.used = N;
    let room = area.near.get_mut(at..).unwrap_or(&mut []);
    let length = read_utf8(env, string, room)?;
    // As in `replaced_utf8_of`, the string may go on in a full area.
    let text = room.get(..length).filter(|_| length + 4 < room.len()).ok_or(Reason::NotText)?;
    if !text.is_ascii() && text.array_windows().any(|bytes| *bytes == REPLACEMENT) {
        return Err(Reason::NotText.into());
    }
    area.used = at + length;
    Ok(at + length)
}

/// Reads as much UTF-8 of a string as `bytes` has room for, and returns its length.
#[inline(always)]
fn read_utf8(
    env: sys::napi_env,
    string: sys::napi_value,
    bytes: &mut [u8],
) -> Result<usize, Reason> {
    let mut length = 0;
    // SAFETY: `env` is live, `string` of the running callback, `bytes` as long as it says.
    let found = unsafe {
        let room = bytes.len();
        sys::napi_get_value_string_utf8(env, string, bytes.as_mut_ptr().cast(), room, &mut length)
    };
    if found == sys::Status::napi_ok { Ok(length) } else { Err(Reason::NotText) }
}

/// The units of a string, the argument at position `at`.
#[inline(always)]
pub(super) fn units_at<const N: usize>(
    env: sys::napi_env,
    text: sys::napi_value,
    at: usize,
    units: &mut Area<u16, N>,
) -> Result<&[u16], Refusal> {
    units_of(env, text, units).map_err(|refusal| refusal.about(at))
}

/// The UTF-8 of these units, of the argument at position `at`.
#[inline(always)]
pub(super) fn utf8_of<'a, const M: usize>(
    units: &[u16],
    at: usize,
    bytes: &'a mut Area<u8, M>,
) -> Result<lanes::Bytes<'a>, Refusal> {
    let bytes = bytes.take(utf8_length(units))?;
    if !write_utf8(units, bytes) {
        return Err(Refusal::of(Reason::Surrogate, at));
    }
    Ok(Cell::from_mut(bytes).as_slice_of_cells())
}

/// The UTF-8 of a string, the argument at position `at`.
#[inline(always)]
pub(super) fn utf8_at<'a, const N: usize, const M: usize>(
    env: sys::napi_env,
    text: sys::napi_value,
    at: usize,
    units: &mut Area<u16, N>,
    bytes: &'a mut Area<u8, M>,
) -> Result<lanes::Bytes<'a>, Refusal> {
    let length = replaced_utf8_of(env, text, bytes).map_err(|refusal| refusal.about(at))?;
    if bytes.first(length).is_ascii() {
        return Ok(Cell::from_mut(bytes.first(length)).as_slice_of_cells());
    }
    // A surrogate may have been replaced.
    bytes.wipe();
    utf8_of(units_at(env, text, at, units)?, at, bytes)
}

/// Refuses the length of a string that no runtime can make.
#[inline(always)]
pub(super) fn check_length(characters: Option<usize>) -> Result<usize, Reason> {
    characters.filter(|length| *length <= LONGEST).ok_or(Reason::TextTooLong)
}

/// A string of these bytes of UTF-8. Refuses other bytes.
#[inline(always)]
pub(super) fn string_of(env: sys::napi_env, bytes: &[u8]) -> Outcome {
    if encoding_of(bytes).ok_or(Reason::NotUtf8)? == Encoding::Ascii {
        return ascii_string(env, bytes);
    }
    let mut value = ptr::null_mut();
    // SAFETY: `env` is live, and `bytes` has as many bytes as it says.
    let made = unsafe {
        let length = bytes.len().cast_signed();
        sys::napi_create_string_utf8(env, bytes.as_ptr().cast(), length, &mut value)
    };
    if made == sys::Status::napi_ok {
        Ok(Reply::Value(value))
    } else {
        Err(Reason::Internal.into())
    }
}

/// A string of these bytes, which are ASCII.
#[inline(always)]
pub(super) fn ascii_string(env: sys::napi_env, bytes: &[u8]) -> Outcome {
    let mut value = ptr::null_mut();
    // SAFETY: as above.
    let made = unsafe {
        let length = bytes.len().cast_signed();
        sys::napi_create_string_latin1(env, bytes.as_ptr().cast(), length, &mut value)
    };
    if made == sys::Status::napi_ok {
        Ok(Reply::Value(value))
    } else {
        Err(Reason::Internal.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_no_runtime_can_make_are_refused() {
        assert_eq!(check_length(Some(LONGEST)).ok(), Some(LONGEST));
        assert!(check_length(Some(LONGEST + 1)).is_err() && check_length(None).is_err());
    }
}
