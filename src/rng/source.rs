//! The CPU's own source as a part of seeds: tested, given a limited time, and left out for good once it fails.

use super::health::{Fault, Health};
use super::report::Source;
use crate::hw::entropy::Entropy;
use std::time::Duration;
use zeroize::{Zeroize, Zeroizing};

/// What one seeding gives the source. A try was seen to take 1.3 microseconds, and to succeed once in twenty.
pub const PATIENCE: Duration = Duration::from_micros(500);
/// Tries in a row without success after which it is dropped.
const SILENCE: u32 = 4096;

/// The state of a generator's dealings with the CPU's source.
#[derive(Default)]
pub struct CpuSource {
    health: Health,
    /// Tries without success since the last with.
    silent: u32,
    dropped: Option<Fault>,
    news: bool,
}

impl CpuSource {
    /// XORs four words of the source into `seed`; whether it did.
    pub fn mix_into(&mut self, seed: &mut [u8; 32], entropy: &mut impl Entropy) -> bool {
        if entropy.cpu().is_none() || self.dropped.is_some() {
            return false;
        }
        let mut words = [0; 4];
        let mixed = match self.draw(&mut words, entropy) {
            Ok(drawn) => drawn,
            Err(fault) => {
                self.dropped = Some(fault);
                self.news = true;
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

    /// What is known of it, where there is one.
    pub fn known(&self) -> Source {
        match self.dropped {
            Some(fault) => Source::Dropped(fault),
            None if self.health.started() => Source::Healthy,
            None if self.health.words() == 0 && self.silent == 0 => Source::Untested,
            None => Source::Testing,
        }
    }

    /// How many of its words were tested.
    pub fn words(&self) -> u64 {
        self.health.words()
    }

    /// Whether it was dropped since this was last asked.
    pub fn news(&mut self) -> bool {
        core::mem::take(&mut self.news)
    }

    /// Words that passed, after those that the start-up tests still want; whether there were enough in time. None is a word
    /// that the tests keep, outside of the memory that keys have: each is taken when the next has come.
    fn draw(&mut self, words: &mut [u64], entropy: &mut impl Entropy) -> Result<bool, Fault> {
        let began = entropy.now();
        let mut before = Zeroizing::new(None);
        let mut empty = words.iter_mut();
        while entropy.now().duration_since(began) < PATIENCE {
            let Some(word) = entropy.word() else {
                self.silent += 1;
                if self.silent == SILENCE {
                    return Err(Fault::Silent);
                }
                core::hint::spin_loop();
                continue;
            };
            self.silent = 0;
            let started = self.health.started();
            self.health.test(word)?;
            if let Some(word) = before.take()
                && !self.health.keeps(word)
                && let Some(place) = empty.next()
            {
                *place = word;
            }
            if empty.len() == 0 {
                return Ok(true);
            }
            *before = started.then_some(word);
        }
        Ok(false)
    }
}
