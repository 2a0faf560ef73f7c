//! The vocabulary every backend speaks: a register that holds `BLOCKS` AES blocks.
//!
//! A value of a `Lanes` type exists only where the CPU features behind it were proven (`backend` says how),
//! so its methods are safe to call. Every method is `#[inline(always)]`: it becomes the few instructions it names
//! inside an entry point that carries `#[target_feature]`, and a function call anywhere else.

use core::cell::Cell;

/// Sixteen bytes: an AES block, a round key, a power of H, a tag.
pub type Block = [u8; 16];

/// Message memory. It belongs to JavaScript, and source and destination may be the same range, so it is
/// cells: readable and writable through any number of names, and nothing assumed of it between two accesses.
pub type Bytes<'a> = &'a [Cell<u8>];

/// A register holding [`BLOCKS`](Lanes::BLOCKS) AES blocks, the first in lane 0.
pub trait Lanes: Copy {
    /// Blocks per register: 1, 2 or 4.
    const BLOCKS: usize;
    /// Bytes per register.
    const BYTES: usize = Self::BLOCKS * 16;
    /// Whether the register file holds a group of ciphertext beside the group in flight.
    const ROOMY: bool;
    /// The one-block register of the same family.
    type One: Single;

    /// The first blocks of `blocks`, zero where it is shorter than the register.
    fn load(blocks: &[Block]) -> Self;
    /// The first bytes of `bytes`, zero where it is shorter than the register.
    fn read(bytes: Bytes) -> Self;
    /// Writes as many bytes as `bytes` and the register both have.
    fn write(self, bytes: Bytes);
    /// The first `bytes` bytes, the rest zero.
    fn keep(self, bytes: usize) -> Self;
    /// `one` in every lane.
    fn spread(one: Self::One) -> Self;
    /// The same block in every lane.
    #[inline(always)]
    fn splat(block: &Block) -> Self {
        Self::spread(Self::One::load(core::slice::from_ref(block)))
    }
    /// `one` in lane 0, zero elsewhere.
    fn first(one: Self::One) -> Self;
    /// XOR of all lanes.
    fn fold(self) -> Self::One;
    /// Bitwise exclusive or.
    fn xor(self, rhs: Self) -> Self;

    /// Counter blocks `nonce ‖ first`, `nonce ‖ first + 1`, … in the order arithmetic wants (see [`wire`](Lanes::wire)).
    fn counters(nonce: &[u8; 12], first: u32) -> Self;
    /// Every counter moved on by `blocks`, modulo 2^32 (inc32 of SP 800-38D 6.2).
    fn plus(self, blocks: u32) -> Self;
    /// The counters as the cipher takes them: big-endian.
    fn wire(self) -> Self;

    /// What enters the first round: a block and the first round key, where a round adds its key after it.
    fn enter(self, first: Self) -> Self;
    /// One AES round (SubBytes, ShiftRows, MixColumns) between two round keys. It adds one of them: `after` where the
    /// instruction adds a key after the round, `before` where it adds one before.
    fn round(self, before: Self, after: Self) -> Self;
    /// The last AES round, without MixColumns: what comes out has every key added.
    fn last_round(self, before: Self, after: Self) -> Self;

    /// The bytes of every lane in reverse order: GHASH's bit order, the instructions' byte order.
    fn reflect(self) -> Self;
    /// Changes nothing. Tells the compiler to have all four before it goes on with any: left alone it gathers the
    /// cipher's instructions and the multiplier's, and one unit waits while the other works.
    fn abreast(&mut self, low: &mut Self, middle: &mut Self, high: &mut Self);

    /// Lane-wise carry-less product of the low 64-bit halves.
    fn low(self, rhs: Self) -> Self;
    /// Lane-wise carry-less product of the high halves.
    fn high(self, rhs: Self) -> Self;
    /// The XOR of a lane's two halves, in both of them: Karatsuba's third factor.
    fn halves(self) -> Self;
    /// Lane-wise, a 256-bit product modulo the GHASH polynomial, times x^-128 (Montgomery's form, as POLYVAL has it).
    fn reduce(low: Self, middle: Self, high: Self) -> Self;
}

/// What only a one-block register must know, since it happens once per key or once per message.
pub trait Single: Lanes<One = Self> {
    /// Writes the block out.
    fn store(self, block: &mut Block);
    /// The key schedule's step (FIPS 197 5.2): every word of `self` XOR all words before it XOR
    /// SubWord of `source`'s last word, which is rotated and given `rcon` where `ROTATE`.
    fn next_round_key<const ROTATE: bool>(self, source: Self, rcon: u8) -> Self;
}

/// A key as the caller gave it.
#[derive(Clone, Copy)]
pub enum RawKey<'a> {
    /// AES-128.
    Aes128(&'a [u8; 16]),
    /// AES-256.
    Aes256(&'a [u8; 32]),
}

impl RawKey<'_> {
    /// 128 or 256.
    pub fn bits(&self) -> KeyBits {
        match self {
            Self::Aes128(_) => KeyBits::Aes128,
            Self::Aes256(_) => KeyBits::Aes256,
        }
    }
}

/// Which of the two ciphers a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBits {
    /// AES-128: ten rounds.
    Aes128,
    /// AES-256: fourteen rounds.
    Aes256,
}
