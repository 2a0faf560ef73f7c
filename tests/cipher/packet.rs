//! One QUIC packet as the slow model makes it, and the same keys in the form of the library.

use crate::common::{Random, cells, secret};
use crate::model::book::{Book, encrypt, expand};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ranges::Ranges;
use hardware_aes_gcm::protocol::packet::{Limits, PhaseKeys, Protection};
use std::num::NonZeroUsize;

/// Key, IV and header key.
pub(crate) struct Raw {
    key: Vec<u8>,
    iv: [u8; 12],
    pub(crate) header: Vec<u8>,
}

impl Raw {
    pub(crate) fn random(random: &mut Random, bytes: usize) -> Self {
        let iv = random.bytes(12).try_into().unwrap();
        Self { key: random.bytes(bytes), iv, header: random.bytes(bytes) }
    }

    pub(crate) fn phase(&self, cpu: Cpu) -> PhaseKeys {
        PhaseKeys::new(cpu, &secret(&self.key), self.iv, &mut Arena::default()).unwrap()
    }

    pub(crate) fn limited(&self, cpu: Cpu, limits: Limits, failures: u64) -> Protection {
        self.beginning(cpu, false, limits, failures)
    }

    /// With `phase` as the Key Phase bit of the only keys.
    pub(crate) fn beginning(
        &self,
        cpu: Cpu,
        phase: bool,
        limits: Limits,
        failures: u64,
    ) -> Protection {
        let (keys, header) = (self.phase(cpu), secret(&self.header));
        let arena = &mut Arena::default();
        Protection::new(cpu, keys, &header, phase, limits, failures, arena).unwrap()
    }

    pub(crate) fn protection(&self, cpu: Cpu) -> Protection {
        self.limited(cpu, Limits::default(), 0)
    }

    /// The mask of a header (RFC 9001 5.4.3).
    fn mask(&self, sample: &[u8]) -> [u8; 16] {
        encrypt(&expand(&self.header), sample.try_into().unwrap())
    }

    /// A protected packet of `header` without its number, and `payload` (RFC 9001 5.3 and 5.4).
    pub(crate) fn seal(
        &self,
        header: &[u8],
        bytes: usize,
        number: u64,
        path: u32,
        payload: &[u8],
    ) -> Vec<u8> {
        let header = [header, &number.to_be_bytes()[8 - bytes..]].concat();
        let mut nonce = self.iv;
        let mixed = (u128::from(path) << 64 | u128::from(number)).to_be_bytes();
        nonce.iter_mut().zip(&mixed[4..]).for_each(|(byte, mixed)| *byte ^= mixed);
        let (text, tag) = Book::new(&self.key).seal(&nonce, &header, payload);
        let at = header.len() - bytes;
        let mut packet = [&header[..], &text, &tag].concat();
        let mask = self.mask(&packet[at + 4..at + 20]);
        packet[0] ^= mask[0] & if packet[0] < 0x80 { 0x1f } else { 0x0f };
        (0..bytes).for_each(|i| packet[at + i] ^= mask[1 + i]);
        packet
    }
}

pub(crate) fn seal(
    keys: &mut Protection,
    packet: &mut [u8],
    header: usize,
    number: u64,
) -> Result<(), Error> {
    keys.seal(Ranges::one(cells(packet)), header, number, 0).map_err(|refused| refused.error)
}

/// Opens one packet of path 0, and returns its number.
pub(crate) fn open(
    keys: &mut Protection,
    packet: &mut [u8],
    at: usize,
    largest: Option<u64>,
) -> Result<Option<u64>, Error> {
    let (mut number, at) = (None, NonZeroUsize::new(at).unwrap());
    let opened = keys.open(Ranges::one(cells(packet)), at, largest, 0, |opened| number = opened);
    opened.map(|()| number).map_err(|refused| refused.error)
}
