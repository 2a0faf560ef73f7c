//! What the Rust tests share: message memory from ordinary bytes, and keys on every backend of this CPU.
#![allow(dead_code, reason = "each test binary takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub(crate) mod entropy;

use hardware_aes_gcm::backend::{Cpu, Expanded};
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::{Key, Options};
use hardware_aes_gcm::lanes::Bytes;
use hardware_aes_gcm::lanes::RawKey;
use hardware_aes_gcm::rng::shared::SharedGenerator;
use hardware_aes_gcm::secret::SecretKey;
use std::cell::{Cell, RefCell};

/// Ordinary memory as the core sees it.
pub(crate) fn cells(bytes: &mut [u8]) -> Bytes<'_> {
    Cell::from_mut(bytes).as_slice_of_cells()
}

thread_local! {
    /// Where this thread's keys live.
    static ARENA: RefCell<Arena> = RefCell::default();
    /// Where their salts come from.
    static GENERATOR: SharedGenerator = SharedGenerator::default();
}

/// A key as a caller would have it expanded.
pub(crate) fn key(cpu: Cpu, bytes: &[u8], options: Options) -> Key {
    let key = SecretKey::copy(cells(&mut bytes.to_vec())).unwrap();
    ARENA.with_borrow_mut(|arena| key_in(arena, cpu, &key, options)).unwrap()
}

/// The same in an arena that may refuse.
pub(crate) fn key_in(
    arena: &mut Arena,
    cpu: Cpu,
    key: &SecretKey,
    options: Options,
) -> Result<Key, Error> {
    GENERATOR.with(|generator| Key::new(cpu, key, options, arena, generator))
}

/// The state alone.
pub(crate) fn expanded(cpu: Cpu, key: RawKey) -> Expanded {
    let slot = ARENA.with_borrow_mut(|arena| arena.place(cpu.state_bytes())).unwrap();
    Expanded::new(cpu, key, slot).unwrap()
}

/// Seals out of place: ciphertext and tag.
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

/// A sweep, or a part of it where each message takes long: under emulation `AESGCM_SAMPLE=N` leaves one length in N, counted
/// from a place that `AESGCM_SEED` gives (checks/arm64.sh prints both).
pub(crate) fn sample<T>(sweep: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let number = |name| std::env::var(name).ok().map(|value| value.parse::<usize>().unwrap());
    let part = number("AESGCM_SAMPLE").unwrap_or(1);
    sweep.skip(number("AESGCM_SEED").unwrap_or(0) % part).step_by(part)
}

/// Bytes that look random and are the same every time for one seed (xorshift64*).
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
