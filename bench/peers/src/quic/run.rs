//! A run of QUIC packets: short headers with a connection id of 8 bytes and a number of 2 (RFC 9000 17.3.1).

use crate::aead::{Nonce, Tag};
use crate::messages::{Line, flat};

/// Packets of a run.
pub const COUNT: usize = 64;

/// Bytes of a packet, tag included: the least that every network carries (RFC 9000 14.1).
pub const BYTES: usize = 1200;

/// Where the packet number begins.
pub const NUMBER_AT: usize = 9;

/// Bytes of the header.
pub const HEADER: usize = 11;

/// First byte of a header: a short one, phase 0, a number of two bytes.
const FIRST: u8 = 0x41;

/// Packets in one memory, as a call of segmentation offload takes them.
pub struct Run {
    bytes: Vec<Line>,
    sealed: Vec<Line>,
    tags: [Tag; COUNT],
    first: u64,
}

impl Run {
    /// Packets in clear, each different.
    pub fn new() -> Self {
        let mut bytes = vec![Line([0; 64]); (COUNT * BYTES).div_ceil(64)];
        for (at, byte) in flat(&mut bytes).iter_mut().enumerate() {
            *byte = (at * 7 + at / 251) as u8;
        }
        let mut run = Self { bytes, sealed: Vec::new(), tags: [[0; 16]; COUNT], first: 0 };
        run.renew();
        run
    }

    /// The number of the first packet.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The tags of [`messages`](Self::messages).
    pub fn tags(&self) -> &[Tag; COUNT] {
        &self.tags
    }

    /// All bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut flat(&mut self.bytes)[..COUNT * BYTES]
    }

    /// Every packet.
    #[inline(always)]
    pub fn packets(&mut self) -> impl Iterator<Item = &mut [u8; BYTES]> {
        flat(&mut self.bytes).as_chunks_mut().0.iter_mut()
    }

    /// Every packet as a message of 1200 bytes, with a number for its nonce and room for its tag.
    #[inline(always)]
    pub fn messages(&mut self) -> impl Iterator<Item = (u64, &mut [u8; BYTES], &mut Tag)> {
        let packets = flat(&mut self.bytes).as_chunks_mut().0.iter_mut();
        (self.first..)
            .zip(packets.zip(&mut self.tags))
            .map(|(number, (data, tag))| (number, data, tag))
    }

    /// Gives the packets higher numbers, and headers in clear.
    pub fn renew(&mut self) {
        self.first += COUNT as u64;
        self.packets().for_each(|packet| packet[0] = FIRST);
    }

    /// Keeps a copy of the packets.
    pub fn keep_copy(&mut self) {
        self.sealed.clone_from(&self.bytes);
    }

    /// Takes the packets from the copy.
    pub fn restore_copy(&mut self) {
        self.bytes.copy_from_slice(&self.sealed);
    }
}

/// The nonce of a packet (RFC 9001 5.3).
#[inline(always)]
pub fn nonce(iv: &Nonce, number: u64) -> Nonce {
    let mut nonce = *iv;
    let [_, _, _, _, low @ ..] = &mut nonce;
    *low = (u64::from_be_bytes(*low) ^ number).to_be_bytes();
    nonce
}
