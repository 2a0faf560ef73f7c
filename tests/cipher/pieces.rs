//! A plaintext in pieces becomes the frame of its concatenation, wherever it is cut.

use crate::common::{self, Random, cells, every_mode, key, sample};
use crate::model::book::Book;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::ledger::{Counts, Limits};
use hardware_aes_gcm::lanes::Bytes;

/// A text cut at `cuts` random places, of which some are equal: pieces of any length, also empty ones.
fn cut<'a>(mut text: Bytes<'a>, cuts: usize, random: &mut Random) -> Vec<Bytes<'a>> {
    let mut pieces = Vec::new();
    for _ in 0..cuts {
        // Half of the pieces are short, so that several lie in one register.
        let most = if random.below(2) == 0 { text.len().min(20) } else { text.len() };
        let (piece, rest) = text.split_at(random.below(most + 1));
        pieces.push(piece);
        text = rest;
    }
    pieces.push(text);
    pieces
}

#[test]
fn pieces_become_the_frame_of_the_book() {
    let mut random = Random(0x6761_7468_6572_6564);
    for (cpu, options) in every_mode() {
        let secret = random.bytes(32);
        let (mut key, book) = (key(cpu, &secret, options), Book::new(&secret));
        // Every number of registers, and every remainder of a block, up to four of the largest groups.
        let lengths = (0..=300).chain((300..2100).step_by(37)).chain([511, 512, 513, 1536, 5000]);
        for length in sample(lengths) {
            let (mut text, mut aad) = (random.bytes(length), random.bytes(13));
            let mut target = vec![7; length + OVERHEAD + 3];
            let cuts = random.below(9);
            let pieces = cut(cells(&mut text), cuts, &mut random);
            let written = key.encrypt_pieces_into(cells(&mut target), &pieces, cells(&mut aad));
            assert_eq!(written, Ok(length + OVERHEAD));
            let (frame, rest) = target.split_at(length + OVERHEAD);
            let nonce = match options.nonce_at {
                NonceAt::Start => frame.first_chunk().unwrap(),
                NonceAt::End => frame.last_chunk().unwrap(),
            };
            let lengths: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
            let (ciphertext, tag) = book.seal(nonce, &aad, &text);
            let wanted = common::frame(options.nonce_at, nonce, &ciphertext, &tag);
            assert!(frame == wanted, "{}: pieces of {lengths:?}", cpu.name());
            assert_eq!(rest, [7; 3]);
        }
    }
}

#[test]
fn a_refused_call_writes_no_byte() {
    let (cpu, _) = every_mode().next().unwrap();
    let limits = Limits { messages: 1, ..Limits::default() };
    let mut key = key(cpu, &[5; 16], Options { limits, ..Options::default() });
    let mut text = [1; 40];
    let text = cells(&mut text);
    let (fresh, spent) =
        (Counts::default(), Counts { messages: 1, bytes: 32, blocks: 3, failures: 0 });
    let mut encrypt = |pieces: &[Bytes], destroy: bool| {
        if destroy {
            key.destroy();
        }
        let mut target = [7; 60];
        let result = key.encrypt_pieces_into(cells(&mut target), pieces, &[]);
        (result, target == [7; 60], key.counts())
    };
    for pieces in [&[text][..], &[text, text], &[&text[..33]], &[&text[..16], &text[..17]]] {
        assert_eq!(encrypt(pieces, false), (Err(Error::TargetTooShort), true, fresh));
    }
    assert_eq!(encrypt(&[&text[..30], &[], &text[..2]], false), (Ok(60), false, spent));
    assert_eq!(encrypt(&[], false), (Err(Error::EncryptionsExhausted), true, spent));
    assert_eq!(encrypt(&[], true), (Err(Error::Destroyed), true, spent));
}
