//! Random bytes: AES-256 in counter mode on the CPU's instructions, with fast key erasure (Bernstein, 2017).
//!
//! A key lives for one purpose. It is expanded, the first 32 bytes of its keystream become the next key, what follows is
//! output, and the expansion is wiped; so whoever reads the memory learns nothing of what was given before. Small
//! requests are served from a pool that one key filled, and wiped out of it as they go; large ones are written where
//! they belong by a key of their own.
//!
//! The keystream is that of a frame: chunk `i` is AES-256 of `le96(i) ‖ be32(2), be32(3), …`. Chunk 0 has the next key
//! and the pool; chunks from 1 on are a large request, [`CHUNK`] bytes each.
//!
//! **Seeding.** `key = os ⊕ cpu ⊕ next`: 32 bytes from the operating system, always; the CPU's own source where it
//! passes its tests ([`health`]); and the key that would have come next, so that a seed can only add. Before the first
//! use, after 1 GiB, after ten minutes, in another [generation](fork::generation), and when asked to. A seeding gives
//! the CPU's source half a millisecond at most; what its tests saw is carried on to the next.
//!
//! **A child of `fork`** finds the pool, the next key, its expansion and a seed in the making wiped, where the kernel can
//! do that, and with them a word ([`Intact`]) that is set before a seeding puts anything there. The word is looked at
//! before bytes are given and after every part of a request. Where it is lost, the generator seeds, without a next key to
//! add to, and makes the whole request again; so neither zeros nor the output of a key of zeros leave this module, even
//! if no other means noticed the fork.

/// Tests of the CPU's source.
pub mod health;
/// What a generator tells of itself.
pub mod report;
/// One generator for a thread.
pub mod shared;
/// The CPU's source in seeds.
pub mod source;

use crate::backend::{Cpu, RoundKeys};
use crate::error::Error;
use crate::hw::entropy::{Entropy, Machine};
use crate::hw::fork;
use crate::hw::intact::Intact;
use crate::hw::memory::{Pages, Slot};
use crate::lanes::Bytes;
use crate::lanes::RawKey;
use core::cell::Cell;
use report::{Cause, Report, Source};
use source::CpuSource;
use std::sync::Arc;

/// Bytes of the pool, the next key at its start.
const POOL: usize = 4096;
const KEY: usize = 32;
/// Requests longer than this have a key of their own.
const SMALL: usize = 1024;
/// Bytes of a chunk of a large request.
pub const CHUNK: usize = 1 << 14;
/// Bytes between two seedings.
pub const BYTES_PER_SEED: u64 = 1 << 30;
/// Seconds between two seedings.
pub const SECONDS_PER_SEED: u64 = 600;
/// How often a request is made again because somebody asked for another generation meanwhile: enough for whoever asks now
/// and then, and a limit to how long one who asks without end holds a request up.
pub const REPEATS: u32 = 3;

/// A generator, for one thread.
pub struct Generator<E = Machine> {
    cpu: Cpu,
    entropy: E,
    /// Three slots: the pool, the word that tells whether they were wiped, and what a seeding or an expansion takes.
    pages: Arc<Pages>,
    pool: Slot,
    intact: Intact,
    /// Where in the pool the bytes not yet given begin.
    next: usize,
    generation: u64,
    /// Why a seeding is due that has not succeeded yet.
    due: Option<Cause>,
    seeded_at: u64,
    bytes: u64,
    seedings: u64,
    /// Why the last was.
    cause: Option<Cause>,
    cpu_used: bool,
    source: CpuSource,
}

impl<E: Entropy> Generator<E> {
    /// A generator that is seeded when it is first used. [`Error::NoMemory`] where there is none for its state.
    pub fn new(cpu: Cpu, entropy: E) -> Result<Self, Error> {
        let pages = Pages::wiped_on_fork(POOL.max(RoundKeys::BYTES), 3).ok_or(Error::NoMemory)?;
        let pool = pages.take().ok_or(Error::NoMemory)?;
        let intact = Intact::new(pages.take().ok_or(Error::NoMemory)?);
        Ok(Self {
            cpu,
            entropy,
            pages,
            pool,
            intact,
            next: POOL,
            generation: fork::UNKNOWN,
            due: Some(Cause::FirstUse),
            seeded_at: 0,
            bytes: 0,
            seedings: 0,
            cause: None,
            cpu_used: false,
            source: CpuSource::default(),
        })
    }

    /// Fills `target` with random bytes.
    ///
    /// A request during which this process was copied is made again, and so is one during which another generation was
    /// asked for, [`REPEATS`] times at most: where requests for generations come faster than that, the bytes are of a seed
    /// from before the last of them.
    ///
    /// # Errors
    /// [`Error::Entropy`] where a seeding was due and the operating system gave nothing: `target` is as it was, or zero
    /// if the process was copied, another generation asked for, or the seed used up, during this call.
    pub fn fill(&mut self, target: Bytes) -> Result<(), Error> {
        let (mut written, mut repeats) = (false, 0);
        loop {
            let (began, mut left) = (fork::generation(), target);
            while !left.is_empty() {
                match self.ready().and_then(|()| self.give_some(left)) {
                    Ok(later) => {
                        written = true;
                        // Part by part: the seeding that the next part may want sets the word again. What is of a wiped
                        // key is made once more, with all before it.
                        left = if self.intact.holds() { later } else { target };
                    }
                    Err(error) => {
                        if written {
                            target.iter().for_each(|byte| byte.set(0));
                        }
                        return Err(error);
                    }
                }
            }
            let ended = fork::generation();
            // Where this process was copied meanwhile, its twin has the same bytes.
            if fork::copied(began, ended) {
                continue;
            }
            if began == ended || repeats == REPEATS {
                return Ok(());
            }
            repeats += 1;
        }
    }

    /// Ninety-six bits for a salt: output, XORed with bytes that the operating system gives for this salt alone. Each of
    /// the two is enough to make it one of its own.
    ///
    /// # Errors
    /// [`Error::Entropy`].
    pub fn salt(&mut self) -> Result<[u8; 12], Error> {
        let (mut salt, mut os) = ([0; 12], [0; KEY]);
        self.fill(Cell::from_mut(&mut salt[..]).as_slice_of_cells())?;
        self.entropy.os(&mut os)?;
        for (salt, os) in salt.iter_mut().zip(os) {
            *salt ^= os;
        }
        Ok(salt)
    }

    /// Seeds now.
    ///
    /// # Errors
    /// [`Error::Entropy`]: nothing is given before a seeding succeeds.
    pub fn reseed(&mut self) -> Result<(), Error> {
        self.seed(Cause::Request)
    }

    /// What there is to tell.
    pub fn report(&self) -> Report {
        Report {
            seedings: self.seedings,
            cause: self.cause,
            cpu_used: self.cpu_used,
            source: self.entropy.cpu().map_or(Source::Absent, |_| self.source.known()),
            words: self.source.words(),
            bytes: self.bytes,
            seconds: self.entropy.seconds().saturating_sub(self.seeded_at),
        }
    }

    /// Whether the CPU's source was dropped since this was last asked.
    pub fn news(&mut self) -> bool {
        self.source.news()
    }

    /// Seeds where that is due.
    fn ready(&mut self) -> Result<(), Error> {
        let generation = fork::generation();
        let cause = if let Some(cause) = self.due {
            cause
        } else if generation != self.generation
            || generation == fork::UNKNOWN
            || !self.intact.holds()
        {
            Cause::Generation
        } else if self.bytes >= BYTES_PER_SEED {
            Cause::Bytes
        } else if self.entropy.seconds().saturating_sub(self.seeded_at) >= SECONDS_PER_SEED {
            Cause::Time
        } else {
            return Ok(());
        };
        self.seed(cause)
    }

    fn seed(&mut self, cause: Cause) -> Result<(), Error> {
        self.due = Some(cause);
        let generation = fork::generation();
        // First, so that a fork from here on wipes the word with the rest: the pool may then come of a key of zeros.
        self.intact.set();
        self.add_seed()?;
        self.refill()?;
        self.generation = generation;
        self.seeded_at = self.entropy.seconds();
        self.bytes = 0;
        self.seedings += 1;
        self.cause = self.due.take();
        Ok(())
    }

    /// Adds a seed to the key at the pool's start: the one that would have come next, or zeros.
    fn add_seed(&mut self) -> Result<(), Error> {
        let mut slot = self.pages.take().ok_or(Error::NoMemory)?;
        let seed = slot.bytes().first_chunk_mut().ok_or(Error::NoMemory)?;
        self.entropy.os(seed)?;
        self.cpu_used = self.source.mix_into(seed, &mut self.entropy);
        for (next, seed) in self.pool.bytes().iter_mut().zip(seed) {
            *next ^= *seed;
        }
        Ok(())
    }

    /// Fills the pool under the key at its start, and puts the next one there.
    fn refill(&mut self) -> Result<(), Error> {
        let keys = self.expand()?;
        let pool = self.pool.bytes();
        pool.fill(0);
        let pool = Cell::from_mut(pool).as_slice_of_cells();
        keys.within(|cipher| cipher.keystream(&chunk(0), pool, pool));
        self.next = KEY;
        Ok(())
    }

    /// Writes a request under a key of its own, and puts the next one at the pool's start.
    fn give_much(&mut self, target: Bytes) -> Result<(), Error> {
        let keys = self.expand()?;
        let next = self.pool.bytes().get_mut(..KEY).unwrap_or(&mut []);
        let next = Cell::from_mut(next).as_slice_of_cells();
        next.iter().for_each(|byte| byte.set(0));
        keys.within(|cipher| {
            for (i, target) in (1..).zip(target.chunks(CHUNK)) {
                target.iter().for_each(|byte| byte.set(0));
                cipher.keystream(&chunk(i), target, target);
            }
            cipher.keystream(&chunk(0), next, next);
        });
        Ok(())
    }

    /// The key at the pool's start, expanded; wiped on drop.
    fn expand(&mut self) -> Result<RoundKeys, Error> {
        let slot = self.pages.take().ok_or(Error::NoMemory)?;
        let key = self.pool.bytes().first_chunk().ok_or(Error::NoMemory)?;
        RoundKeys::new(self.cpu, RawKey::Aes256(key), slot)
    }

    /// Fills as much as this seed is good for, and gives what is left.
    fn give_some<'a>(&mut self, target: Bytes<'a>) -> Result<Bytes<'a>, Error> {
        let good_for = usize::try_from(BYTES_PER_SEED.saturating_sub(self.bytes));
        let (now, later) =
            target.split_at_checked(good_for.unwrap_or(usize::MAX)).unwrap_or((target, &[]));
        self.give(now)?;
        Ok(later)
    }

    fn give(&mut self, target: Bytes) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(target.len() as u64);
        if target.len() > SMALL {
            return self.give_much(target);
        }
        let mut left = target;
        while !left.is_empty() {
            if self.next == POOL {
                self.refill()?;
            }
            let pool = self.pool.bytes().get_mut(self.next..POOL).unwrap_or(&mut []);
            let length = pool.len().min(left.len());
            let (now, later) = left.split_at_checked(length).unwrap_or((left, &[]));
            for (to, from) in now.iter().zip(pool) {
                to.set(core::mem::take(from));
            }
            self.next += length;
            left = later;
        }
        Ok(())
    }
}

/// The nonce of a chunk: its number, little-endian.
fn chunk(number: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    for (to, from) in nonce.iter_mut().zip(number.to_le_bytes()) {
        *to = from;
    }
    nonce
}
