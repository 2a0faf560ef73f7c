//! Words of the CPU's own source for seeds: tested, drawn in limited time, and left out for good
//! once the source fails. A word is only XORed in, so it needs no start-up tests first.

use super::health::{Fault, Health};
use super::report::Source;
use crate::hw::entropy::Entropy;
use std::time::Duration;
use zeroize::{Zeroize, Zeroizing};

/// The time that one seeding spends on the source. A try was seen to take 1.3 µs, and to succeed
/// once in 20.
pub const TIME_PER_SEEDING: Duration = Duration::from_micros(500);
/// The source is dropped after this many failed tries in a row.
const MAX_FAILED_TRIES: u32 = 4096;

/// The CPU's source as one generator uses it.
#[derive(Default)]
pub struct CpuSource {
    health: Health,
    /// Failed tries since the last that succeeded.
    failed_tries: u32,
    dropped: Option<Fault>,
    /// Whether the source was dropped since [`take_drop_notice`](Self::take_drop_notice).
    drop_notice: bool,
}

impl CpuSource {
    /// XORs four words of the source into `seed`, and returns whether the source was in time.
    pub fn mix_into(&mut self, seed: &mut [u8; 32], entropy: &mut impl Entropy) -> bool {
        if entropy.cpu().is_none() || self.dropped.is_some() {
            return false;
        }
        let mut words = [0; 4];
        let mixed = match self.draw(&mut words, entropy) {
            Ok(drawn) => drawn,
            Err(fault) => {
                self.dropped = Some(fault);
                self.drop_notice = true;
                false
            }
        };
        if mixed {
            for (seed, byte) in
                seed.iter_mut().zip(words.iter().flat_map(|word| word.to_ne_bytes()))
            {
                *seed ^= byte;
            }
        }
        words.zeroize();
        mixed
    }

    /// The state of the source on a CPU that has one.
    pub fn state(&self) -> Source {
        match self.dropped {
            Some(fault) => Source::Dropped(fault),
            None if self.health.startup_passed() => Source::Healthy,
            None if self.health.words() == 0 && self.failed_tries == 0 => Source::Untested,
            None => Source::Testing,
        }
    }

    /// How many words of the source were tested.
    pub fn words(&self) -> u64 {
        self.health.words()
    }

    /// Whether the source was dropped since the last call of this function.
    pub fn take_drop_notice(&mut self) -> bool {
        core::mem::take(&mut self.drop_notice)
    }

    /// Fills `words` with words that passed the tests, and returns whether the source had enough
    /// of them in time. Draws on until the start-up tests are over. The tests remember the last
    /// word, outside the memory for keys, so a word is used one step later; they also remember the
    /// first word of a window, which is not used.
    fn draw(&mut self, words: &mut [u64], entropy: &mut impl Entropy) -> Result<bool, Fault> {
        let began = entropy.now();
        let mut previous = Zeroizing::new(None);
        let mut empty = words.iter_mut();
        while entropy.now().duration_since(began) < TIME_PER_SEEDING {
            let Some(word) = entropy.word() else {
                self.failed_tries += 1;
                if self.failed_tries == MAX_FAILED_TRIES {
                    return Err(Fault::Silent);
                }
                core::hint::spin_loop();
                continue;
            };
            self.failed_tries = 0;
            self.health.test(word)?;
            if let Some(word) = previous.replace(word)
                && !self.health.retains(word)
                && let Some(place) = empty.next()
            {
                *place = word;
            }
            if empty.len() == 0 && self.health.startup_passed() {
                break;
            }
        }
        Ok(empty.len() == 0)
    }
}
