//! Base64url without padding (RFC 4648 section 5), in groups that fill a register of characters,
//! without branches on data. Decoding is strict: each value has exactly one text.

use crate::backend::Cpu;
use crate::backend::base64url::{BYTES, CHARACTERS};

/// Characters of `bytes` bytes; `None` beyond the largest number.
pub const fn encoded(bytes: usize) -> Option<usize> {
    match bytes.checked_mul(4) {
        Some(quarters) => Some(quarters.div_ceil(3)),
        None => None,
    }
}

/// Bytes of `characters` characters. A length that leaves 1 when divided by 4 is no base64url.
pub const fn decoded(characters: usize) -> usize {
    characters / 4 * 3 + characters % 4 * 3 / 4
}

/// Room for so many characters in whole groups.
pub const fn text_room(characters: usize) -> usize {
    characters.next_multiple_of(CHARACTERS)
}

/// Room for the bytes of so many characters in whole groups, and for the rest of a register that
/// begins with the last group.
pub const fn bytes_room(characters: usize) -> usize {
    characters.div_ceil(CHARACTERS) * BYTES + CHARACTERS - BYTES
}

/// Writes the text of a value to the beginning of `text`. Both have room for as many characters
/// ([`bytes_room`] and [`text_room`]), and zeros follow the value.
pub fn encode(cpu: Cpu, bytes: &[u8], text: &mut [u8]) {
    cpu.encode_base64url(bytes, text.as_chunks_mut().0);
}

/// Fills the last group of a text of so many characters. A load of the whole group right after
/// these stores of bytes is slow, because the CPU cannot forward them.
#[inline]
pub fn pad(text: &mut [u8], characters: usize) {
    // An `A` has no bit: what lies after the bytes of the text are its bits that must be 0.
    text.iter_mut().skip(characters).for_each(|place| *place = b'A');
}

/// Writes the bytes of a text of so many characters, after [`pad`], to the beginning of `bytes`.
/// Both have room, as in [`encode`]. Returns whether the text is valid: alphabet, length, and no
/// bit after the last byte.
#[must_use]
#[inline]
pub fn decode(cpu: Cpu, text: &[u8], characters: usize, bytes: &mut [u8]) -> bool {
    let known = cpu.decode_base64url(text.as_chunks().0, bytes);
    known && is_zero_from(bytes, decoded(characters)) && characters % 4 != 1
}

/// Whether the bytes from `at` on are zero.
#[inline]
fn is_zero_from(bytes: &[u8], at: usize) -> bool {
    // At most sixteen: those of the last register.
    match (bytes.last_chunk(), bytes.len().checked_sub(at)) {
        (Some(last), Some(count @ 1..=CHARACTERS)) => {
            u128::from_le_bytes(*last) >> (8 * (CHARACTERS - count)) == 0
        }
        _ => bytes.iter().skip(at).fold(0, |all, byte| all | byte) == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /// The text of `bytes`, bit by bit.
    fn slowly(bytes: &[u8]) -> Vec<u8> {
        let bits: Vec<u8> =
            bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
        let values = bits.chunks(6).map(|six| {
            let value = six.iter().fold(0, |value, bit| value << 1 | usize::from(*bit));
            value << (6 - six.len())
        });
        values.filter_map(|value| ALPHABET.get(value).copied()).collect()
    }

    /// A sequence of bytes that has every byte after few steps.
    fn bytes(length: usize, mut state: u64) -> Vec<u8> {
        let mut step = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x9e37_79b9);
            (state >> 56) as u8
        };
        (0..length).map(|_| step()).collect()
    }

    fn text_of(cpu: Cpu, bytes: &[u8]) -> Vec<u8> {
        let characters = encoded(bytes.len()).unwrap_or(0);
        let mut room = bytes.to_vec();
        room.resize(bytes_room(characters), 0);
        let mut text = vec![b'!'; text_room(characters)];
        encode(cpu, &room, &mut text);
        text.truncate(characters);
        text
    }

    /// The bytes of a text, if it is valid.
    fn bytes_of(cpu: Cpu, text: &[u8]) -> Option<Vec<u8>> {
        let mut room = text.to_vec();
        room.resize(text_room(text.len()), b'!');
        let mut bytes = vec![0; bytes_room(text.len())];
        pad(&mut room, text.len());
        let valid = decode(cpu, &room, text.len(), &mut bytes);
        bytes.truncate(decoded(text.len()));
        valid.then_some(bytes)
    }

    #[test]
    fn texts_of_all_short_lengths_agree_with_a_slow_model_and_come_back() {
        for cpu in Cpu::all() {
            for length in 0..200 {
                for state in 0..20 {
                    let bytes = bytes(length, state);
                    let text = text_of(cpu, &bytes);
                    assert_eq!(text, slowly(&bytes), "{length} bytes");
                    assert_eq!(bytes_of(cpu, &text), Some(bytes));
                }
            }
        }
        assert_eq!(encoded(usize::MAX), None);
    }

    #[test]
    fn every_byte_at_every_place_is_a_character_of_the_alphabet_or_refused() {
        for cpu in Cpu::all() {
            for length in 1..40 {
                let bytes = bytes(length, 77);
                let text = text_of(cpu, &bytes);
                for at in 0..text.len() {
                    for byte in 0..=255 {
                        let mut other = text.clone();
                        other.iter_mut().skip(at).take(1).for_each(|place| *place = byte);
                        let back = bytes_of(cpu, &other);
                        // The only other texts that are accepted are those of other bytes.
                        let own = back.as_ref().is_some_and(|back| slowly(back) == other);
                        assert_eq!(back.is_some(), own, "{byte:#x} at {at} of {length} bytes");
                        let whole = at + 1 < text.len() || length % 3 == 0;
                        assert!(own || !(whole && ALPHABET.contains(&byte)));
                        assert_eq!(back.as_ref() == Some(&bytes), other == text);
                    }
                }
            }
        }
    }

    #[test]
    fn lengths_that_no_bytes_have_are_refused() {
        for cpu in Cpu::all() {
            for length in (1..60).step_by(4) {
                assert_eq!(bytes_of(cpu, &vec![b'A'; length]), None, "{length} characters");
            }
        }
    }

    #[test]
    fn a_place_too_short_is_filled_without_more() {
        for cpu in Cpu::all() {
            let mut few = [0; 17];
            encode(cpu, &[0xff; 40], &mut few);
            assert!(few.starts_with(b"________________") && few.last() == Some(&0));
            encode(cpu, &[0; 15], &mut few);
            assert!(few.starts_with(b"_"), "a group without room is left");
            let mut bytes = [0; 12];
            assert!(!decode(cpu, &[b'_'; 32], 32, &mut bytes), "a group without room");
        }
    }
}
