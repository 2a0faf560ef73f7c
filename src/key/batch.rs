//! Many frames in one memory: checked as a whole, then encrypted or decrypted inside one guard.
//!
//! The guard clears registers and stack once instead of once for each frame, and the CPU overlaps
//! short frames, since no frame depends on another one.

use super::frames::{FrameParts, overhead};
use super::ranges::{ErrorAt, Iter, Ranges};
use super::{Bounded, KeyOf, open};
use crate::backend::{Cipher, Message};
use crate::error::Error;
use crate::lanes::{Block, Bytes, read, write};

/// The frames of a batch, and their associated data.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    frames: Ranges<'a>,
    aad: Aad<'a>,
}

/// The associated data of a batch.
#[derive(Clone, Copy)]
pub enum Aad<'a> {
    /// The same for every frame.
    Same(Bytes<'a>),
    /// A range for each frame.
    Each(Ranges<'a>),
}

/// The result of decrypting a batch.
#[derive(Debug, PartialEq, Eq)]
pub struct Opened {
    /// The indexes of the frames that failed authentication, ascending.
    pub failed: Vec<u32>,
    /// The index of the first frame that was not touched, since the limit of failures was reached.
    pub stopped_at: Option<u32>,
}

impl<'a> Batch<'a> {
    /// A batch of these frames.
    ///
    /// # Errors
    /// [`Error::AadCount`] if `aad` does not have a range for each frame.
    pub fn new(frames: Ranges<'a>, aad: Aad<'a>) -> Result<Self, Error> {
        match aad {
            Aad::Each(ranges) if ranges.count() != frames.count() => Err(Error::AadCount),
            _ => Ok(Self { frames, aad }),
        }
    }

    /// A length that the associated data of no frame exceeds.
    fn longest_aad(&self) -> usize {
        match self.aad {
            Aad::Same(aad) => aad.len(),
            Aad::Each(ranges) => ranges.longest(),
        }
    }

    /// Each frame with its associated data.
    #[inline(always)]
    fn iter(&self) -> Frames<'a> {
        let (aad, each) = match self.aad {
            Aad::Same(aad) => (aad, None),
            Aad::Each(ranges) => (&[][..], Some(ranges.iter())),
        };
        Frames { frames: self.frames.iter(), aad, each }
    }
}

/// Each frame with its associated data, in order.
struct Frames<'a> {
    frames: Iter<'a>,
    /// The associated data of every frame, unless `each` has one for it.
    aad: Bytes<'a>,
    each: Option<Iter<'a>>,
}

impl<'a> Iterator for Frames<'a> {
    type Item = (Bytes<'a>, Bytes<'a>);

    // Inlined into loops inside a guard.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let frame = self.frames.next()?;
        let aad = match &mut self.each {
            Some(each) => each.next()?,
            None => self.aad,
        };
        Some((frame, aad))
    }
}

/// The text of a frame as a message.
#[inline(always)]
fn message<'a, const N: usize>(
    parts: FrameParts<'a, N>,
    nonce: &'a [u8; N],
    aad: Bytes<'a>,
) -> Message<'a, N> {
    Message { nonce, aad, source: parts.text, target: parts.text }
}

/// Writes what surrounds the ciphertext of a frame.
#[inline(always)]
fn complete<const N: usize>(parts: FrameParts<N>, nonce: &[u8; N], tag: &Block) {
    write(parts.nonce, nonce);
    write(parts.tag, tag);
}

impl<C: Bounded<N>, const N: usize> KeyOf<C, N> {
    /// Encrypts every frame of `batch` in place, as [`encrypt_in_place`](KeyOf::encrypt_in_place)
    /// does. All nonces are taken before the first frame, under one salt.
    ///
    /// # Errors
    /// As [`encrypt_in_place`](KeyOf::encrypt_in_place), with the index of the first short frame.
    /// The limits apply to the whole batch. A failed call neither writes nor counts.
    pub fn encrypt_batch(&mut self, batch: Batch) -> Result<(), ErrorAt> {
        self.alive()?;
        let mut encrypted = self.ledger.encrypted;
        let (mut index, aad) = (0, batch.longest_aad());
        for (count, length) in batch.frames.runs() {
            let Some(text) = length.checked_sub(overhead::<N>()) else {
                return Err(ErrorAt { error: Error::FrameTooShort, index });
            };
            encrypted = encrypted.plus_messages(C::BOUNDS, count, text, aad)?;
            index += count;
        }
        let frames = batch.frames.count() as u64;
        if frames == 0 {
            return Ok(());
        }
        let mut nonces = self.ledger.take_nonces(frames, encrypted)?;
        let (state, nonce_at) = (self.alive()?, self.nonce_at);
        state.within(|cipher| {
            let mut frames = batch.iter();
            // The loop above has found that every frame has its parts.
            let mut next =
                || frames.next().and_then(|(frame, aad)| Some((nonce_at.split(frame)?, aad)));
            while let Some((a, aad_a)) = next() {
                let nonce_a = nonces.take();
                let message_a = message(a, &nonce_a, aad_a);
                let Some((b, aad_b)) = next() else {
                    complete(a, &nonce_a, &cipher.seal(message_a));
                    break;
                };
                let nonce_b = nonces.take();
                let [tag_a, tag_b] = cipher.seal_pair(message_a, message(b, &nonce_b, aad_b));
                complete(a, &nonce_a, &tag_a);
                complete(b, &nonce_b, &tag_b);
            }
        });
        Ok(())
    }

    /// Decrypts every frame of `batch` in place. A frame that fails authentication, or is too
    /// short, stays as it was, is counted as a failure, and is listed in the result. Once the limit
    /// of failures is reached, the frames that follow are not touched.
    ///
    /// # Errors
    /// Those of every operation, and [`Error::FailuresExhausted`] if the limit of failures was
    /// reached before; [`Error::NoMemory`] for the list of failures. A failed call does not write.
    pub fn decrypt_batch(&mut self, batch: Batch) -> Result<Opened, Error> {
        self.alive()?;
        self.ledger.check_lengths(
            batch.frames.longest().saturating_sub(overhead::<N>()),
            batch.longest_aad(),
        )?;
        let count = batch.frames.count() as u32;
        let mut opened = Opened { failed: Vec::new(), stopped_at: None };
        if count == 0 {
            return Ok(opened);
        }
        self.ledger.allow_decryption()?;
        // All at once: there may be no memory for more when some frames are decrypted already.
        opened.failed.try_reserve_exact(count as usize).map_err(|_| Error::NoMemory)?;
        let state = self.state.as_ref().ok_or(Error::Destroyed)?;
        let (nonce_at, verify_first) = (self.nonce_at, self.verify_first);
        let mut frames = batch.iter();
        let mut done = 0u32;
        // A failure ends the guard, since counting it may allocate. Otherwise there is one guard.
        while state.within(|cipher| {
            for (frame, aad) in frames.by_ref() {
                done = done.wrapping_add(1);
                let Some(parts) = nonce_at.split(frame) else { return true };
                let nonce = read(parts.nonce);
                let message =
                    Message { nonce: &nonce, aad, source: parts.text, target: parts.text };
                if !open::open_inside(cipher, message, &read(parts.tag), verify_first) {
                    return true;
                }
            }
            false
        }) {
            self.ledger.count_failure();
            opened.failed.push(done - 1);
            if done < count && self.ledger.allow_decryption().is_err() {
                opened.stopped_at = Some(done);
                break;
            }
        }
        Ok(opened)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    #![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]

    use super::{Aad, Batch};
    use crate::backend::Cpu;
    use crate::error::Error;
    use crate::key::arena::Arena;
    use crate::key::ledger::MAX_BLOCKS;
    use crate::key::ranges::{ErrorAt, Ranges};
    use crate::key::{Key, Options};
    use crate::rng::shared::SharedGenerator;
    use crate::secret::SecretKey;
    use core::cell::Cell;

    #[test]
    fn the_limit_of_blocks_holds_for_a_batch_as_a_whole() {
        let (mut arena, generator) = (Arena::default(), SharedGenerator::default());
        let secret = SecretKey::copy(&[const { Cell::new(7) }; 32]).unwrap();
        let (cpu, options) = (Cpu::best().unwrap(), Options::default());
        let mut key = Key::new(cpu, &secret, options, &mut arena, &generator).unwrap();
        key.ledger.encrypted.blocks = MAX_BLOCKS - 6;
        let memory = [const { Cell::new(7) }; 4 * 44];
        let mut encrypt = |ends: &[u32]| -> Result<_, ErrorAt> {
            let batch = Batch::new(Ranges::ending_at(&memory, ends)?, Aad::Same(&[]))?;
            key.encrypt_batch(batch)?;
            Ok((key.counts().messages, key.counts().blocks))
        };
        // Two blocks for each of these frames.
        let refusal = Err(Error::EncryptionsExhausted.into());
        assert_eq!(encrypt(&[44, 88, 132, 176]), refusal);
        assert!(memory.iter().all(|byte| byte.get() == 7), "a refused batch wrote");
        assert_eq!(encrypt(&[44, 88, 132]), Ok((3, MAX_BLOCKS)));
        assert_eq!(encrypt(&[28]), refusal);
    }

    /// A batch would pass the limit of associated data (SP 800-38D 5.2.1.1) that single frames
    /// keep. No address space has room for that: the test asks for the length that meets the limit.
    #[test]
    fn the_limit_of_associated_data_sees_all_of_it() {
        let memory = [const { Cell::new(0) }; 3 * 28];
        let frames = Ranges::ending_at(&memory, &[28, 56, 84]).unwrap();
        let same = |bytes| Batch::new(frames, Aad::Same(&memory[..bytes])).unwrap().longest_aad();
        assert_eq!([0, 1, 84].map(same), [0, 1, 84]);
        let each = |ends| {
            let aad = Ranges::ending_at(&memory, ends).unwrap();
            Batch::new(frames, Aad::Each(aad)).unwrap().longest_aad()
        };
        assert!(each(&[9, 9, 9]) >= 9 && each(&[1, 2, 50]) >= 48 && each(&[0, 70, 71]) >= 70);
    }
}
