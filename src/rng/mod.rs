//! Random bytes: AES-256 in counter mode by the CPU, with fast key erasure (Bernstein, 2017).
//!
//! A key is used once. The generator expands it, takes the first 32 bytes of its keystream as the
//! next key and the bytes after them as output, and wipes the expansion, so memory read later
//! reveals no earlier output. Small requests are served from a pool that one key filled, and wiped
//! from it. A large request has a key of its own: the keystream is XORed onto its zeroed target.
//!
//! The keystream has the counter blocks of GCM: chunk `i` is AES-256 of `le96(i) ‖ be32(2), …`.
//! Chunk 0 holds the next key and the pool, the others a large request, [`CHUNK`] bytes each.
//!
//! **Seeding.** `key = os ⊕ cpu ⊕ next`: always 32 bytes from the operating system; 32 from the
//! CPU's own source while it passes its tests ([`health`]); and the key that would have come next,
//! so a seed can only add entropy. The generator seeds before its first use, after 1 GiB or ten
//! minutes, in another [generation](fork::generation), and on request. A seeding spends at most
//! half a millisecond on the CPU's source, and keeps the state of its tests.
//!
//! **A child of `fork`** finds the pool, the next key, an expansion and an unfinished seed wiped,
//! where the kernel can. A word ([`Intact`]) is wiped with them; a seeding sets it before it writes
//! there. The generator checks it before and after every part of a request. After a wipe it seeds,
//! and makes the whole request again. So output of a wiped pool or key never leaves this module,
//! even if the fork was not noticed otherwise.

/// Tests of the CPU's source.
pub mod health;
/// The report of a generator's state.
pub mod report;
mod seedings;
/// One generator per thread.
pub mod shared;
/// The CPU's source in seeds.
pub mod source;

use crate::backend::{Cpu, RoundKeys};
use crate::error::Error;
use crate::hw::entropy::{Entropy, Machine};
use crate::hw::fork;
use crate::hw::intact::Intact;
use crate::hw::memory::{Pages, Slot};
use crate::lanes::{Bytes, RawKey};
use core::cell::Cell;
use report::{Cause, Report, Source};
use seedings::Seedings;
pub use seedings::{BYTES_PER_SEED, SECONDS_PER_SEED};
use source::CpuSource;
use std::sync::Arc;

/// Bytes of the pool, with the next key at its start.
const POOL: usize = 4096;
const KEY: usize = 32;
/// The longest request, in bytes, that is served from the pool.
const SMALL: usize = 1024;
/// Bytes of a chunk of a large request.
pub const CHUNK: usize = 1 << 14;
/// How often a request is made again because a thread called [`fork::renew`] meanwhile. The limit
/// keeps a thread that does so in a loop from stalling other threads.
pub const REPEATS: u32 = 3;

/// A generator, for one thread.
pub struct Generator<E = Machine> {
    cpu: Cpu,
    entropy: E,
    /// Three slots: the pool, the word of `intact`, and one for a current seed or expansion.
    pages: Arc<Pages>,
    pool: Slot,
    intact: Intact,
    /// The index in the pool of the next byte to return.
    next: usize,
    seedings: Seedings,
    /// Whether the last seed has words of the CPU's source.
    cpu_used: bool,
    source: CpuSource,
}

impl<E: Entropy> Generator<E> {
    /// A generator that seeds itself at its first use. [`Error::NoMemory`] without memory.
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
            seedings: Seedings::new(),
            cpu_used: false,
            source: CpuSource::default(),
        })
    }

    /// Fills `target` with random bytes.
    ///
    /// The request is made again if this process was copied meanwhile, and also, [`REPEATS`] times
    /// at most, if a thread called [`fork::renew`] meanwhile. After the last repeat the bytes may
    /// come from a seed older than the latest such call.
    ///
    /// # Errors
    /// [`Error::Entropy`] if a seeding was due and the operating system returned no random bytes.
    /// ([`Error::NoMemory`] cannot occur.) `target` is unchanged; or zero, if written in part.
    pub fn fill(&mut self, target: Bytes) -> Result<(), Error> {
        let (mut written, mut repeats) = (false, 0);
        loop {
            let (began, mut left) = (fork::generation(), target);
            while !left.is_empty() {
                match self.seed_if_due().and_then(|()| self.fill_until_reseed(left)) {
                    Ok(later) => {
                        written = true;
                        // Checked after each part, since a seeding for the next part would set the
                        // word again. After a wipe the whole request is made again.
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
            // The other copy of this process may have the same bytes.
            if fork::copied(began, ended) {
                continue;
            }
            if began == ended || repeats == REPEATS {
                return Ok(());
            }
            repeats += 1;
        }
    }

    /// A salt of at most 32 bytes: output XORed with bytes that the operating system makes for this
    /// salt alone. Either part is enough to make the salt unique.
    ///
    /// # Errors
    /// Those of [`fill`](Self::fill); [`Error::Entropy`] also if the system returns no bytes.
    pub fn salt<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        const { assert!(N <= KEY) };
        let (mut salt, mut os) = ([0; N], [0; KEY]);
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
    /// [`Error::Entropy`]; the generator then returns no bytes until a seeding succeeds.
    pub fn reseed(&mut self) -> Result<(), Error> {
        self.seed(Cause::Request)
    }

    /// The state of the generator and its sources.
    pub fn report(&self) -> Report {
        Report {
            seedings: self.seedings.count,
            cause: self.seedings.last_cause,
            cpu_used: self.cpu_used,
            source: self.entropy.cpu().map_or(Source::Absent, |_| self.source.state()),
            words: self.source.words(),
            bytes: self.seedings.bytes,
            seconds: self.seedings.age(&self.entropy),
        }
    }

    /// Whether the CPU's source was dropped since the last call of this function.
    pub fn take_drop_notice(&mut self) -> bool {
        self.source.take_drop_notice()
    }

    fn seed_if_due(&mut self) -> Result<(), Error> {
        match self.seedings.due(&self.intact, &self.entropy) {
            Some(cause) => self.seed(cause),
            None => Ok(()),
        }
    }

    fn seed(&mut self, cause: Cause) -> Result<(), Error> {
        let generation = self.seedings.begin(cause);
        // Set before the seed is written, so that a fork from here on wipes the word as well.
        // Otherwise a child whose pool came from a key of zeros would find the word set.
        self.intact.set();
        self.add_seed()?;
        self.refill()?;
        self.seedings.succeed(generation, &self.entropy);
        Ok(())
    }

    /// XORs a seed onto the key at the pool's start: the next key, or zeros in a new or wiped pool.
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

    /// Fills the pool with the keystream of the key at its start, which the next key overwrites.
    fn refill(&mut self) -> Result<(), Error> {
        let keys = self.expand()?;
        let pool = self.pool.bytes();
        pool.fill(0);
        let pool = Cell::from_mut(pool).as_slice_of_cells();
        keys.within(|aes| aes.keystream(&chunk(0), pool, pool));
        self.next = KEY;
        Ok(())
    }

    /// Fills `target` with the keystream of the pool's key, which the next key overwrites.
    fn fill_with_own_key(&mut self, target: Bytes) -> Result<(), Error> {
        let keys = self.expand()?;
        let next = self.pool.bytes().get_mut(..KEY).unwrap_or(&mut []);
        let next = Cell::from_mut(next).as_slice_of_cells();
        next.iter().for_each(|byte| byte.set(0));
        keys.within(|aes| {
            for (i, target) in (1..).zip(target.chunks(CHUNK)) {
                target.iter().for_each(|byte| byte.set(0));
                aes.keystream(&chunk(i), target, target);
            }
            aes.keystream(&chunk(0), next, next);
        });
        Ok(())
    }

    /// The round keys of the key at the pool's start, wiped on drop.
    fn expand(&mut self) -> Result<RoundKeys, Error> {
        let slot = self.pages.take().ok_or(Error::NoMemory)?;
        let key = self.pool.bytes().first_chunk().ok_or(Error::NoMemory)?;
        RoundKeys::new(self.cpu, RawKey::Aes256(key), slot)
    }

    /// Fills as much of `target` as the limit of the seed allows, and returns the rest.
    fn fill_until_reseed<'a>(&mut self, target: Bytes<'a>) -> Result<Bytes<'a>, Error> {
        let (now, later) =
            target.split_at_checked(self.seedings.bytes_left()).unwrap_or((target, &[]));
        self.seedings.bytes = self.seedings.bytes.saturating_add(now.len() as u64);
        if now.len() > SMALL {
            self.fill_with_own_key(now)?;
        } else {
            self.fill_from_pool(now)?;
        }
        Ok(later)
    }

    fn fill_from_pool(&mut self, target: Bytes) -> Result<(), Error> {
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

/// The nonce of a chunk: the chunk's number, little-endian.
fn chunk(number: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    for (to, from) in nonce.iter_mut().zip(number.to_le_bytes()) {
        *to = from;
    }
    nonce
}
