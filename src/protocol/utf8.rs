//! Texts: UTF-16 units to UTF-8, and whether bytes are UTF-8.
//!
//! **The time of these functions depends on the text**: which characters are ASCII, and how many
//! bytes the others take. They are the one exception to data-independent timing
//! (docs/constant-time.md), and tests/poison holds it to this file. The runtime's conversion, on
//! the other side, has branches too.

/// Most bytes of UTF-8 for a unit.
pub const WIDEST: usize = 3;

/// A kind of UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Every byte is a character.
    Ascii,
    /// Some characters take several bytes.
    Utf8,
}

/// The number of bytes of a text in UTF-8.
#[inline]
pub fn utf8_length(units: &[u16]) -> usize {
    if is_ascii(units) {
        return units.len();
    }
    let decoded = char::decode_utf16(units.iter().copied());
    decoded.map(|unit| unit.map_or(WIDEST, char::len_utf8)).sum()
}

#[inline]
fn is_ascii(units: &[u16]) -> bool {
    units.iter().fold(0, |all, unit| all | unit) < 0x80
}

/// Units that vector instructions convert together. The last such group overlaps another, so that
/// no unit is converted alone.
const GROUP: usize = 8;

/// Writes the lower byte of each unit to `bytes`, of as many. Returns whether all units are ASCII.
#[inline]
pub fn narrow(units: &[u16], bytes: &mut [u8]) -> bool {
    let mut all = [0; GROUP];
    // Arrays, not slices: the compiler then uses vector instructions.
    let mut step = |from: &[u16; GROUP], to: &mut [u8; GROUP]| {
        for ((all, from), to) in all.iter_mut().zip(from).zip(to) {
            *all |= from;
            *to = *from as u8;
        }
    };
    if let (Some(from), Some(to)) = (units.last_chunk(), bytes.last_chunk_mut()) {
        step(from, to);
        let groups = units.as_chunks().0.iter();
        groups.zip(bytes.as_chunks_mut().0).for_each(|(from, to)| step(from, to));
        return is_ascii(&all);
    }
    bytes.iter_mut().zip(units).for_each(|(to, from)| *to = *from as u8);
    is_ascii(units)
}

/// Writes a string in UTF-8 to `bytes`, of [`utf8_length`]. False for an unpaired surrogate.
#[inline]
pub fn write_utf8(units: &[u16], bytes: &mut [u8]) -> bool {
    if units.len() == bytes.len() {
        // One byte for each unit: ASCII.
        return narrow(units, bytes);
    }
    let mut rest = bytes;
    for unit in char::decode_utf16(units.iter().copied()) {
        let Ok(character) = unit else { return false };
        let Some((place, after)) = rest.split_at_mut_checked(character.len_utf8()) else {
            return false;
        };
        character.encode_utf8(place);
        rest = after;
    }
    true
}

/// The kind of UTF-8 that these bytes are; `None` if they are not UTF-8.
#[inline]
pub fn encoding_of(bytes: &[u8]) -> Option<Encoding> {
    if bytes.is_ascii() {
        return Some(Encoding::Ascii);
    }
    core::str::from_utf8(bytes).is_ok().then_some(Encoding::Utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_is_not_ascii_is_found_at_every_place() {
        for length in 1..40 {
            for at in 0..length {
                let mut units = vec![0x7f; length];
                let mut bytes = vec![0; length];
                assert_eq!(utf8_length(&units), length);
                assert!(narrow(&units, &mut bytes));
                assert!(bytes.iter().all(|byte| *byte == 0x7f), "{length} units");
                units.iter_mut().skip(at).take(1).for_each(|unit| *unit = 0x180);
                assert_eq!(utf8_length(&units), length + 1, "{at} of {length}");
                assert!(!narrow(&units, &mut bytes), "{at} of {length}");
                assert!(bytes.iter().enumerate().all(|(i, byte)| (*byte == 0x80) == (i == at)));
            }
        }
    }

    #[test]
    fn utf8_agrees_with_the_standard_library() {
        for text in
            ["", "a", "\u{80}", "aé", "éé", "€", "😀", "a\u{0}b", "\u{fffd}", "\u{ffff}x", "x😀é€"]
        {
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut bytes = vec![0xee; utf8_length(&units)];
            assert_eq!(bytes.len(), text.len());
            assert!(write_utf8(&units, &mut bytes));
            assert_eq!(bytes, text.as_bytes());
            let ascii = text.is_ascii();
            let expected = if ascii { Encoding::Ascii } else { Encoding::Utf8 };
            assert_eq!(encoding_of(&bytes), Some(expected));
        }
        for wrong in [[0xd800].as_slice(), &[0x61, 0xdc00], &[0xdc00, 0xd800], &[0xd83d, 0x61]] {
            assert!(!write_utf8(wrong, &mut vec![0; utf8_length(wrong)]));
        }
        for wrong in [[0x80].as_slice(), &[0x61, 0xc3], &[0xed, 0xa0, 0x80], &[0xff; 9]] {
            assert_eq!(encoding_of(wrong), None);
        }
    }
}
