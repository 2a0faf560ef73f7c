//! This crate, one backend at a time: a run of packets in one call, inside one guard.

use super::run::{BYTES, COUNT, HEADER, NUMBER_AT, Run, nonce};
use super::{Direction, Secrets};
use crate::peers::ours::expand;
use hardware_aes_gcm::backend::{Aead as _, Cipher as _, Cpu, GcmKey, Message};
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::lanes::RawKey;
use hardware_aes_gcm::protocol::packet::{Limits, MAX_PACKETS, PhaseKeys, Protection};
use hardware_aes_gcm::secret::SecretKey;
use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::num::NonZeroUsize;

/// Both ends of a direction, and the packet key alone.
pub struct Ours {
    maker: Maker,
    sender: Protection,
    receiver: Protection,
    plain: GcmKey,
    /// The least number that `sender` seals.
    least: u64,
}

/// Makes the keys of one direction.
struct Maker {
    cpu: Cpu,
    secrets: Secrets,
    arena: RefCell<Arena>,
}

impl Maker {
    fn make(&self, next: bool) -> Protection {
        let Secrets { key, iv, header } = &self.secrets;
        let arena = &mut *self.arena.borrow_mut();
        let keys = |arena: &mut Arena| PhaseKeys::new(self.cpu, &secret(key), *iv, arena);
        let phase = keys(arena).expect("memory");
        let header = secret(header);
        let made = Protection::new(self.cpu, phase, &header, false, Limits::default(), 0, arena);
        let mut made = made.expect("memory");
        if next {
            made.set_next(keys(arena).expect("memory")).expect("not destroyed");
        }
        made
    }
}

/// A copy of 16 or 32 bytes.
fn secret(key: &[u8]) -> SecretKey {
    let mut bytes = [0; 32];
    let bytes = &mut bytes[..key.len()];
    bytes.copy_from_slice(key);
    SecretKey::copy(Cell::from_mut(bytes).as_slice_of_cells()).expect("16 or 32 bytes")
}

impl Ours {
    pub fn new(cpu: Cpu, secrets: &Secrets) -> Self {
        let raw = match (secrets.key.first_chunk(), secrets.key.first_chunk()) {
            (Some(wide), _) => RawKey::Aes256(wide),
            (_, Some(narrow)) => RawKey::Aes128(narrow),
            _ => panic!("a key has 16 or 32 bytes"),
        };
        let maker = Maker { cpu, secrets: secrets.clone(), arena: RefCell::default() };
        let (sender, receiver) = (maker.make(false), maker.make(true));
        Self { sender, receiver, plain: expand(cpu, raw), maker, least: 0 }
    }
}

/// The packets of a run.
fn ranges(bytes: &mut [u8]) -> Ranges<'_> {
    const SIZE: NonZeroUsize = NonZeroUsize::new(BYTES).expect("not zero");
    Ranges::every(Cell::from_mut(bytes).as_slice_of_cells(), SIZE).expect("few packets")
}

impl Direction for Ours {
    fn renew(&mut self, run: &Run) {
        let end = self.sender.counts().packets + COUNT as u64;
        if run.first() < self.least || end > MAX_PACKETS {
            self.sender = self.maker.make(false);
        }
        self.least = run.first() + COUNT as u64;
    }

    #[inline(never)]
    fn seal(&mut self, run: &mut Run) {
        let first = run.first();
        self.sender.seal(ranges(run.bytes()), HEADER, first, 0).expect("sealed");
    }

    #[inline(never)]
    fn open(&mut self, run: &mut Run) -> bool {
        const AT: NonZeroUsize = NonZeroUsize::new(NUMBER_AT).expect("not zero");
        let (mut number, mut right) = (run.first(), true);
        let largest = Some(number - 1);
        let each = |opened| {
            right &= opened == Some(number);
            number += 1;
        };
        self.receiver.open(ranges(run.bytes()), AT, largest, 0, each).expect("not exhausted");
        right
    }

    #[inline(never)]
    fn seal_unmasked(&mut self, run: &mut Run) {
        let (iv, mut number) = (self.maker.secrets.iv, run.first());
        self.plain.within(|gcm| {
            for packet in run.packets() {
                let (header, rest) = packet.split_at_mut(HEADER);
                let [.., a, b] = number.to_be_bytes();
                header[NUMBER_AT..].copy_from_slice(&[a, b]);
                let (text, tag) = rest.split_at_mut(BYTES - HEADER - 16);
                let (nonce, aad) = (nonce(&iv, number), Cell::from_mut(header).as_slice_of_cells());
                let text = Cell::from_mut(text).as_slice_of_cells();
                let made = gcm.seal(Message { nonce: &nonce, aad, source: text, target: text });
                tag.copy_from_slice(&made);
                number += 1;
            }
        });
    }

    #[inline(never)]
    fn seal_plain(&mut self, run: &mut Run) {
        let iv = self.maker.secrets.iv;
        self.plain.within(|gcm| {
            for (number, data, tag) in run.messages() {
                let nonce = nonce(&iv, number);
                let text = Cell::from_mut(&mut data[..]).as_slice_of_cells();
                *tag = gcm.seal(Message { nonce: &nonce, aad: &[], source: text, target: text });
            }
        });
    }

    #[inline(never)]
    fn masks(&mut self, run: &mut Run) {
        for packet in run.packets() {
            let sample = packet[NUMBER_AT + 4..].first_chunk().expect("a sample");
            black_box(Direction::mask(self, sample));
        }
    }

    #[inline(always)]
    fn mask(&self, sample: &[u8; 16]) -> [u8; 5] {
        let [a, b, c, d, e, ..] = self.sender.mask(*sample).expect("not destroyed");
        [a, b, c, d, e]
    }

    #[inline(never)]
    fn set_up(&self, next: bool, count: usize) {
        for _ in 0..count {
            drop(black_box(black_box(&self.maker).make(next)));
        }
    }

    fn state(&self, next: bool) -> Option<usize> {
        Some(if next { &self.receiver } else { &self.sender }.state_bytes())
    }
}
