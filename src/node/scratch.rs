//! Memory for the strings of a call, wiped after it.

use super::call::Outcome;
use super::status::{Reason, Refusal};
use crate::error::Error;
use crate::protocol::base64url::text_room;
use crate::protocol::utf8::WIDEST;
use core::cell::RefCell;
use zeroize::{Zeroize, Zeroizing};

/// UTF-16 units of a string that needs no memory of its own.
const UNITS: usize = 4096;
/// Room for such a string in UTF-8, and for the nonce, tag and prefix round it.
const BYTES: usize = UNITS * WIDEST + 64;
/// Room for all of this in base64url.
const TEXT: usize = text_room(BYTES.div_ceil(3) * 4);
/// The same for the additional data.
const AAD_UNITS: usize = 1024;
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
    pub(super) near: [T; N],
    /// Elements of `near` in use.
    pub(super) used: usize,
    pub(super) far: Zeroizing<Vec<T>>,
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
pub(super) fn reserve<T: Copy + Default + Zeroize>(
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
}
