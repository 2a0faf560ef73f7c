//! Packets by libraries that have a key for packets and a key for headers, but no call for both: RFC 9001 5.3 and 5.4, one
//! packet after the other.

use super::run::{HEADER, NUMBER_AT, Run, nonce};
use super::{Direction, Secrets};
use crate::aead::{Nonce, Tag};
use std::hint::black_box;

/// A library with these keys.
pub trait Library: 'static {
    type Packet;
    type Header;

    fn packet_key(key: &[u8]) -> Self::Packet;
    fn header_key(key: &[u8]) -> Self::Header;

    /// Bytes of both keys, if all of a key lies in its type.
    fn state() -> Option<(usize, usize)>;

    /// Encrypts `data` in place and writes the tag.
    fn seal(key: &Self::Packet, nonce: &Nonce, aad: &[u8], data: &mut [u8], tag: &mut Tag);

    /// Decrypts `data` in place and tells whether the tag is right.
    fn open(key: &Self::Packet, nonce: &Nonce, aad: &[u8], data: &mut [u8], tag: &Tag) -> bool;

    /// The mask of a header (RFC 9001 5.4.1).
    fn mask(key: &Self::Header, sample: &[u8]) -> [u8; 5];
}

/// One direction of a connection.
pub struct Separate<L: Library> {
    packet: L::Packet,
    header: L::Header,
    secrets: Secrets,
}

impl<L: Library> Separate<L> {
    pub fn new(secrets: &Secrets) -> Self {
        let (packet, header) = (L::packet_key(&secrets.key), L::header_key(&secrets.header));
        Self { packet, header, secrets: secrets.clone() }
    }

    /// Writes the number into the header and seals the payload.
    #[inline(always)]
    fn seal_payload(&self, number: u64, packet: &mut [u8]) {
        let (header, rest) = packet.split_at_mut(HEADER);
        let [.., a, b] = number.to_be_bytes();
        header[NUMBER_AT..].copy_from_slice(&[a, b]);
        let (payload, tag) = rest.split_last_chunk_mut().expect("a tag");
        L::seal(&self.packet, &nonce(&self.secrets.iv, number), header, payload, tag);
    }

    /// The mask, from the packet's sample (RFC 9001 5.4.2).
    #[inline(always)]
    fn mask_of(&self, packet: &[u8]) -> [u8; 5] {
        L::mask(&self.header, &packet[NUMBER_AT + 4..][..16])
    }

    /// Opens a packet and gives its number, if it is authentic.
    #[inline(always)]
    fn open_one(&self, largest: u64, packet: &mut [u8]) -> Option<u64> {
        let [first, mask @ ..] = self.mask_of(packet);
        packet[0] ^= first & 0x1f;
        let length = number_length(packet);
        let mut truncated = 0;
        for (byte, mask) in packet[NUMBER_AT..][..length].iter_mut().zip(mask) {
            *byte ^= mask;
            truncated = truncated << 8 | u64::from(*byte);
        }
        let number = recover(largest, truncated, length);
        let (header, rest) = packet.split_at_mut(NUMBER_AT + length);
        let (payload, tag) = rest.split_last_chunk_mut()?;
        L::open(&self.packet, &nonce(&self.secrets.iv, number), header, payload, tag)
            .then_some(number)
    }
}

/// Bytes of the number, from an unmasked header.
fn number_length(packet: &[u8]) -> usize {
    usize::from(packet[0] & 3) + 1
}

/// The number of `length` bytes that is nearest to the one after `largest` (RFC 9000 A.3). No number here is close to 2^62.
fn recover(largest: u64, truncated: u64, length: usize) -> u64 {
    let (expected, window) = (largest + 1, 1 << (8 * length));
    let candidate = (expected & !(window - 1)) | truncated;
    if candidate + window / 2 <= expected {
        candidate + window
    } else if candidate > expected + window / 2 && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

impl<L: Library> Direction for Separate<L> {
    #[inline(never)]
    fn seal(&mut self, run: &mut Run) {
        for (number, packet) in (run.first()..).zip(run.packets()) {
            self.seal_payload(number, packet);
            let [first, mask @ ..] = self.mask_of(packet);
            let length = number_length(packet);
            packet[0] ^= first & 0x1f;
            let bytes = packet[NUMBER_AT..][..length].iter_mut();
            bytes.zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        }
    }

    #[inline(never)]
    fn open(&mut self, run: &mut Run) -> bool {
        let (mut right, first) = (true, run.first());
        let mut largest = first - 1;
        for (number, packet) in (first..).zip(run.packets()) {
            let opened = self.open_one(largest, packet);
            right &= opened == Some(number);
            largest = opened.map_or(largest, |opened| opened.max(largest));
        }
        right
    }

    #[inline(never)]
    fn seal_unmasked(&mut self, run: &mut Run) {
        for (number, packet) in (run.first()..).zip(run.packets()) {
            self.seal_payload(number, packet);
        }
    }

    #[inline(never)]
    fn seal_plain(&mut self, run: &mut Run) {
        for (number, data, tag) in run.messages() {
            L::seal(&self.packet, &nonce(&self.secrets.iv, number), &[], data, tag);
        }
    }

    #[inline(never)]
    fn masks(&mut self, run: &mut Run) {
        for packet in run.packets() {
            black_box(self.mask_of(packet));
        }
    }

    fn mask(&self, sample: &[u8; 16]) -> [u8; 5] {
        L::mask(&self.header, sample)
    }

    #[inline(never)]
    fn set_up(&self, next: bool, count: usize) {
        for _ in 0..count {
            let secrets = black_box(&self.secrets);
            let next = next.then(|| L::packet_key(&secrets.key));
            drop(black_box((L::packet_key(&secrets.key), L::header_key(&secrets.header), next)));
        }
    }

    fn state(&self, next: bool) -> Option<usize> {
        let (packet, header) = L::state()?;
        Some(header + packet * if next { 2 } else { 1 })
    }
}
