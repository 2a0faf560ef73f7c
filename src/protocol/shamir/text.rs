//! Base32 (RFC 4648 6, upper case, without padding) and hexadecimal digits (lower case), without a
//! branch or an index that depends on a byte.

use crate::lanes::Bytes;
use subtle::Choice;

/// All bits set if `value` lies between `least` and `most`, otherwise 0, by signs of differences.
fn between(least: i32, value: i32, most: i32) -> i32 {
    !((value - least) | (most - value)) >> 31
}

/// Base32 digits of `bytes`, as many as `digits` has: `8 · bytes / 5`, rounded up, zero-padded.
pub fn encode_base32(bytes: Bytes, digits: Bytes) {
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| i32::from(byte.get()));
    for (i, digit) in digits.iter().enumerate() {
        let (at, shift) = (i * 5 / 8, i * 5 % 8);
        let value = ((byte(at) << 8 | byte(at + 1)) >> (11 - shift)) & 31;
        // 'A' is 65; '2', for 26, is 50.
        digit.set((value + 65 - (between(26, value, 31) & 41)) as u8);
    }
}

/// The bytes of base32 digits, as many as `bytes` has: `5 · digits / 8`, rounded down. False if a
/// character is no upper-case digit, or if a bit after the last byte is set.
pub fn decode_base32(digits: Bytes, bytes: Bytes) -> Choice {
    let (mut valid, mut window, mut bits) = (-1, 0, 0);
    let mut bytes = bytes.iter();
    for digit in digits {
        let digit = i32::from(digit.get());
        let (letter, number) = (between(65, digit, 90), between(50, digit, 55));
        valid &= letter | number;
        window = (window << 5 | (letter & (digit - 65)) | (number & (digit - 24))) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            if let Some(byte) = bytes.next() {
                byte.set((window >> bits) as u8);
            }
        }
    }
    let rest = window & ((1 << bits) - 1);
    choice(valid & between(0, rest, 0))
}

/// Two hexadecimal digits for each byte.
pub fn encode_hex(bytes: Bytes, digits: Bytes) {
    for (byte, digits) in bytes.iter().zip(digits.as_chunks::<2>().0) {
        let byte = i32::from(byte.get());
        for (digit, value) in digits.iter().zip([byte >> 4, byte & 15]) {
            // '0' is 48; 'a', for 10, is 97.
            digit.set((value + 48 + (between(10, value, 15) & 39)) as u8);
        }
    }
}

/// A byte for each two hexadecimal digits, of either case. False if a character is no digit.
pub fn decode_hex(digits: Bytes, bytes: Bytes) -> Choice {
    let mut valid = -1;
    for (digits, byte) in digits.as_chunks::<2>().0.iter().zip(bytes) {
        let values = digits.each_ref().map(|digit| {
            let digit = i32::from(digit.get());
            let number = between(48, digit, 57);
            let (upper, lower) = (between(65, digit, 70), between(97, digit, 102));
            valid &= number | upper | lower;
            (number & (digit - 48)) | (upper & (digit - 55)) | (lower & (digit - 87))
        });
        let [high, low] = values;
        byte.set((high << 4 | low) as u8);
    }
    choice(valid)
}

/// True if all bits are set, false if all are 0.
fn choice(mask: i32) -> Choice {
    Choice::from((mask & 1) as u8)
}
