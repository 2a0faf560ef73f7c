//! Strings of JavaScript: read into memory that is wiped after the call, and made of bytes.

use super::call::{Outcome, Reply};
use super::status::{Reason, Refusal};
use crate::error::Error;
use crate::protocol::base64url::text_room;
use crate::protocol::utf8::{Encoding, WIDEST, encoding_of};
use core::cell::RefCell;
use core::ptr;
use napi::sys;
use zeroize::{Zeroize, Zeroizing};

/// UTF-16 units of a string that needs no memory of its own.
const UNITS: usize = 4096;
/// Room for such a string in UTF-8, and for the nonce, tag and prefix round it.
const BYTES: usize = UNITS * WIDEST + 64;
/// Room for all of this in base64url.
const TEXT: usize = text_room(BYTES.div_ceil(3) * 4);
/// The same for the additional data.
const AAD_UNITS: usize = 1024;
/// Most characters of a string (V8's `String::kMaxLength` on machines of 64 bits).
const LONGEST: usize = (1 << 29) - 24;

/// Memory for the strings of one call, empty between calls. None before the first, then one.
// The memory lives as long as its environment, so that the compiler keeps the writes that wipe it.
pub(super) struct Scratch(RefCell<Vec<Areas>>);

/// Memory for each string of a call.
pub(super) struct Areas {
    pub(super) units: Area<u16, UNITS>,
    pub(super) bytes: Area<u8, BYTES>,
    pub(super) text: Area<u8, TEXT>,
    pub(super) aad_units: Area<u16, AAD_UNITS>,
    pub(super) aad: Area<u8, { AAD_UNITS * WIDEST }>,
}

/// Memory for `N` elements; more get memory of their own, wiped and freed after the call.
pub(super) struct Area<T: Zeroize, const N: usize> {
    near: [T; N],
    /// Elements of `near` in use.
    used: usize,
    far: Zeroizing<Vec<T>>,
}

impl<T: Copy + Default + Zeroize, const N: usize> Area<T, N> {
    const EMPTY: fn() -> Self =
        || Self { near: [T::default(); N], used: 0, far: Zeroizing::new(Vec::new()) };

    /// `length` elements, which are zero unless the area is that of sealed text.
    pub(super) fn take(&mut self, length: usize) -> Result<&mut [T], Refusal> {
        if let Some(near) = self.near.get_mut(..length) {
            self.used = length;
            return Ok(near);
        }
        reserve(&mut self.far, length)?;
        Ok(&mut self.far)
    }

    /// The first elements, without regard to how many are in use.
    #[inline(always)]
    pub(super) fn first(&mut self, length: usize) -> &mut [T] {
        let all = if self.far.is_empty() { &mut self.near[..] } else { &mut self.far[..] };
        all.get_mut(..length).unwrap_or(&mut [])
    }

    pub(super) fn wipe(&mut self) {
        if let Some(used) = self.near.get_mut(..self.used) {
            used.fill(T::default());
        }
        self.used = 0;
        if self.far.capacity() > 0 {
            free(&mut self.far);
        }
    }
}

/// Makes memory for the `length` elements of a long string, which are zero.
// Not inlined, like `free`: long strings are rare, and a copy in each of a dozen functions would
// make the binary for Windows larger than a mebibyte.
#[cold]
#[inline(never)]
fn reserve<T: Copy + Default + Zeroize>(
    far: &mut Zeroizing<Vec<T>>,
    length: usize,
) -> Result<(), Error> {
    far.try_reserve_exact(length).map_err(|_| Error::NoMemory)?;
    far.resize(length, T::default());
    Ok(())
}

/// Wipes and frees the memory of a long string.
#[cold]
#[inline(never)]
fn free<T: Zeroize>(far: &mut Zeroizing<Vec<T>>) {
    *far = Zeroizing::new(Vec::new());
}

impl Areas {
    #[cold]
    fn allocate(areas: &mut Vec<Self>) -> Result<(), Error> {
        areas.try_reserve_exact(1).map_err(|_| Error::NoMemory)?;
        areas.push(Self {
            units: Area::EMPTY(),
            bytes: Area::EMPTY(),
            text: Area::EMPTY(),
            aad_units: Area::EMPTY(),
            aad: Area::EMPTY(),
        });
        Ok(())
    }
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// Frees the memory, when the environment ends.
    pub(super) fn free(&self) {
        if let Ok(mut areas) = self.0.try_borrow_mut() {
            *areas = Vec::new();
        }
    }

    /// Lends the memory to `body`, and then wipes it, except for sealed text, which is not secret.
    /// A text that was refused may be no sealed one.
    #[inline(always)]
    pub(super) fn lend(&self, body: impl FnOnce(&mut Areas) -> Outcome) -> Outcome {
        let mut areas = self.0.try_borrow_mut().map_err(|_| Reason::Internal)?;
        if areas.is_empty() {
            Areas::allocate(&mut areas)?;
        }
        let areas = areas.first_mut().ok_or(Reason::Internal)?;
        let mut lent = Lent { areas, refused: true };
        let outcome = body(lent.areas);
        lent.refused = outcome.is_err();
        outcome
    }
}

/// The memory while it is lent. Its end wipes it, even if a panic ends it.
struct Lent<'a> {
    areas: &'a mut Areas,
    refused: bool,
}

impl Drop for Lent<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        let Areas { units, bytes, text, aad_units, aad } = &mut *self.areas;
        units.wipe();
        bytes.wipe();
        aad_units.wipe();
        aad.wipe();
        if self.refused || text.far.capacity() > 0 {
            text.wipe();
        }
    }
}

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
    fn an_area_is_zero_after_it_was_wiped_and_memory_of_its_own_is_gone() {
        let mut area: Area<u8, 8> = Area::EMPTY();
        for length in [0, 1, 8] {
            assert_eq!(area.take(length).ok().map(|taken| taken.len()), Some(length));
            area.near.iter_mut().take(length).for_each(|byte| *byte = 7);
            area.wipe();
            assert_eq!((area.near, area.used), ([0; 8], 0));
        }
        assert_eq!(area.take(9).ok().map(|taken| taken.len()), Some(9));
        assert!(area.far.capacity() >= 9 && area.near == [0; 8]);
        area.wipe();
        assert_eq!(area.far.capacity(), 0);
    }

    #[test]
    fn memory_is_wiped_after_a_panic() {
        let scratch = Scratch::new();
        let body = |areas: &mut Areas| -> Outcome {
            areas.bytes.take(8)?.fill(7);
            areas.text.take(8)?.fill(7);
            areas.aad.take(8)?.fill(7);
            areas.units.take(8)?.fill(7);
            areas.aad_units.take(8)?.fill(7);
            std::panic::resume_unwind(Box::new("planted"))
        };
        let lent = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| scratch.lend(body)));
        assert!(lent.is_err());
        let areas = scratch.0.borrow();
        assert_eq!(areas.len(), 1);
        for Areas { units, bytes, text, aad_units, aad } in areas.iter() {
            assert_eq!((units.near, aad_units.near), ([0; UNITS], [0; AAD_UNITS]));
            assert_eq!((bytes.near, text.near), ([0; BYTES], [0; TEXT]));
            assert_eq!(aad.near, [0; AAD_UNITS * WIDEST]);
        }
    }

    #[test]
    fn strings_that_no_runtime_can_make_are_refused() {
        assert_eq!(check_length(Some(LONGEST)).ok(), Some(LONGEST));
        assert!(check_length(Some(LONGEST + 1)).is_err() && check_length(None).is_err());
    }
}
