//! Any ends of frames and of associated data, over memory of any size: what is refused, where, and which bytes a call may touch.

use super::options;
use crate::common::{cells, key};
use crate::input::Input;
use crate::plant;
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::batch::{Aad, Batch, Opened};
use hardware_aes_gcm::key::frames::OVERHEAD;
use hardware_aes_gcm::key::ledger::Limits;
use hardware_aes_gcm::key::ranges::{ErrorAt, Ranges};
use std::num::NonZeroUsize;

/// Ranges as a caller asks for them.
enum Asked {
    Every(NonZeroUsize),
    At(Vec<u32>),
}

impl Asked {
    fn read(input: &mut Input) -> Self {
        let choice = input.byte();
        if let Some(bytes) = NonZeroUsize::new(input.below(300)).filter(|_| choice & 1 == 1) {
            return Self::Every(bytes);
        }
        // Ends that mostly ascend, and at times any number.
        let mut end = 0u32;
        let ends = (0..choice >> 4).map(|_| {
            let step = input.array::<2>();
            end = match step[1] {
                0xff => u32::from_le_bytes(input.array()),
                0xfe => end.wrapping_sub(u32::from(step[0])),
                _ => end.wrapping_add(u32::from(step[0])),
            };
            end
        });
        Self::At(ends.collect())
    }

    /// The model: every range, or the refusal.
    fn expected(&self, length: usize) -> Result<Vec<(usize, usize)>, ErrorAt> {
        match self {
            Self::Every(bytes) => {
                let starts = (0..length).step_by(bytes.get());
                Ok(starts.map(|start| (start, length.min(start + bytes.get()))).collect())
            }
            Self::At(ends) => {
                let mut start = 0;
                let mut ranges = Vec::new();
                for (index, end) in ends.iter().map(|end| *end as usize).enumerate() {
                    if end < start {
                        return Err(ErrorAt { error: Error::EndDescends, index });
                    }
                    if end > length {
                        return Err(ErrorAt { error: Error::EndOutside, index });
                    }
                    ranges.push((start, end));
                    start = end;
                }
                Ok(ranges)
            }
        }
    }

    fn ranges<'a>(&'a self, memory: &'a mut [u8]) -> Result<Ranges<'a>, ErrorAt> {
        match self {
            Self::Every(bytes) => Ranges::every(cells(memory), *bytes),
            Self::At(ends) => Ranges::ending_at(cells(memory), ends),
        }
    }
}

pub(crate) fn any_ends(mut input: Input) {
    let mut options = options(&mut input);
    let messages = u64::from(input.byte() % 16);
    options.limits = Limits { messages, ..Limits::default() };
    let (asked, asked_aad, each) = (Asked::read(&mut input), Asked::read(&mut input), input.bit());
    let (length, aad_length) = (input.below(2000), input.below(600));
    let (before, mut aad) = (input.text(length), input.text(aad_length));
    let (expected, expected_aad) = (asked.expected(length), asked_aad.expected(aad_length));
    let aad = if each {
        let ranges = asked_aad.ranges(&mut aad);
        let count = ranges.map(|ranges| ranges.count());
        assert_eq!(count, expected_aad.as_ref().map(Vec::len).map_err(|error| *error));
        match ranges {
            Ok(ranges) => Aad::Each(ranges),
            Err(_) => return,
        }
    } else {
        Aad::Same(cells(&mut aad))
    };
    let of_aad = if each { expected_aad.map_or(0, |ranges| ranges.len()) } else { 0 };
    for cpu in Cpu::all() {
        let mut memory = before.clone();
        let mut key = key(cpu, &[9; 16], options);
        let frames = asked.ranges(&mut memory);
        let (frames, expected) = match (frames, &expected) {
            (Ok(frames), Ok(expected)) => (frames, expected),
            (frames, expected) => {
                assert_eq!(frames.err(), expected.as_ref().err().copied());
                return;
            }
        };
        assert_eq!(frames.count(), expected.len());
        let Ok(batch) = Batch::new(frames, aad) else {
            assert!(each && of_aad != expected.len(), "AAD for each frame was refused");
            return;
        };
        assert!(!each || of_aad == expected.len());
        let lengths = || expected.iter().map(|(start, end)| end - start);
        // These bytes are not authentic: all frames fail, and stay.
        let all = Opened { failed: (0..expected.len() as u32).collect(), stopped_at: None };
        assert_eq!(key.decrypt_batch(batch), Ok(all));
        let result = key.encrypt_batch(batch);
        let mut left = messages;
        // The lengths are checked in the order of the frames; the limit of messages holds for all of them.
        let short = lengths().position(|length| length < OVERHEAD);
        let refusal = match short {
            Some(index) => Some(ErrorAt { error: Error::FrameTooShort, index }),
            None if expected.len() as u64 > messages => Some(Error::EncryptionsExhausted.into()),
            None => None,
        };
        if let Some(refusal) = refusal {
            // Which of two refusals comes first is not promised.
            let error = result.expect_err("a batch that must be refused");
            let exhausted = expected.len() as u64 > messages;
            assert!(error == refusal || (exhausted && error.error == Error::EncryptionsExhausted));
            assert_eq!(plant::result(memory), before, "a refused batch wrote");
            continue;
        }
        assert_eq!(result, Ok(()));
        left -= expected.len() as u64;
        assert_eq!(key.counts().messages, messages - left);
        let end = expected.last().map_or(0, |(_, end)| *end);
        assert_eq!(memory[end..], before[end..], "bytes after the last end");
        assert_eq!(key.decrypt_batch(again(&asked, &mut memory, aad)), Ok(nothing()));
        for (start, end) in expected {
            let text = |bytes: &[u8]| -> Vec<u8> {
                let mut frame = bytes[*start..*end].to_vec();
                let parts = options.nonce_at.split::<12>(cells(&mut frame)).expect("a frame");
                parts.text.iter().map(std::cell::Cell::get).collect()
            };
            assert_eq!(plant::result(text(&memory)), text(&before));
        }
    }
}

fn again<'a>(asked: &'a Asked, memory: &'a mut [u8], aad: Aad<'a>) -> Batch<'a> {
    Batch::new(asked.ranges(memory).expect("as before"), aad).expect("as before")
}

fn nothing() -> Opened {
    Opened { failed: vec![], stopped_at: None }
}
