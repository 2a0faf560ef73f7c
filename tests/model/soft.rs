//! Registers that are arrays: the crate's vocabulary in safe code, at any width, to compare the kernel with the book
//! without any CPU instruction.

use super::book::{self, Block};
use super::multiply::carryless;
use hardware_aes_gcm::lanes::{Bytes, Lanes, Single};
use std::array::from_fn;
use std::cell::RefCell;

thread_local! {
    /// The blocks of all registers since the last [`clear`].
    static BLOCKS: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Forgets all registers of this thread. None outlives a call of the kernel.
pub(crate) fn clear() {
    BLOCKS.with_borrow_mut(Vec::clear);
}

/// A register of `N` blocks, as the place of its blocks, which never change. Counters are little-endian until the cipher
/// takes them, as in the backends. Through the unrolled kernel, arrays instead of numbers would take the compiler several
/// times as long.
#[derive(Clone, Copy)]
pub(crate) struct Soft<const N: usize>(usize);

impl<const N: usize> Soft<N> {
    #[inline(never)]
    pub(crate) fn new(blocks: [Block; N]) -> Self {
        BLOCKS.with_borrow_mut(|all| {
            all.extend(blocks);
            Self(all.len() - N)
        })
    }

    #[inline(never)]
    pub(crate) fn blocks(self) -> [Block; N] {
        BLOCKS.with_borrow(|all| *all[self.0..].first_chunk().unwrap())
    }

    /// Whether a round adds its key first (as on Arm) or last (as on x86); both are tried, by width.
    const KEY_FIRST: bool = N % 2 == 1;

    fn zip(self, rhs: Self, word: fn(Block, Block) -> Block) -> Self {
        let (a, b) = (self.blocks(), rhs.blocks());
        Self::new(from_fn(|i| word(a[i], b[i])))
    }

    fn map_counters(self, step: impl Fn(u32) -> [u8; 4]) -> Self {
        Self::new(self.blocks().map(|mut block| {
            let counter = block.last_chunk_mut().unwrap();
            *counter = step(u32::from_le_bytes(*counter));
            block
        }))
    }
}

/// The halves of a block as the multiply instructions take them.
fn halves(block: Block) -> [u64; 2] {
    let whole = u128::from_le_bytes(block);
    [whole as u64, (whole >> 64) as u64]
}

// Never inlined: these words are long and the kernel is unrolled, so that inlining took the compiler minutes.
impl<const N: usize> Lanes for Soft<N> {
    const BLOCKS: usize = N;
    // The tests try both of the kernel's ways to hold ciphertext, depending on the width.
    const SPARE_REGISTERS: bool = N.is_multiple_of(2);
    type One = Soft<1>;

    #[inline(never)]
    fn load(blocks: &[Block]) -> Self {
        Self::new(from_fn(|i| blocks.get(i).copied().unwrap_or([0; 16])))
    }

    #[inline(never)]
    fn read(bytes: Bytes) -> Self {
        let mut lanes = [[0; 16]; N];
        for (to, from) in lanes.as_flattened_mut().iter_mut().zip(bytes) {
            *to = from.get();
        }
        Self::new(lanes)
    }

    #[inline(never)]
    fn write(self, bytes: Bytes) {
        for (to, from) in bytes.iter().zip(self.blocks().as_flattened()) {
            to.set(*from);
        }
    }

    #[inline(never)]
    fn truncate(self, bytes: usize) -> Self {
        let mut blocks = self.blocks();
        blocks.as_flattened_mut().iter_mut().skip(bytes).for_each(|byte| *byte = 0);
        Self::new(blocks)
    }

    #[inline(never)]
    fn spread(one: Soft<1>) -> Self {
        Self::new([one.blocks()[0]; N])
    }

    #[inline(never)]
    fn first(one: Soft<1>) -> Self {
        Self::load(&one.blocks())
    }

    #[inline(never)]
    fn fold(self) -> Soft<1> {
        Soft::new([self.blocks().into_iter().fold([0; 16], book::xor)])
    }

    #[inline(never)]
    fn xor(self, rhs: Self) -> Self {
        self.zip(rhs, book::xor)
    }

    #[inline(never)]
    fn counters(nonce: &[u8; 12], first: u32) -> Self {
        let mut block = [0; 16];
        block[..12].copy_from_slice(nonce);
        let mut lane = first;
        Self::new(from_fn(|_| {
            block[12..].copy_from_slice(&lane.to_le_bytes());
            lane = lane.wrapping_add(1);
            block
        }))
    }

    #[inline(never)]
    fn plus(self, number: u32) -> Self {
        self.map_counters(|counter| counter.wrapping_add(number).to_le_bytes())
    }

    #[inline(never)]
    fn plus_first(self, number: u32) -> Self {
        Self::new(self.blocks().map(|mut block| {
            let first = u32::from_le_bytes(*block.first_chunk().unwrap());
            block[..4].copy_from_slice(&first.wrapping_add(number).to_le_bytes());
            block
        }))
    }

    #[inline(never)]
    fn swap_counters(self) -> Self {
        self.map_counters(u32::to_be_bytes)
    }

    #[inline(never)]
    fn initial_round(self, first: Self) -> Self {
        if Self::KEY_FIRST { self } else { self.xor(first) }
    }

    #[inline(never)]
    fn round(self, before: Self, after: Self) -> Self {
        let zero = Self::new([[0; 16]; N]);
        if Self::KEY_FIRST {
            self.xor(before).zip(zero, book::round)
        } else {
            self.zip(after, book::round)
        }
    }

    #[inline(never)]
    fn last_round(self, before: Self, after: Self) -> Self {
        let x = if Self::KEY_FIRST { self.xor(before) } else { self };
        x.zip(after, book::last_round)
    }

    #[inline(never)]
    fn reflect(self) -> Self {
        Self::new(self.blocks().map(|block| from_fn(|i| block[15 - i])))
    }

    #[inline(never)]
    fn words_up(self) -> Self {
        Self::new(self.blocks().map(|block| (u128::from_le_bytes(block) << 64).to_le_bytes()))
    }

    #[inline(never)]
    fn words_down(self) -> Self {
        Self::new(self.blocks().map(|block| (u128::from_le_bytes(block) >> 64).to_le_bytes()))
    }

    #[inline(never)]
    fn interleave(&mut self, _: &mut Self, _: &mut Self, _: &mut Self) {}

    #[inline(never)]
    fn low(self, rhs: Self) -> Self {
        self.zip(rhs, |a, b| carryless(halves(a)[0], halves(b)[0]).to_le_bytes())
    }

    #[inline(never)]
    fn high(self, rhs: Self) -> Self {
        self.zip(rhs, |a, b| carryless(halves(a)[1], halves(b)[1]).to_le_bytes())
    }

    #[inline(never)]
    fn halves(self) -> Self {
        Self::new(self.blocks().map(|block| {
            let [low, high] = halves(block);
            let both = u128::from(low ^ high);
            (both << 64 | both).to_le_bytes()
        }))
    }

    /// 128 times: if the constant term is set, adds the polynomial, which clears this term; then divides by x.
    #[inline(never)]
    fn reduce(low: Self, middle: Self, high: Self) -> Self {
        let [low, middle, high] = [low, middle, high].map(Self::blocks);
        Self::new(from_fn(|lane| {
            let [low, middle, high] =
                [&low, &middle, &high].map(|blocks| u128::from_le_bytes(blocks[lane]));
            let (mut low, mut high) = (low ^ (middle << 64), high ^ (middle >> 64));
            // x^128 + x^127 + x^126 + x^121, divided by x.
            let polynomial = 1 << 127 | 1 << 126 | 1 << 125 | 1 << 120;
            for _ in 0..128 {
                let added = if low & 1 == 1 { polynomial } else { 0 };
                low = (low >> 1 | high << 127) ^ added;
                high >>= 1;
            }
            low.to_le_bytes()
        }))
    }
}

impl Single for Soft<1> {
    #[inline(never)]
    fn store(self, block: &mut Block) {
        [*block] = self.blocks();
    }

    #[inline(never)]
    fn and(self, rhs: Self) -> Self {
        self.zip(rhs, |a, b| from_fn(|i| a[i] & b[i]))
    }

    #[inline(never)]
    fn or(self, rhs: Self) -> Self {
        self.zip(rhs, |a, b| from_fn(|i| a[i] | b[i]))
    }

    #[inline(never)]
    fn add(self, rhs: Self) -> Self {
        self.zip(rhs, |a, b| from_fn(|i| a[i].wrapping_add(b[i])))
    }

    #[inline(never)]
    fn minus(self, rhs: Self) -> Self {
        self.zip(rhs, |a, b| from_fn(|i| a[i].saturating_sub(b[i])))
    }

    #[inline(never)]
    fn equal(self, rhs: Self) -> Self {
        self.zip(rhs, |a, b| from_fn(|i| if a[i] == b[i] { 255 } else { 0 }))
    }

    #[inline(never)]
    fn upper_halves(self) -> Self {
        Self::new(self.blocks().map(|block| block.map(|byte| byte >> 4)))
    }

    #[inline(never)]
    fn bytes_at(self, places: Self) -> Self {
        self.zip(places, |a, b| b.map(|at| a[usize::from(at)]))
    }

    #[inline(never)]
    fn sixes(self) -> Self {
        let bits = u128::from_be_bytes(self.blocks()[0]);
        Self::new([from_fn(|i| (bits >> (122 - 6 * i)) as u8 & 63)])
    }

    #[inline(never)]
    fn joined(self) -> Self {
        let bits = self.blocks()[0].iter().fold(0, |bits: u128, six| bits << 6 | u128::from(*six));
        Self::new([(bits << 32).to_be_bytes()])
    }

    #[inline(never)]
    fn next_round_key<const ROTATE: bool>(self, source: Self, rcon: u8) -> Self {
        let ([previous], [source]) = (self.blocks(), source.blocks());
        let mut word: [u8; 4] = book::sub_bytes(*source.last_chunk().unwrap());
        if ROTATE {
            word.rotate_left(1);
            word[0] ^= rcon;
        }
        let mut next = previous;
        for to in next.as_chunks_mut::<4>().0 {
            *to = book::xor(*to, word);
            word = *to;
        }
        Soft::new([next])
    }
}
