//! Batches agree with the book frame by frame on every backend, and restore the frames that are not authentic.

use crate::common::{self, Random, cells, every_mode, key, sample, thinned};
use crate::model::book::Book;
use hardware_aes_gcm::key::Key;
use hardware_aes_gcm::key::batch::{Aad, Batch, Opened};
use hardware_aes_gcm::key::frames::{NonceAt, OVERHEAD};
use hardware_aes_gcm::key::ledger::Counts;
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::lanes::Bytes;
use std::num::NonZeroUsize;

/// Bytes after the last end.
const SPARE: [u8; 9] = [0x3c; 9];

/// Where ranges of these lengths end.
pub(crate) fn ends(lengths: impl IntoIterator<Item = usize>) -> Vec<u32> {
    lengths
        .into_iter()
        .scan(0, |end, length| {
            *end += length as u32;
            Some(*end)
        })
        .collect()
}

pub(crate) fn ranges<'a>(memory: Bytes<'a>, ends: &'a [u32]) -> Ranges<'a> {
    Ranges::ending_at(memory, ends).unwrap()
}

pub(crate) fn every(memory: Bytes<'_>, bytes: usize) -> Ranges<'_> {
    Ranges::every(memory, NonZeroUsize::new(bytes).unwrap()).unwrap()
}

/// A batch without associated data.
pub(crate) fn bare(frames: Ranges<'_>) -> Batch<'_> {
    Batch::new(frames, Aad::Same(&[])).unwrap()
}

fn nonce_of(nonce_at: NonceAt, frame: &[u8]) -> [u8; 12] {
    match nonce_at {
        NonceAt::Start => *frame.first_chunk().unwrap(),
        NonceAt::End => *frame.last_chunk().unwrap(),
    }
}

/// A nonce as the number that counts up.
fn number(nonce: [u8; 12]) -> u128 {
    nonce.iter().rev().fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}

/// The texts of a batch with their associated data, and the key as the book has it.
struct Case {
    book: Book,
    nonce_at: NonceAt,
    texts: Vec<Vec<u8>>,
    aads: Vec<Vec<u8>>,
}

impl Case {
    /// Texts of these lengths. With `each`, every one has associated data of its own.
    fn new(
        random: &mut Random,
        key: &[u8],
        nonce_at: NonceAt,
        lengths: &[usize],
        each: bool,
    ) -> Self {
        let texts = lengths.iter().map(|length| random.bytes(*length)).collect();
        let same = random.bytes(20);
        let aad = |_| {
            let length = random.below(40);
            if each { random.bytes(length) } else { same.clone() }
        };
        Self { book: Book::new(key), nonce_at, texts, aads: lengths.iter().map(aad).collect() }
    }

    fn ends(&self) -> Vec<u32> {
        ends(self.texts.iter().map(|text| text.len() + OVERHEAD))
    }

    /// The frame of text `i` under this nonce, as the book makes it.
    fn frame(&self, i: usize, nonce: [u8; 12]) -> Vec<u8> {
        let (ciphertext, tag) = self.book.seal(&nonce, &self.aads[i], &self.texts[i]);
        common::frame(self.nonce_at, &nonce, &ciphertext, &tag)
    }

    /// The frame of text `i` with plaintext in it.
    fn open_frame(&self, i: usize, nonce: &[u8], tag: &[u8]) -> Vec<u8> {
        common::frame(self.nonce_at, nonce, &self.texts[i], tag)
    }

    /// Runs `work` with a batch of `frames`, and returns its result and the memory.
    fn with<R>(
        &self,
        frames: &[Vec<u8>],
        each: bool,
        work: impl FnOnce(Batch) -> R,
    ) -> (R, Vec<u8>) {
        let mut memory = [frames.concat(), SPARE.to_vec()].concat();
        let mut aad = if each { self.aads.concat() } else { self.aads[0].clone() };
        let (ends, aad_ends) = (self.ends(), ends(self.aads.iter().map(Vec::len)));
        let aad = if each {
            Aad::Each(ranges(cells(&mut aad), &aad_ends))
        } else {
            Aad::Same(cells(&mut aad))
        };
        let result = work(Batch::new(ranges(cells(&mut memory), &ends), aad).unwrap());
        (result, memory)
    }

    /// The frames in `memory`, after a check of the bytes behind them.
    fn split<'a>(&self, memory: &'a [u8]) -> Vec<&'a [u8]> {
        let mut rest = memory;
        let frames = self.texts.iter().map(|text| rest.split_off(..text.len() + OVERHEAD).unwrap());
        let frames = frames.collect();
        assert_eq!(rest, SPARE, "bytes after the last end were changed");
        frames
    }

    fn check(&self, key: &mut Key, random: &mut Random, each: bool) {
        let count = self.texts.len();
        let plain: Vec<_> = (0..count).map(|i| self.open_frame(i, &[7; 12], &[7; 16])).collect();
        let (sealed, memory) = self.with(&plain, each, |batch| key.encrypt_batch(batch));
        assert_eq!(sealed, Ok(()));
        let mut last = None;
        for (i, frame) in self.split(&memory).into_iter().enumerate() {
            let nonce = nonce_of(self.nonce_at, frame);
            assert_eq!(frame, self.frame(i, nonce), "frame {i}");
            if let Some(last) = last {
                assert_eq!(number(nonce), (last + 1) & ((1 << 96) - 1), "nonces count up by one");
            }
            last = Some(number(nonce));
        }
        let nonces: Vec<[u8; 12]> =
            (0..count).map(|_| random.bytes(12).try_into().unwrap()).collect();
        let frames: Vec<_> = (0..count).map(|i| self.frame(i, nonces[i])).collect();
        let (opened, memory) = self.with(&frames, each, |batch| key.decrypt_batch(batch));
        assert_eq!(opened, Ok(Opened { failed: vec![], stopped_at: None }));
        for (i, frame) in self.split(&memory).into_iter().enumerate() {
            let tag = match self.nonce_at {
                NonceAt::Start => frames[i].last_chunk::<16>().unwrap(),
                NonceAt::End => frames[i][self.texts[i].len()..].first_chunk().unwrap(),
            };
            assert_eq!(frame, self.open_frame(i, &nonces[i], tag), "frame {i}");
        }
    }
}

#[test]
fn every_frame_is_that_of_the_book() {
    let mut random = Random(0x6261_7463_6865_7321);
    for (cpu, options) in every_mode() {
        for bytes in [16, 32] {
            let secret = random.bytes(bytes);
            let mut key = key(cpu, &secret, options);
            let mut long = vec![0, 5000, 1, 0, 700];
            long.extend((0..20).map(|_| random.below(2112)));
            let shapes =
                [sample(0..=300).collect(), vec![64; 40], vec![0; 20], long, vec![1412; 3]];
            let mut counts = Counts::default();
            for (lengths, each) in shapes.iter().flat_map(|shape| [(shape, false), (shape, true)]) {
                let case = Case::new(&mut random, &secret, options.nonce_at, lengths, each);
                case.check(&mut key, &mut random, each);
                counts.messages += lengths.len() as u64;
                counts.bytes += lengths.iter().sum::<usize>() as u64;
                counts.blocks +=
                    lengths.iter().map(|length| length.div_ceil(16) as u64 + 1).sum::<u64>();
                assert_eq!(key.counts(), counts);
            }
        }
    }
}

/// The kernel takes two frames at once if their texts have one length and are short: at most 256 bytes, with at most 256 bytes
/// of AAD. Here every length occurs twice in a row. In the batches with an odd number of frames, the pairs have two lengths.
#[test]
fn short_frames_in_pairs_are_those_of_the_book() {
    let mut random = Random(0x7061_6972_7321_2121);
    let different = [0, 0, 16, 17, 32, 33, 64, 65, 1, 128, 256, 257, 300];
    for (cpu, options) in every_mode() {
        let kinds = [(16, 0), (32, 0), (32, 13), (16, 33), (32, 64), (32, 257)];
        for (turn, (bytes, same)) in kinds.into_iter().enumerate() {
            // A third of the lengths for each kind, so that two kinds try each of them.
            let lengths = thinned(3, turn, 0..=512);
            let twice: Vec<usize> = lengths.flat_map(|length| [length, length]).collect();
            let secret = random.bytes(bytes);
            let mut key = key(cpu, &secret, options);
            for (lengths, each) in
                [(&*twice, false), (&twice[1..], false), (&*twice, true), (&twice[1..], true)]
            {
                let mut case = Case::new(&mut random, &secret, options.nonce_at, lengths, each);
                let same = random.bytes(same);
                for aad in &mut case.aads {
                    let length = different[random.below(different.len())];
                    *aad = if each { random.bytes(length) } else { same.clone() };
                }
                case.check(&mut key, &mut random, each);
            }
        }
    }
}

#[test]
fn every_subset_of_forged_frames_is_restored_and_listed() {
    let mut random = Random(0x7375_6273_6574_7321);
    let lengths = [0, 1, 16, 64, 300, 1500];
    for (cpu, options) in every_mode() {
        let secret = random.bytes(32);
        let mut key = key(cpu, &secret, options);
        let case = Case::new(&mut random, &secret, options.nonce_at, &lengths, true);
        let frames: Vec<_> = (0..lengths.len())
            .map(|i| case.frame(i, random.bytes(12).try_into().unwrap()))
            .collect();
        let mut failures = 0;
        for subset in 0..1_u32 << lengths.len() {
            let forged = (0..).zip(&frames).map(|(i, frame): (u32, &Vec<u8>)| {
                let (mut frame, bit) = (frame.clone(), random.below(frame.len() * 8));
                frame[bit / 8] ^= ((subset >> i & 1) as u8) << (bit % 8);
                frame
            });
            let forged: Vec<_> = forged.collect();
            let failed: Vec<u32> =
                (0..lengths.len() as u32).filter(|i| subset >> i & 1 == 1).collect();
            failures += failed.len() as u64;
            let (opened, memory) = case.with(&forged, true, |batch| key.decrypt_batch(batch));
            assert_eq!(opened, Ok(Opened { failed, stopped_at: None }));
            for (i, frame) in case.split(&memory).into_iter().enumerate() {
                if subset >> i & 1 == 1 {
                    assert_eq!(frame, forged[i], "subset {subset:b}: frame {i} was changed");
                } else {
                    let text =
                        options.nonce_at.split::<12>(cells(&mut frame.to_vec())).map(|parts| {
                            parts.text.iter().map(std::cell::Cell::get).collect::<Vec<_>>()
                        });
                    assert_eq!(text.as_ref(), Some(&case.texts[i]), "subset {subset:b}: frame {i}");
                }
            }
            assert_eq!(key.counts().failures, failures);
        }
    }
}
