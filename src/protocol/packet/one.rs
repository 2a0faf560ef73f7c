//! One packet: the steps of RFC 9001 5.3 and 5.4 on its parts, inlined into the guard of the keys.

use super::number::{MAX_NUMBER, recover};
use super::order::{Of, Order};
use super::{MAX_PACKET_BYTES, PhaseKeys};
use crate::backend::{Aes, Cipher, Gcm, Message};
use crate::error::Error;
use crate::key::nonce::{Nonce, sequence_nonce};
use crate::key::open;
use crate::lanes::{Block, Bytes, read, write};
use core::cell::Cell;

/// Bytes of a tag, and of the sample that the mask of a header is made of.
const TAG_BYTES: usize = 16;
/// Most bytes of a packet number. The sample begins so many bytes after its first byte (5.4.2).
const MAX_NUMBER_BYTES: usize = 4;

/// The first byte of a header, masked but for the form bit and, if long, the next three (5.4.1).
#[derive(Clone, Copy)]
struct First(u8);

impl First {
    /// 1 in a short header, 0 in a long one. Never masked.
    fn is_short(self) -> u8 {
        1 ^ (self.0 >> 7)
    }

    fn masked(self, mask: u8) -> Self {
        Self(self.0 ^ (mask & (0x0f | self.is_short() << 4)))
    }

    /// Bytes of the packet number: 1 to 4.
    fn number_bytes(self) -> usize {
        usize::from(self.0 & 3).wrapping_add(1)
    }

    /// The Key Phase bit of a short header (RFC 9000 17.3.1).
    fn phase(self) -> u8 {
        (self.0 >> 2) & 1
    }
}

/// The first byte, and four bytes from the packet number on, perhaps some of the payload.
struct Protected<'a> {
    first: &'a Cell<u8>,
    word: &'a [Cell<u8>; MAX_NUMBER_BYTES],
}

impl<'a> Protected<'a> {
    /// `None` if the packet ends before.
    #[inline(always)]
    fn of(packet: Bytes<'a>, number_at: usize) -> Option<Self> {
        let word = packet.get(number_at..)?.first_chunk()?;
        Some(Self { first: packet.first()?, word })
    }

    #[inline(always)]
    fn get(&self) -> (First, u32) {
        (First(self.first.get()), u32::from_be_bytes(read(self.word)))
    }

    #[inline(always)]
    fn set(&self, first: First, word: u32) {
        self.first.set(first.0);
        write(self.word, &word.to_be_bytes());
    }
}

/// The bits of the four bytes from the packet number on that belong to a number of `bytes` bytes.
#[inline(always)]
fn number_bits(bytes: usize) -> u32 {
    (u32::MAX).wrapping_shl(32 - 8 * bytes as u32)
}

/// The bytes that mask a header (5.4.3).
#[derive(Clone, Copy)]
pub(super) struct Mask {
    first: u8,
    /// For four bytes from the packet number on.
    word: u32,
}

/// The mask of a header whose packet number begins at `number_at`. `None` if the packet ends before
/// the sample does, or is longer than any packet.
#[inline(always)]
pub(super) fn mask(aes: Aes, packet: Bytes, number_at: usize) -> Option<Mask> {
    if packet.len() > MAX_PACKET_BYTES {
        return None;
    }
    let after = packet.get(number_at..)?.get(MAX_NUMBER_BYTES..)?;
    let mut mask: [Block; 1] = [read(after.first_chunk()?)];
    aes.encrypt(&mut mask);
    let [[first, a, b, c, d, ..]] = mask;
    Some(Mask { first, word: u32::from_be_bytes([a, b, c, d]) })
}

/// The header, the text and the tag. `None` if the packet is shorter than header and tag.
#[inline(always)]
fn split<'a>(
    packet: Bytes<'a>,
    header: usize,
) -> Option<(Bytes<'a>, Bytes<'a>, &'a [Cell<u8>; TAG_BYTES])> {
    let (header, rest) = packet.split_at_checked(header)?;
    let (text, tag) = rest.split_last_chunk()?;
    Some((header, text, tag))
}

/// Whether a packet can be sealed.
///
/// # Errors
/// [`Error::PacketTooLong`], [`Error::HeaderTooShort`] and [`Error::PacketTooShort`].
#[inline(always)]
pub(super) fn check(packet: Bytes, header: usize) -> Result<(), Error> {
    if packet.len() > MAX_PACKET_BYTES {
        return Err(Error::PacketTooLong);
    }
    let first = packet.first().ok_or(Error::PacketTooShort)?;
    let number = First(first.get()).number_bytes();
    if header <= number {
        return Err(Error::HeaderTooShort);
    }
    // Text and number have at least four bytes, so the sample lies in the packet (5.4.2).
    let needed = header.saturating_add(MAX_NUMBER_BYTES - number).saturating_add(TAG_BYTES);
    if packet.len() < needed { Err(Error::PacketTooShort) } else { Ok(()) }
}

/// Seals a packet that [`check`] accepts.
#[inline(always)]
pub(super) fn seal(
    gcm: Gcm,
    aes: Aes,
    iv: &Nonce,
    packet: Bytes,
    header_length: usize,
    number: u64,
    path: u32,
) -> Option<()> {
    let bytes = First(packet.first()?.get()).number_bytes();
    let number_at = header_length.wrapping_sub(bytes);
    let protected = Protected::of(packet, number_at)?;
    let (first, word) = protected.get();
    let bits = number_bits(bytes);
    let word = (word & !bits) | (number as u32).wrapping_shl(32 - 8 * bytes as u32);
    protected.set(first, word);
    let (header, text, tag) = split(packet, header_length)?;
    let nonce = sequence_nonce(iv, path, number);
    let made = gcm.seal(Message { nonce: &nonce, aad: header, source: text, target: text });
    write(tag, &made);
    let mask = mask(aes, packet, number_at)?;
    // Read again: the bytes after the number are ciphertext now.
    let (first, word) = protected.get();
    protected.set(first.masked(mask.first), word ^ (mask.word & bits));
    Some(())
}

/// The result of opening a packet.
pub(super) enum Verdict {
    /// Header and payload are in clear. `of` is the key phase of the keys that opened the packet.
    Opened { number: u64, of: Of },
    /// The packet fails authentication under the keys that its header asks for.
    Forged,
    /// The packet has no sample, or it is authentic and may not be opened. This is not a forgery.
    Refused,
}

/// The keys of a receiver.
pub(super) struct Receiving<'a> {
    pub(super) gcm: Gcm<'a>,
    pub(super) phases: &'a [PhaseKeys; 2],
    pub(super) current: usize,
    pub(super) other: Of,
    pub(super) order: &'a Order,
}

impl Receiving<'_> {
    /// Opens a packet whose number is close to `expected`. If that fails, the packet is as it was.
    #[inline(always)]
    pub(super) fn open(
        &self,
        packet: Bytes,
        mask: Option<Mask>,
        number_at: usize,
        expected: u64,
        path: u32,
    ) -> Verdict {
        let opened = mask.and_then(|mask| self.try_open(packet, mask, number_at, expected, path));
        opened.unwrap_or(Verdict::Refused)
    }

    /// `None` without a sample. No branch here depends on masked bits before the tag has matched
    /// (9.5). AES-GCM branches on the lengths of header and payload, thus on the number's length.
    #[inline(always)]
    fn try_open(
        &self,
        packet: Bytes,
        mask: Mask,
        number_at: usize,
        expected: u64,
        path: u32,
    ) -> Option<Verdict> {
        let protected = Protected::of(packet, number_at)?;
        let (masked_first, masked_word) = protected.get();
        let first = masked_first.masked(mask.first);
        let bytes = first.number_bytes();
        let word = masked_word ^ (mask.word & number_bits(bytes));
        protected.set(first, word);
        let truncated = u64::from(word >> (32 - 8 * bytes as u32));
        let number = recover(expected, truncated, bytes as u32);
        let short = usize::from(first.is_short());
        let phase = (usize::from(first.phase()) & short) | (self.current & (short ^ 1));
        let (header, text, tag) = split(packet, number_at.wrapping_add(bytes))?;
        let PhaseKeys { gcm, iv } = self.phases.get(phase & 1)?;
        let nonce = sequence_nonce(iv, path, number);
        let message = Message { nonce: &nonce, aad: header, source: text, target: text };
        let gcm = self.gcm.with_key(gcm);
        let tag = read(tag);
        if !open::open_inside(gcm, message, &tag, false) {
            // No branch on the masked bits here either: a forgery must not show them by its time.
            protected.set(masked_first, masked_word);
            return Some(Verdict::Forged);
        }
        let of = if phase == self.current { Of::Current } else { self.other };
        if number > MAX_NUMBER || !self.order.numbers(of).contains(&number) {
            gcm.keystream(&nonce, &tag, text, text);
            protected.set(masked_first, masked_word);
            return Some(Verdict::Refused);
        }
        Some(Verdict::Opened { number, of })
    }
}
