//! Helpers of the Rust tests: message memory from ordinary bytes, keys on every backend, random bytes.
#![allow(dead_code, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub(crate) mod entropy;
pub(crate) mod pages;
#[cfg(unix)]
pub(crate) mod process;

use hardware_aes_gcm::backend::{Cpu, GcmKey};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::frames::NonceAt;
use hardware_aes_gcm::key::{Bounded, Key, KeyOf, Options};
use hardware_aes_gcm::lanes::Bytes;
use hardware_aes_gcm::lanes::RawKey;
use hardware_aes_gcm::rng::shared::SharedGenerator;
use hardware_aes_gcm::secret::SecretKey;
use std::cell::{Cell, RefCell};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ordinary memory, typed as the core takes it.
pub(crate) fn cells(bytes: &mut [u8]) -> Bytes<'_> {
    Cell::from_mut(bytes).as_slice_of_cells()
}

/// Lets one test run at a time, for tests that change or observe the whole process.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every backend of this CPU with every layout of frames, opening in one pass and in two.
pub(crate) fn every_mode() -> impl Iterator<Item = (Cpu, Options)> {
    assert!(Cpu::best().is_some(), "no backend runs here");
    Cpu::all().flat_map(|cpu| {
        [NonceAt::Start, NonceAt::End].into_iter().flat_map(move |nonce_at| {
            [false, true]
                .map(|verify_first| (cpu, Options { nonce_at, verify_first, ..Options::default() }))
        })
    })
}

thread_local! {
    /// The arena of this thread's keys.
    static ARENA: RefCell<Arena> = RefCell::default();
    /// The source of their salts.
    static GENERATOR: SharedGenerator = SharedGenerator::default();
}

/// A secret key of 16 or 32 bytes. Leaves no copy on the heap.
pub(crate) fn secret(key: &[u8]) -> SecretKey {
    let mut bytes = [0; 32];
    let bytes = bytes.get_mut(..key.len()).unwrap();
    bytes.copy_from_slice(key);
    SecretKey::copy(cells(bytes)).unwrap()
}

/// A key in the arena of this thread.
pub(crate) fn key(cpu: Cpu, bytes: &[u8], options: Options) -> Key {
    ARENA.with_borrow_mut(|arena| key_in(arena, cpu, &secret(bytes), options)).unwrap()
}

/// A key of any cipher in the arena of this thread.
pub(crate) fn key_of<C: Bounded<N>, const N: usize>(
    cpu: Cpu,
    bytes: &[u8],
    options: Options,
) -> KeyOf<C, N> {
    let key = secret(bytes);
    let make = |arena: &mut Arena| GENERATOR.with(|g| KeyOf::new(cpu, &key, options, arena, g));
    ARENA.with_borrow_mut(make).unwrap()
}

/// A key in an arena that may refuse.
pub(crate) fn key_in(
    arena: &mut Arena,
    cpu: Cpu,
    key: &SecretKey,
    options: Options,
) -> Result<Key, Error> {
    GENERATOR.with(|generator| Key::new(cpu, key, options, arena, generator))
}

/// An expanded key without counts and nonces.
pub(crate) fn expanded(cpu: Cpu, key: RawKey) -> GcmKey {
    let slot = ARENA.with_borrow_mut(|arena| arena.place(cpu.state_bytes())).unwrap();
    GcmKey::new(cpu, key, slot).unwrap()
}

/// Seals a copy of `plaintext`, and returns ciphertext and tag.
pub(crate) fn seal(
    key: &mut Key,
    nonce: &[u8],
    aad: &[u8],
    plaintext: &[u8],
) -> (Vec<u8>, [u8; 16]) {
    let (mut data, mut tag) = (plaintext.to_vec(), [0; 16]);
    let (mut nonce, mut aad) = (nonce.to_vec(), aad.to_vec());
    key.encrypt_detached(cells(&mut data), cells(&mut nonce), cells(&mut tag), cells(&mut aad))
        .unwrap();
    (data, tag)
}

/// A frame of its three parts.
pub(crate) fn frame(nonce_at: NonceAt, nonce: &[u8], ciphertext: &[u8], tag: &[u8]) -> Vec<u8> {
    match nonce_at {
        NonceAt::Start => [nonce, ciphertext, tag].concat(),
        NonceAt::End => [ciphertext, tag, nonce].concat(),
    }
}

/// A sweep, or under emulation, where each message takes long, a part of it: `AESGCM_SAMPLE=N` keeps one length in N,
/// beginning at a length that `AESGCM_SEED` chooses (checks/arm64.sh prints both).
pub(crate) fn sample<T>(sweep: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    thinned(1, 0, sweep)
}

/// As `sample`, and one in `part` without `AESGCM_SAMPLE`, for sweeps that are many times what finds a fault. `turn` moves the
/// beginning, so that `part` turns have all. `AESGCM_SAMPLE=1` has all in each.
pub(crate) fn thinned<T>(
    part: usize,
    turn: usize,
    sweep: impl Iterator<Item = T>,
) -> impl Iterator<Item = T> {
    let number = |name| std::env::var(name).ok().map(|value| value.parse::<usize>().unwrap());
    let part = number("AESGCM_SAMPLE").unwrap_or(part);
    sweep.skip((number("AESGCM_SEED").unwrap_or(0) + turn) % part).step_by(part)
}

/// Pseudorandom bytes, the same for the same seed (xorshift64*).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| (self.next() >> 56) as u8).collect()
    }
}
