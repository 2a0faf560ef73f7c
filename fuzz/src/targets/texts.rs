//! The digits of share texts, base32 and hexadecimal, against tables.

use crate::common::cells;
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::protocol::shamir::text;

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &[u8; 16] = b"0123456789abcdef";

pub(crate) fn digits(mut input: Input) {
    let (mode, rest) = (input.byte(), input);
    let mut given = rest.rest().to_vec();
    if mode & 1 == 1 {
        // Digits, so that more of them are valid: a bit more in the byte means any byte.
        let table: &[u8] = if mode & 2 == 0 { BASE32 } else { HEX };
        for byte in &mut given {
            *byte =
                if *byte < 0xf8 { table[usize::from(*byte) % table.len()] } else { *byte & 0x7f };
        }
    }
    base32(&given);
    hex(&given);
}

fn bits(values: &[u8], width: usize) -> Vec<bool> {
    values.iter().flat_map(|value| (0..width).rev().map(move |bit| value >> bit & 1 == 1)).collect()
}

fn number(bits: &[bool]) -> u8 {
    bits.iter().fold(0, |sum, bit| sum << 1 | u8::from(*bit))
}

fn base32(given: &[u8]) {
    // Bytes to digits.
    let mut made = vec![0x5c; (given.len() * 8).div_ceil(5)];
    text::encode_base32(cells(&mut given.to_vec()), cells(&mut made));
    let mut all = bits(given, 8);
    all.resize(made.len() * 5, false);
    let expected: Vec<u8> = all.chunks(5).map(|bits| BASE32[usize::from(number(bits))]).collect();
    assert_eq!(plant::result(made.clone()), expected);
    let mut back = vec![0x5c; given.len()];
    assert!(bool::from(text::decode_base32(cells(&mut made), cells(&mut back))));
    assert_eq!(back, given);
    // Digits to bytes, if they are digits.
    let values: Option<Vec<u8>> = given
        .iter()
        .map(|digit| BASE32.iter().position(|known| known == digit).map(|value| value as u8))
        .collect();
    let mut read = vec![0x5c; given.len() * 5 / 8];
    let valid = bool::from(text::decode_base32(cells(&mut given.to_vec()), cells(&mut read)));
    let all = values.as_ref().map(|values| bits(values, 5));
    let rest_is_zero = |all: &Vec<bool>| all[read.len() * 8..].iter().all(|bit| !bit);
    assert_eq!(valid, all.as_ref().is_some_and(rest_is_zero));
    if let Some(all) = all {
        let expected: Vec<u8> = all[..read.len() * 8].chunks(8).map(number).collect();
        assert_eq!(plant::result(read), expected);
    }
}

fn hex(given: &[u8]) {
    let mut made = vec![0x5c; given.len() * 2];
    text::encode_hex(cells(&mut given.to_vec()), cells(&mut made));
    let expected: Vec<u8> = given
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| HEX[usize::from(digit)])
        .collect();
    assert_eq!(plant::result(made), expected);
    let even = &given[..given.len() / 2 * 2];
    let mut read = vec![0x5c; even.len() / 2];
    let valid = bool::from(text::decode_hex(cells(&mut even.to_vec()), cells(&mut read)));
    assert_eq!(valid, even.iter().all(u8::is_ascii_hexdigit));
    if valid {
        let digits = std::str::from_utf8(even).expect("ASCII");
        let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("digits");
        assert_eq!(plant::result(read), (0..even.len() / 2).map(byte).collect::<Vec<_>>());
    }
}
