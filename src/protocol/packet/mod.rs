//! Protection of QUIC packets (RFC 9001 section 5): payload and header, one or a run, in place.
//!
//! A packet is `header ‖ payload ‖ tag`. The header ends with the packet number, truncated to one
//! to four bytes; the low two bits of its first byte are their number minus one (RFC 9000 17.2,
//! 17.3). Header protection masks both.

mod keys;
mod number;
mod one;
mod order;
mod paths;

pub use keys::PhaseKeys;
pub use number::MAX_NUMBER;

use crate::backend::{Aead, Cpu, RoundKeys};
use crate::error::Error;
use crate::key::arena::Arena;
use crate::key::ranges::{ErrorAt, Ranges};
use crate::lanes::{Block, Bytes};
use crate::secret::SecretKey;
use core::num::NonZeroUsize;
use keys::Keys;
use one::{Receiving, Verdict};
use order::Of;
use paths::Paths;

/// Longest packet: the largest payload of a UDP datagram fits.
pub const MAX_PACKET_BYTES: usize = 65_535;
/// Most packets that may be sealed under one key (RFC 9001 6.6). Also the default of [`Limits`].
pub const MAX_PACKETS: u64 = 1 << 23;
/// Most packets of a connection that may fail authentication (RFC 9001 6.6); [`Limits`]' default.
pub const MAX_FAILURES: u64 = 1 << 52;

/// The limits that a caller may choose.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Packets that may be sealed under one key.
    pub packets: u64,
    /// Packets that may fail authentication before no further packet is opened.
    pub failures: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { packets: MAX_PACKETS, failures: MAX_FAILURES }
    }
}

/// The counts of one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets sealed under the current keys.
    pub packets: u64,
    /// Packets that failed authentication, in this connection.
    pub failures: u64,
    /// Key updates that opened packets have shown.
    pub updates: u64,
}

/// The keys of one direction of a connection.
///
/// # Errors of every operation
/// [`Error::Destroyed`] after [`destroy`](Self::destroy). By default, a failed call has no effect.
pub struct Protection {
    /// `None` after `destroy`. Boxed: a place in a table of objects is no larger than for a `Key`.
    keys: Option<Box<Keys>>,
    limits: Limits,
    counts: Counts,
    /// The least number that may be sealed next, of each path.
    next: Paths<u64>,
}

impl Protection {
    /// Protection with the keys of one phase, whose Key Phase bit is `phase`, and a header key,
    /// which is expanded into a slot of `arena`. `failures` are those of this connection so far.
    ///
    /// # Errors
    /// Those of [`Arena::place`].
    pub fn new(
        cpu: Cpu,
        keys: PhaseKeys,
        header: &SecretKey,
        phase: bool,
        limits: Limits,
        failures: u64,
        arena: &mut Arena,
    ) -> Result<Self, Error> {
        let slot = arena.place(RoundKeys::BYTES)?;
        let header = RoundKeys::new(cpu, header.raw(), slot)?;
        let keys = Keys {
            header,
            phases: [keys.clone(), keys],
            current: usize::from(phase),
            other: Of::Current,
            opened: Paths::default(),
        };
        let limits = Limits {
            packets: limits.packets.min(MAX_PACKETS),
            failures: limits.failures.min(MAX_FAILURES),
        };
        let counts = Counts { failures, ..Counts::default() };
        Ok(Self { keys: Some(Box::new(keys)), limits, counts, next: Paths::default() })
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Bytes of the slots that hold the expanded keys; 0 after [`destroy`](Self::destroy).
    pub fn state_bytes(&self) -> usize {
        self.keys.as_deref().map_or(0, |Keys { header, phases: [a, b], other, .. }| {
            let b = if *other == Of::Current { 0 } else { b.gcm.slot().length() };
            header.state_bytes() + a.gcm.slot().length() + b
        })
    }

    /// Whether the keys of a phase lie in `arena`; false after [`destroy`](Self::destroy).
    pub fn lives_in(&self, arena: &Arena) -> bool {
        self.keys.as_deref().is_some_and(|Keys { phases, .. }| {
            phases.iter().any(|PhaseKeys { gcm, .. }| arena.holds(gcm.slot()))
        })
    }

    /// The backend that the keys are expanded for.
    ///
    /// # Errors
    /// Those of every operation.
    pub fn cpu(&self) -> Result<Cpu, Error> {
        Ok(self.keys.as_ref().ok_or(Error::Destroyed)?.header.cpu())
    }

    /// Wipes the keys. Later operations return [`Error::Destroyed`]; the counts remain.
    pub fn destroy(&mut self) {
        self.keys = None;
    }

    /// Whether the keys were destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.keys.is_none()
    }

    /// Holds the keys of the next key phase next to the current ones, in place of the previous.
    ///
    /// # Errors
    /// Those of every operation.
    pub fn set_next(&mut self, next: PhaseKeys) -> Result<(), Error> {
        let keys = self.keys.as_mut().ok_or(Error::Destroyed)?;
        if let Some(slot) = keys.phases.get_mut(1 - keys.current) {
            *slot = next;
        }
        keys.other = Of::Next;
        Ok(())
    }

    /// The first five bytes of the cipher's output mask a header (RFC 9001 5.4.3).
    ///
    /// # Errors
    /// Those of every operation.
    // Not inlined, as `open`.
    #[inline(never)]
    pub fn mask(&self, sample: Block) -> Result<Block, Error> {
        let keys = self.keys.as_ref().ok_or(Error::Destroyed)?;
        let mut mask = [sample];
        keys.header.within(|aes| aes.encrypt(&mut mask));
        let [mask] = mask;
        Ok(mask)
    }

    /// Seals every packet of `packets` in place: `header ‖ payload ‖ 16 free bytes`, with headers
    /// of `header_length` bytes, which end with truncated packet numbers, from `first` on.
    ///
    /// # Errors
    /// With the index of the first such packet: [`Error::PacketTooLong`] above
    /// [`MAX_PACKET_BYTES`], [`Error::HeaderTooShort`] without a place for first byte and number,
    /// [`Error::PacketTooShort`] if number and payload have fewer than four bytes.
    /// [`Error::NumberTooLarge`] above [`MAX_NUMBER`], [`Error::SequenceReused`] if `first` is not
    /// above every number sealed on this path, and [`Error::EncryptionsExhausted`] above the limit.
    pub fn seal(
        &mut self,
        packets: Ranges,
        header_length: usize,
        first: u64,
        path: u32,
    ) -> Result<(), ErrorAt> {
        let keys = self.keys.as_ref().ok_or(Error::Destroyed)?;
        for (index, packet) in packets.iter().enumerate() {
            one::check(packet, header_length).map_err(|error| ErrorAt { error, index })?;
        }
        let count = packets.count() as u64;
        let end = first.checked_add(count).filter(|end| *end <= MAX_NUMBER + 1);
        let end = end.ok_or(Error::NumberTooLarge)?;
        let next = self.next.of(path)?;
        if first < *next {
            return Err(Error::SequenceReused.into());
        }
        let sealed = self.counts.packets.saturating_add(count);
        if sealed > self.limits.packets {
            return Err(Error::EncryptionsExhausted.into());
        }
        let [first_phase, second_phase] = &keys.phases;
        let PhaseKeys { gcm, iv } = if keys.current == 0 { first_phase } else { second_phase };
        if count > 0 {
            (*next, self.counts.packets) = (end, sealed);
        }
        gcm.within(|gcm| {
            let aes = gcm.with_round_keys(&keys.header);
            let mut number = first;
            for packet in packets.iter() {
                one::seal(gcm, aes, iv, packet, header_length, number, path);
                number = number.wrapping_add(1);
            }
        });
        Ok(())
    }

    /// Opens every packet of `packets` in place, with packet numbers at `number_at`, and passes
    /// each number to `each`, or `None` for a packet to drop: too short for a sample, not
    /// authentic, above [`MAX_NUMBER`], or out of the order of its keys (6.4). It stays as it was;
    /// an opened packet has header and payload in clear, and its tag.
    ///
    /// `largest`, the largest number received on this path, rises with the packets of the run.
    ///
    /// `each` runs inside the guard: it must be inlined, as its one call allows, and not panic.
    ///
    /// # Errors
    /// [`Error::FailuresExhausted`], with the index of the first packet that was not touched, once
    /// the limit of failures is reached. [`Error::NoMemory`] before the first packet of a new path.
    // Never inlined into `node`, where checks/codegen does not look for calls of kernels.
    #[inline(never)]
    pub fn open(
        &mut self,
        packets: Ranges,
        number_at: NonZeroUsize,
        largest: Option<u64>,
        path: u32,
        each: impl FnMut(Option<u64>),
    ) -> Result<(), ErrorAt> {
        self.open_each(packets, number_at, largest, path, each)
    }

    /// [`open`](Self::open) for one packet, whose packet number it returns.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    // Compiled apart from `open`, since a loop over one packet is faster. Not inlined, as `open`.
    #[inline(never)]
    pub fn open_one(
        &mut self,
        packet: Bytes,
        number_at: NonZeroUsize,
        largest: Option<u64>,
        path: u32,
    ) -> Result<Option<u64>, ErrorAt> {
        let mut number = None;
        self.open_each(Ranges::one(packet), number_at, largest, path, |opened| number = opened)?;
        Ok(number)
    }

    #[inline(always)]
    fn open_each(
        &mut self,
        packets: Ranges,
        number_at: NonZeroUsize,
        largest: Option<u64>,
        path: u32,
        mut each: impl FnMut(Option<u64>),
    ) -> Result<(), ErrorAt> {
        let Keys { header, phases, current, other, opened } =
            self.keys.as_deref_mut().ok_or(Error::Destroyed)?;
        let (counts, limits) = (&mut self.counts, self.limits);
        let mut expected = largest.map_or(0, |largest| largest.wrapping_add(1));
        let [first_phase, _] = &*phases;
        let order = opened.of(path)?;
        order.follow(counts.updates);
        first_phase.gcm.within(|gcm| {
            let aes = gcm.with_round_keys(header);
            // A packet's mask is computed before the packet ahead is opened: all else waits for it.
            let mut packets =
                packets.iter().map(|packet| (packet, one::mask(aes, packet, number_at.get())));
            let mut ahead = packets.next();
            let mut index = 0usize;
            while let Some((packet, mask)) = ahead {
                ahead = packets.next();
                if counts.failures >= limits.failures {
                    return Err(ErrorAt { error: Error::FailuresExhausted, index });
                }
                let receiving = Receiving { gcm, phases, current: *current, other: *other, order };
                let opened = match receiving.open(packet, mask, number_at.get(), expected, path) {
                    Verdict::Opened { number, of } => {
                        if of == Of::Next {
                            (*current, *other) = (1 ^ *current, Of::Previous);
                            (counts.packets, counts.updates) =
                                (0, counts.updates.saturating_add(1));
                            order.follow(counts.updates);
                        }
                        order.note(of, number);
                        expected = expected.max(number.wrapping_add(1));
                        Some(number)
                    }
                    Verdict::Forged => {
                        counts.failures = counts.failures.saturating_add(1);
                        None
                    }
                    Verdict::Refused => None,
                };
                each(opened);
                index = index.wrapping_add(1);
            }
            Ok(())
        })
    }
}
