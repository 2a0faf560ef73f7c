//! The operations that every backend provides, on a register that holds `BLOCKS` AES blocks.
//!
//! Only entry points of a backend use its register type, and only on a CPU that has its features
//! (`backend` has the argument), so the methods are safe to call. Every method is
//! `#[inline(always)]`: inside an entry point with `#[target_feature]`, it becomes the few
//! instructions it names.

use core::cell::Cell;

/// Sixteen bytes: an AES block, a round key, a power of H, a tag.
pub type Block = [u8; 16];

/// Message memory. JavaScript owns it, and source and destination may be the same range. So the
/// bytes are cells, which any number of references may read and write.
pub type Bytes<'a> = &'a [Cell<u8>];

/// The values of these cells.
#[inline(always)]
pub(crate) fn read<const N: usize>(from: &[Cell<u8>; N]) -> [u8; N] {
    from.each_ref().map(Cell::get)
}

/// Writes `from` into these cells.
#[inline(always)]
pub(crate) fn write<const N: usize>(to: &[Cell<u8>; N], from: &[u8; N]) {
    for (to, from) in to.iter().zip(from) {
        to.set(*from);
    }
}

/// A register holding [`BLOCKS`](Lanes::BLOCKS) AES blocks, the first in lane 0.
pub trait Lanes: Copy {
    /// Blocks per register: 1, 2 or 4.
    const BLOCKS: usize;
    /// Bytes per register.
    const BYTES: usize = Self::BLOCKS * 16;
    /// Whether there are enough registers to hold a group of ciphertext besides the group in the
    /// cipher, and to add products in pairs (`ghash`).
    const SPARE_REGISTERS: bool;
    /// The one-block register of the same family.
    type One: Single;

    /// Loads the first blocks of `blocks`; lanes past the end of `blocks` are zero.
    fn load(blocks: &[Block]) -> Self;
    /// Loads the first bytes of `bytes`; bytes past the end of `bytes` are zero.
    fn read(bytes: Bytes) -> Self;
    /// Writes as many bytes as `bytes` and the register both have.
    fn write(self, bytes: Bytes);
    /// Keeps the first `bytes` bytes and sets the others to zero.
    fn truncate(self, bytes: usize) -> Self;
    /// Puts `one` into every lane.
    fn spread(one: Self::One) -> Self;
    /// Puts one block into every lane.
    #[inline(always)]
    fn splat(block: &Block) -> Self {
        Self::spread(Self::One::load(core::slice::from_ref(block)))
    }
    /// Puts `one` into lane 0, and zero into the other lanes.
    fn first(one: Self::One) -> Self;
    /// XOR of all lanes.
    fn fold(self) -> Self::One;
    /// Bitwise exclusive or.
    fn xor(self, rhs: Self) -> Self;

    /// Counter blocks `nonce ‖ first`, `nonce ‖ first + 1`, …, with little-endian counters.
    ///
    /// The nonce is read as two words, the first eight bytes and the last four, as `key::nonce`
    /// wrote it shortly before. Other words would cost as much time as a short message: the CPU
    /// passes a stored value to a load only if one store covers the load.
    fn counters(nonce: &[u8; 12], first: u32) -> Self;
    /// Adds `number` to the last four bytes of every block, little-endian, modulo 2^32 (inc32 of SP
    /// 800-38D 6.2, repeated). In big-endian counters, `n << 24` adds `n` to the last byte.
    fn plus(self, number: u32) -> Self;
    /// Adds `number` to the first four bytes of every block, little-endian, modulo 2^32.
    fn plus_first(self, number: u32) -> Self;
    /// Reverses the bytes of every counter: between little-endian and the cipher's big-endian.
    fn swap_counters(self) -> Self;

    /// Adds the first round key (FIPS 197 5.1.4) on x86. On arm64, [`round`](Lanes::round) adds it.
    fn initial_round(self, key: Self) -> Self;
    /// One AES round: SubBytes, ShiftRows and MixColumns. On x86 it then adds `after` and ignores
    /// `before`; on arm64 it first adds `before` and ignores `after`.
    fn round(self, before: Self, after: Self) -> Self;
    /// The last AES round, without MixColumns. It then adds `after`; on arm64, `before` first.
    fn last_round(self, before: Self, after: Self) -> Self;

    /// Reverses the bytes of every lane: GHASH's bit order becomes that of the multiplier.
    fn reflect(self) -> Self;
    /// Changes no value. Makes the compiler compute all four registers first. Without this, it
    /// groups the cipher's instructions and the multiplier's, and one unit waits for the other.
    fn interleave(&mut self, low: &mut Self, middle: &mut Self, high: &mut Self);

    /// Changes no value. Makes the compiler compute the register here, not where it is used.
    #[inline(always)]
    fn computed(self) -> Self {
        self
    }

    /// Lane-wise carry-less product of the low 64-bit halves.
    fn low(self, rhs: Self) -> Self;
    /// Lane-wise carry-less product of the high halves.
    fn high(self, rhs: Self) -> Self;
    /// The XOR of the two halves of each lane, in both halves: Karatsuba's third factor.
    fn halves(self) -> Self;
    /// Moves the low 64 bits of each lane up by 64 bits, and clears the low half.
    fn words_up(self) -> Self;
    /// Moves the high 64 bits of each lane down by 64 bits, and clears the high half.
    fn words_down(self) -> Self;
    /// Lane-wise, `low + middle·x^64 + high·x^128` modulo POLYVAL's polynomial, times x^-128
    /// (Montgomery's form). `middle` is Karatsuba's third product plus `low` and `high`.
    fn reduce(low: Self, middle: Self, high: Self) -> Self;
}

/// Operations of a one-block register, which are needed once per key or once per message.
pub trait Single: Lanes<One = Self> {
    /// Writes the block into `block`.
    fn store(self, block: &mut Block);
    /// Bitwise and.
    fn and(self, rhs: Self) -> Self;
    /// Bitwise or.
    fn or(self, rhs: Self) -> Self;
    /// Byte-wise sum, modulo 256.
    fn add(self, rhs: Self) -> Self;
    /// Byte-wise difference; zero where it would be negative.
    fn minus(self, rhs: Self) -> Self;
    /// 255 for each byte that both have at the same place, and otherwise zero.
    fn equal(self, rhs: Self) -> Self;
    /// The upper four bits of each byte, as a number.
    fn upper_halves(self) -> Self;
    /// The bytes of `self` at these places, each below 16.
    fn bytes_at(self, places: Self) -> Self;
    /// The first twelve bytes as sixteen numbers of six bits, the first in the top bits.
    fn sixes(self) -> Self;
    /// The twelve bytes of sixteen numbers of six bits, then zeros: the inverse of `sixes`.
    fn joined(self) -> Self;
    /// One step of the key schedule (FIPS 197 5.2). Every word of the result is the XOR of `self`'s
    /// words up to its place and SubWord of `source`'s last word; with `ROTATE`, RotWord and
    /// `rcon`.
    fn next_round_key<const ROTATE: bool>(self, source: Self, rcon: u8) -> Self;
}

/// A caller-supplied key.
#[derive(Clone, Copy)]
pub enum RawKey<'a> {
    /// AES-128.
    Aes128(&'a [u8; 16]),
    /// AES-256.
    Aes256(&'a [u8; 32]),
}

impl RawKey<'_> {
    /// The key's cipher.
    pub fn bits(&self) -> KeyBits {
        match self {
            Self::Aes128(_) => KeyBits::Aes128,
            Self::Aes256(_) => KeyBits::Aes256,
        }
    }
}

/// The cipher of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBits {
    /// AES-128: ten rounds.
    Aes128,
    /// AES-256: fourteen rounds.
    Aes256,
}
