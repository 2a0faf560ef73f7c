//! Batches, some frames of which are forged: every frame is that of the model, and the forged ones are listed and restored, up to the
//! limit of failures.

use super::{Modelled, frame, key_bytes, nonce_of, of_a_cipher, options};
use crate::common::{self, cells, key_of};
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::key::KeyOf;
use hardware_aes_gcm::key::batch::{Aad, Batch, Opened};
use hardware_aes_gcm::key::frames::overhead;
use hardware_aes_gcm::key::ledger::Limits;
use hardware_aes_gcm::key::ranges::Ranges;

pub(crate) fn in_one_call(mut input: Input) {
    of_a_cipher!(input, of_cipher);
}

/// Where ranges of these lengths end.
fn ends(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    lengths
        .scan(0, |end, length| {
            *end += length as u32;
            Some(*end)
        })
        .collect()
}

fn of_cipher<M: Modelled<N>, const N: usize>(mut input: Input) {
    let mut options = options(&mut input);
    options.limits = Limits { failures: u64::from(input.byte() % 8) + 1, ..Limits::default() };
    let (each, forge, flip) = (input.bit(), input.word(), input.below(usize::from(u16::MAX)));
    let bytes = key_bytes::<M, N>(&mut input);
    let count = usize::from(input.byte() % 9);
    let lengths = input.lengths(count, 1024);
    let aads: Vec<Vec<u8>> = (0..count.max(1))
        .map(|_| {
            // Most have a few blocks at most; some fill the registers of a pair on the widest backend.
            let (long, length) = (input.byte() % 8 == 0, usize::from(input.byte()));
            input.random(if long { length } else { length % 64 })
        })
        .collect();
    let aad_of = |i: usize| &aads[if each { i } else { 0 }];
    let mut all_aad = if each { aads[..count].concat() } else { aads[0].clone() };
    let aad_ends = ends(aads[..count].iter().map(Vec::len));
    let frame_ends = ends(lengths.iter().map(|length| length + overhead::<N>()));
    let all_aad = cells(&mut all_aad);
    let aad = if each {
        Aad::Each(Ranges::ending_at(all_aad, &aad_ends).expect("ascending ends"))
    } else {
        Aad::Same(all_aad)
    };
    let texts: Vec<_> = lengths.iter().map(|length| input.text(*length)).collect();
    let plain: Vec<u8> = texts
        .iter()
        .flat_map(|text| common::frame(options.nonce_at, &[7; N], text, &[7; 16]))
        .collect();
    for cpu in Cpu::all() {
        let name = cpu.name();
        let mut key: KeyOf<M::Key, N> = key_of(cpu, &bytes, options);
        let mut memory = plain.clone();
        let frames = Ranges::ending_at(cells(&mut memory), &frame_ends).expect("ascending ends");
        assert_eq!(key.encrypt_batch(Batch::new(frames, aad).expect("a batch")), Ok(()), "{name}");
        let mut rest = &memory[..];
        let mut expected = Vec::new();
        for (i, text) in texts.iter().enumerate() {
            let made = rest.split_off(..text.len() + overhead::<N>()).expect("a frame");
            let nonce = nonce_of::<N>(options.nonce_at, made);
            expected.extend(frame::<M, N>(options.nonce_at, &bytes, &nonce, aad_of(i), text));
        }
        assert_eq!(plant::result(memory.clone()), expected, "{name}");

        // Forge some, and predict the result.
        let (mut predicted, mut opened) =
            (memory.clone(), Opened { failed: vec![], stopped_at: None });
        let mut start = 0;
        for (i, text) in texts.iter().enumerate() {
            let range = start..start + text.len() + overhead::<N>();
            start = range.end;
            let is_forged = forge >> i & 1 == 1;
            if is_forged {
                let bit = flip % (range.len() * 8);
                memory[range.start + bit / 8] ^= 1 << (bit % 8);
                predicted[range.clone()].copy_from_slice(&memory[range.clone()]);
            }
            if opened.failed.len() as u64 == options.limits.failures {
                opened.stopped_at.get_or_insert(i as u32);
            } else if is_forged {
                opened.failed.push(i as u32);
            } else {
                let parts = options.nonce_at.split::<N>(cells(&mut predicted[range]));
                let place = parts.expect("a frame").text;
                place.iter().zip(text).for_each(|(to, from)| to.set(*from));
            }
        }
        let failures = opened.failed.len() as u64;
        let frames = Ranges::ending_at(cells(&mut memory), &frame_ends).expect("ascending ends");
        let result = key.decrypt_batch(Batch::new(frames, aad).expect("a batch"));
        assert_eq!(result, Ok(opened), "{name}");
        assert_eq!(memory, predicted, "{name}");
        assert_eq!(key.counts().failures, failures, "{name}");
    }
}
