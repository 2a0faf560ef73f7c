//! Base64url without padding (RFC 4648 section 5): 16 or 32 characters at a time, without tables or
//! branches on data, by vector instructions. Decoding is strict: each value has exactly one text.

/// Bytes that are encoded together, and their characters.
const WIDE_BYTES: usize = 24;
const WIDE_CHARACTERS: usize = 32;
/// Characters decoded together, and their bytes. Other numbers make the compiler's code slower.
const CHARACTERS: usize = 16;
const BYTES: usize = 12;

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

/// Writes the text of `bytes` to the beginning of `text`, and nothing past its end.
pub fn encode(bytes: &[u8], text: &mut [u8]) {
    let (groups, rest) = bytes.as_chunks::<WIDE_BYTES>();
    let (places, last) = text.as_chunks_mut::<WIDE_CHARACTERS>();
    let mut places = places.iter_mut();
    for (group, place) in groups.iter().zip(&mut places) {
        *place = characters(group);
    }
    if rest.is_empty() {
        return;
    }
    // The rest has its characters in a whole place, or in what lies after all places.
    let mut group = [0; WIDE_BYTES];
    group.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let count = rest.len() * 4;
    let made = characters(&group).into_iter().take(count.div_ceil(3));
    match places.next() {
        Some(place) => place.iter_mut().zip(made).for_each(|(to, from)| *to = from),
        None => last.iter_mut().zip(made).for_each(|(to, from)| *to = from),
    }
}

/// Writes the bytes of `text` to the beginning of `bytes`, which has room for [`decoded`]. Returns
/// whether `text` is valid: alphabet, length, and no bit after the last byte.
#[must_use]
pub fn decode(text: &[u8], bytes: &mut [u8]) -> bool {
    let (groups, rest) = text.as_chunks::<CHARACTERS>();
    let (places, last) = bytes.as_chunks_mut::<BYTES>();
    let (mut wrong, mut places) = ([0; CHARACTERS], places.iter_mut());
    for (group, place) in groups.iter().zip(&mut places) {
        *place = bytes_of(group, &mut wrong);
    }
    if rest.is_empty() {
        return wrong == [0; CHARACTERS];
    }
    // An `A` has no bit: what lies after the bytes of the rest are its bits that must be 0.
    let mut group = [b'A'; CHARACTERS];
    group.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let made = bytes_of(&group, &mut wrong);
    let count = decoded(rest.len());
    let left = made.iter().skip(count).fold(0, |all, byte| all | byte);
    let made = made.into_iter().take(count);
    match places.next() {
        Some(place) => place.iter_mut().zip(made).for_each(|(to, from)| *to = from),
        None => last.iter_mut().zip(made).for_each(|(to, from)| *to = from),
    }
    wrong == [0; CHARACTERS] && left == 0 && rest.len() % 4 != 1
}

/// All bits set if the condition holds.
#[inline(always)]
fn mask(condition: bool) -> u8 {
    u8::from(condition).wrapping_neg()
}

/// The characters of 24 bytes.
#[inline(always)]
fn characters(bytes: &[u8; WIDE_BYTES]) -> [u8; WIDE_CHARACTERS] {
    let mut places = [0; WIDE_CHARACTERS];
    for (place, six) in places.as_chunks_mut::<8>().0.iter_mut().zip(bytes.as_chunks::<6>().0) {
        *place = spread(*six);
    }
    for place in &mut places {
        let value = *place;
        // From 'A'; lower case lies 6 higher, digits 75 lower than that, '-' 13 lower, '_' 49 up.
        *place = value
            .wrapping_add(b'A')
            .wrapping_add(mask(value >= 26) & 6)
            .wrapping_sub(mask(value >= 52) & 75)
            .wrapping_sub(mask(value >= 62) & 13)
            .wrapping_add(mask(value >= 63) & 49);
    }
    places
}

/// The bytes of 16 characters. Sets bits of `wrong` at the place of each character outside the
/// alphabet; the result is then useless. (One `wrong` for all would prevent vector instructions.)
#[inline(always)]
fn bytes_of(characters: &[u8; CHARACTERS], wrong: &mut [u8; CHARACTERS]) -> [u8; BYTES] {
    let mut values = *characters;
    for (place, wrong) in values.iter_mut().zip(wrong) {
        let character = *place;
        let of = |first: u8, last: u8| mask(character.wrapping_sub(first) <= last - first);
        let (upper, lower, digit) = (of(b'A', b'Z'), of(b'a', b'z'), of(b'0', b'9'));
        let (minus, underscore) = (of(b'-', b'-'), of(b'_', b'_'));
        *wrong |= !(upper | lower | digit | minus | underscore);
        *place = character
            .wrapping_sub(upper & b'A')
            .wrapping_sub(lower & 71)
            .wrapping_add(digit & 4)
            .wrapping_add(minus & 17)
            .wrapping_sub(underscore & 32);
    }
    let mut bytes = [0; BYTES];
    for (six, eight) in bytes.as_chunks_mut::<6>().0.iter_mut().zip(values.as_chunks::<8>().0) {
        *six = join(*eight);
    }
    bytes
}

/// 48 bits as eight numbers of six.
#[inline(always)]
fn spread([a, b, c, d, e, f]: [u8; 6]) -> [u8; 8] {
    let bits = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
    // Two numbers of 24 bits in 32, four of 12 in 16, eight of 6 in 8.
    let bits = (bits & 0xffff_ff00_0000) << 8 | bits & 0xff_ffff;
    let bits = (bits & 0x00ff_f000_00ff_f000) << 4 | bits & 0x0000_0fff_0000_0fff;
    let bits = (bits & 0x0fc0_0fc0_0fc0_0fc0) << 2 | bits & 0x003f_003f_003f_003f;
    bits.to_be_bytes()
}

/// The 48 bits of eight numbers of six.
#[inline(always)]
fn join(eight: [u8; 8]) -> [u8; 6] {
    let bits = u64::from_be_bytes(eight);
    let bits = bits >> 2 & 0x0fc0_0fc0_0fc0_0fc0 | bits & 0x003f_003f_003f_003f;
    let bits = bits >> 4 & 0x00ff_f000_00ff_f000 | bits & 0x0000_0fff_0000_0fff;
    let bits = bits >> 8 & 0xffff_ff00_0000 | bits & 0xff_ffff;
    let [_, _, bytes @ ..] = bits.to_be_bytes();
    bytes
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

    fn texts(length: usize, state: u64) -> (Vec<u8>, Vec<u8>) {
        let bytes = bytes(length, state);
        let mut text = vec![b'!'; encoded(length).unwrap_or(0) + 9];
        encode(&bytes, &mut text);
        assert!(text.iter().rev().take(9).all(|byte| *byte == b'!'), "nothing past the end");
        text.truncate(text.len() - 9);
        (bytes, text)
    }

    #[test]
    fn texts_of_all_short_lengths_agree_with_a_slow_model_and_come_back() {
        for length in 0..200 {
            for state in 0..20 {
                let (bytes, text) = texts(length, state);
                assert_eq!(text, slowly(&bytes), "{length} bytes");
                let mut back = vec![0xee; decoded(text.len()) + 7];
                assert!(decode(&text, &mut back));
                assert!(back.starts_with(&bytes) && back.iter().skip(length).all(|b| *b == 0xee));
                assert_eq!(decoded(text.len()), length);
            }
        }
        assert_eq!(encoded(usize::MAX), None);
    }

    #[test]
    fn every_byte_at_every_place_is_a_character_of_the_alphabet_or_refused() {
        for length in 1..40 {
            let (bytes, text) = texts(length, 77);
            for at in 0..text.len() {
                for byte in 0..=255 {
                    let mut other = text.clone();
                    other.iter_mut().skip(at).take(1).for_each(|place| *place = byte);
                    let mut back = vec![0; length];
                    let accepted = decode(&other, &mut back);
                    // The only other texts that are accepted are those of other bytes.
                    let own = accepted && slowly(&back) == other;
                    assert_eq!(accepted, own, "{byte:#x} at {at} of {length} bytes");
                    let bits = ALPHABET.iter().position(|letter| *letter == byte);
                    let whole = at + 1 < text.len() || length % 3 == 0;
                    assert_eq!(accepted, bits.is_some_and(|_| whole || slowly(&back) == other));
                    assert_eq!(back == bytes && accepted, other == text);
                }
            }
        }
    }

    #[test]
    fn lengths_that_no_bytes_have_are_refused() {
        for length in (1..60).step_by(4) {
            assert!(!decode(&vec![b'A'; length], &mut [0; 64]), "{length} characters");
        }
    }

    #[test]
    fn a_place_too_short_is_filled_without_more() {
        let mut few = [0; 7];
        encode(&[0xff; 30], &mut few);
        assert!(decode(b"____", &mut [0; 1]), "the caller gives room");
    }
}
