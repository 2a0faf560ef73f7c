//! Chunks of a message: any lengths, numbers and cuts, and forgeries of a message of three chunks.

use super::Gcm;
use crate::common::{Random, cells, secret};
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ranges::ErrorAt;
use hardware_aes_gcm::protocol::chunks::{CHUNK_BYTES, Chunks, MAX_CHUNKS, SEALED_BYTES};
use std::cell::RefCell;
use std::sync::LazyLock;

thread_local!(static ARENA: RefCell<Arena> = RefCell::default());

const LAST: usize = 77;
const BASE: [u8; 12] = *b"base nonce 1";
const KEY: [u8; 32] = *b"a key of one message, 32 bytes..";

/// A text of three chunks, and the sealed chunks by the model: the whole ones take it too long to make them for each input.
static MESSAGE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let text = Random(0x6368_756e_6b73).bytes(2 * CHUNK_BYTES + LAST);
    let sealed =
        text.chunks(CHUNK_BYTES).zip(0..).flat_map(|(text, number)| seal(&KEY, BASE, number, text));
    let sealed = sealed.collect();
    (text, sealed)
});

/// The model: one chunk.
fn seal(key: &[u8], mut nonce: [u8; 12], number: u64, text: &[u8]) -> Vec<u8> {
    let number = u128::from(number).to_be_bytes();
    nonce.iter_mut().zip(&number[4..]).for_each(|(byte, number)| *byte ^= number);
    let (text, tag) = super::seal::<Gcm, 12>(key, &nonce, &[], text);
    [&text[..], &tag].concat()
}

fn chunks(cpu: Cpu, key: &[u8], base: [u8; 12]) -> Chunks {
    ARENA.with_borrow_mut(|arena| Chunks::new(cpu, &secret(key), base, arena)).expect("a key")
}

pub(crate) fn of_a_message(mut input: Input) {
    // Whole chunks take Miri minutes.
    if input.byte() % 4 == 0 && !cfg!(miri) { forged(input) } else { short(input) }
}

/// A last chunk of any length, with any number, and everything that is refused.
fn short(mut input: Input) {
    let (sizes, first) = (input.byte(), input.word() >> (input.byte() % 64));
    let room = input.length();
    let key = input.random(if sizes & 1 == 0 { 16 } else { 32 });
    let base = input.array();
    let length = input.length();
    let text = input.text(length);
    let (sealed, expected) = (seal(&key, base, first, &text), seal(&key, base, 0, &text));
    let last = sizes & 2 == 0;
    for cpu in Cpu::all() {
        let mut made = vec![0x5c; room];
        let result = chunks(cpu, &key, base).seal(cells(&mut text.clone()), cells(&mut made), last);
        let refused = match (last, room) {
            (false, _) if !text.is_empty() => Some(Error::PartialChunk),
            (true, room) if room < length + 16 => Some(Error::TargetTooShort),
            _ => None,
        };
        match refused {
            Some(error) => assert_eq!((result, made), (Err(error), vec![0x5c; room])),
            None if last => {
                assert_eq!(result, Ok(length + 16));
                assert_eq!(made[..length + 16], expected);
                assert_eq!(made[length + 16..], vec![0x5c; room - length - 16]);
            }
            None => assert_eq!((result, made), (Ok(0), vec![0x5c; room])),
        }
        let mut opened = vec![0x5c; room];
        let chunks = chunks(cpu, &key, base);
        let (mut source, target) = (sealed.clone(), cells(&mut opened));
        let result = chunks.open(first, cells(&mut source), target, true);
        let refused = if first >= MAX_CHUNKS {
            Some(Error::TooManyChunks)
        } else if room < length {
            Some(Error::TargetTooShort)
        } else {
            None
        };
        match refused {
            Some(error) => {
                assert_eq!((result, opened), (Err(ErrorAt { error, index: 0 }), vec![0x5c; room]));
            }
            None => {
                assert_eq!(result, Ok(length));
                assert_eq!(plant::result(opened[..length].to_vec()), text, "{}", cpu.name());
                assert_eq!(opened[length..], vec![0x5c; room - length]);
            }
        }
    }
}

/// Some chunks of a message, one byte of which may be wrong.
fn forged(mut input: Input) {
    let (from, to) = (input.below(SEALED_BYTES * 2 + LAST + 17), input.byte());
    let (number, flip, at) = (input.byte() % 4, input.byte(), input.word() as usize);
    let (text, sealed) = &*MESSAGE;
    // Mostly from the beginning of a chunk to the end of one.
    let from = if from % 8 == 0 { from } else { from % 3 * SEALED_BYTES };
    let to = match to {
        0..128 => sealed.len(),
        128..192 => from + SEALED_BYTES,
        192..224 => from + 2 * SEALED_BYTES,
        _ => from + usize::from(to) * 91,
    };
    let part = &sealed[from..to.clamp(from, sealed.len())];
    let last = input.bit();
    let mut source = part.to_vec();
    let at = at % source.len().max(1);
    if let Some(byte) = source.get_mut(at) {
        *byte ^= flip;
    }
    let number = u64::from(number);
    // Which of these chunks are genuine: whole chunks of the message, unchanged, with their number.
    let genuine = |index: usize| {
        let start = from + index * SEALED_BYTES;
        let whole = start % SEALED_BYTES == 0 && start / SEALED_BYTES == number as usize + index;
        let end = sealed.len().min(start + SEALED_BYTES);
        whole && from + source.len() >= end && (flip == 0 || at / SEALED_BYTES != index)
    };
    let rest = source.len() % SEALED_BYTES;
    let count = source.len() / SEALED_BYTES + usize::from(last);
    let expected = if last != (rest >= 16) || (rest > 0 && rest < 16) {
        Err(ErrorAt { error: Error::PartialChunk, index: 0 })
    } else {
        match (0..count).find(|index| !genuine(*index)) {
            Some(index) => Err(ErrorAt { error: Error::Authentication, index }),
            None => Ok(source.len() - count * 16),
        }
    };
    for cpu in Cpu::all() {
        let mut opened = vec![0x5c; source.len()];
        let chunks = chunks(cpu, &KEY, BASE);
        let result = chunks.open(number, cells(&mut source.clone()), cells(&mut opened), last);
        assert_eq!(result, expected, "{}", cpu.name());
        let good = match expected {
            Ok(bytes) => bytes,
            Err(ErrorAt { error: Error::Authentication, index }) => {
                let end = source.len().saturating_sub(16 * count).min((index + 1) * CHUNK_BYTES);
                let place = &opened[index * CHUNK_BYTES..end];
                assert!(place.iter().all(|byte| *byte == 0), "the place of a forged chunk");
                assert!(opened[end..].iter().all(|byte| *byte == 0x5c), "the rest");
                index * CHUNK_BYTES
            }
            Err(_) => {
                assert!(opened.iter().all(|byte| *byte == 0x5c), "a refused call wrote");
                0
            }
        };
        let start = number as usize * CHUNK_BYTES;
        let expected = text.get(start..start + good).unwrap_or_default();
        assert_eq!(plant::result(opened[..good].to_vec()), expected, "{}", cpu.name());
    }
}
