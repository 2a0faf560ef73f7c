//! ARMv8 AES and PMULL, one block per register.

use super::assembly::asm;
use super::compile::backend;
use super::partial;
use crate::lanes::{Block, Bytes, Lanes, Single};
use core::arch::aarch64::*;

// "aes" means FEAT_AES and FEAT_PMULL to the compiler. On Linux, detection only finds FEAT_AES.
backend!(ENTRY and SINGLE_BLOCKS: N1, S = 8, is_aarch64_feature_detected["neon" "aes"] including ["pmull"]);

// The same methods. With FEAT_SHA3, the compiler merges two XORs into one EOR3.
backend!(EOR3: N1, S = 8, single blocks of SINGLE_BLOCKS,
    is_aarch64_feature_detected["neon" "aes" "sha3"] including ["pmull"]);

/// One block.
#[derive(Clone, Copy)]
pub(super) struct N1(uint8x16_t);

/// (x^127 + x^126 + x^121) / x^64: POLYVAL's polynomial without x^128 and 1, a factor of folding.
const POLYNOMIAL: u64 = 0xc200_0000_0000_0000;

impl N1 {
    /// The `forget` of [`Entry`](super::entry::Entry).
    #[inline(always)]
    pub(super) fn forget() {
        // Aligned stores: one across two pages would take longer than all others together. SAFETY:
        // changes only registers that `clobber_abi` declares (the compiler saves d8 to d15), and
        // memory below the stack pointer. Without `nostack`, the compiler keeps no data there.
        unsafe {
            asm!(
                ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
                "movi v\\n\\().2d, #0",
                ".endr",
                ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
                "movi v\\n\\().2d, #0",
                ".endr",
                "mov x9, sp",
                "and x9, x9, #-64",
                ".irp block, 16, 32, 48",
                "stur q0, [sp, #-\\block]",
                ".endr",
                ".irp line, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768",
                "stp q0, q0, [x9, #-\\line]",
                "stp q0, q0, [x9, #-\\line + 32]",
                ".endr",
                clobber_abi("C"),
                options(preserves_flags),
            );
        }
    }
}

/// Defines methods of `Lanes` that only call one of the functions below.
macro_rules! methods {
    ($($name:ident($($argument:ident: $type:ty)?) is $function:expr;)+) => {$(
        #[inline(always)]
        fn $name(self $(, $argument: $type)?) -> Self {
            // SAFETY: `backend` proves the features.
            unsafe { $function(self $(, $argument)?) }
        }
    )+};
}

impl Lanes for N1 {
    const BLOCKS: usize = 1;
    const SPARE_REGISTERS: bool = true;
    type One = Self;

    methods! {
        truncate(bytes: usize) is truncate;
        xor(rhs: Self) is xor;
        plus(number: u32) is plus::<3>;
        plus_first(number: u32) is plus::<0>;
        swap_counters() is swap_counters;
        reflect() is reflect;
        words_up() is words_up;
        words_down() is words_down;
        low(rhs: Self) is product::<0, 0>;
        high(rhs: Self) is product::<1, 1>;
    }

    #[inline(always)]
    fn load(blocks: &[Block]) -> Self {
        let block = blocks.first().unwrap_or(&[0; 16]);
        // SAFETY: sixteen readable bytes; `backend` proves the features.
        unsafe { whole(load(block.as_ptr())) }
    }

    #[inline(always)]
    fn read(bytes: Bytes) -> Self {
        match bytes.first_chunk::<16>() {
            // SAFETY: sixteen readable bytes of any value; `backend` proves the features.
            Some(block) => unsafe { load(block.as_ptr().cast()) },
            None => Self::splat(&partial::read(bytes).to_le_bytes()),
        }
    }

    #[inline(always)]
    fn write(self, bytes: Bytes) {
        match bytes.first_chunk::<16>() {
            // SAFETY: sixteen writable bytes of a `Cell`; `backend` proves the features.
            Some(block) => unsafe { store(self, block.as_ptr().cast_mut().cast()) },
            None => {
                let mut block = [0; 16];
                self.store(&mut block);
                partial::write(u128::from_le_bytes(block), bytes);
            }
        }
    }

    #[inline(always)]
    fn spread(one: Self) -> Self {
        one
    }

    #[inline(always)]
    fn first(one: Self) -> Self {
        one
    }

    #[inline(always)]
    fn fold(self) -> Self {
        self
    }

    #[inline(always)]
    fn counters(nonce: &[u8; 12], first: u32) -> Self {
        let [start, end] = partial::counter_block(nonce, first);
        // SAFETY: `backend` proves the features.
        Self(unsafe { vcombine_u8(vcreate_u8(start), vcreate_u8(end)) })
    }

    #[inline(always)]
    fn initial_round(self, _: Self) -> Self {
        self
    }

    #[inline(always)]
    fn round(self, before: Self, _: Self) -> Self {
        // SAFETY: `backend` proves the features.
        unsafe { round(self, before) }
    }

    #[inline(always)]
    fn last_round(self, before: Self, after: Self) -> Self {
        // SAFETY: `backend` proves the features.
        unsafe { last_round(self, before, after) }
    }

    #[inline(always)]
    fn interleave(&mut self, low: &mut Self, middle: &mut Self, high: &mut Self) {
        // SAFETY: `backend` proves the features.
        unsafe { interleave(&mut self.0, &mut low.0, &mut middle.0, &mut high.0) }
    }

    #[inline(always)]
    fn halves(self) -> Self {
        // SAFETY: `backend` proves the features.
        unsafe { xor(self, swap_halves(self)) }
    }

    #[inline(always)]
    fn reduce(low: Self, middle: Self, high: Self) -> Self {
        // SAFETY: `backend` proves the features.
        unsafe { reduce(low, middle, high) }
    }

    #[inline(always)]
    fn computed(self) -> Self {
        // SAFETY: `backend` proves the features.
        unsafe { computed(self) }
    }
}

impl Single for N1 {
    #[inline(always)]
    fn store(self, block: &mut Block) {
        // SAFETY: sixteen writable bytes; `backend` proves the features.
        unsafe { store(self, block.as_mut_ptr()) }
    }

    methods! {
        and(rhs: Self) is and;
        or(rhs: Self) is or;
        add(rhs: Self) is add;
        minus(rhs: Self) is minus;
        equal(rhs: Self) is equal;
        upper_halves() is upper_halves;
        bytes_at(places: Self) is bytes_at;
        sixes() is sixes;
        joined() is joined;
    }

    #[inline(always)]
    fn next_round_key<const ROTATE: bool>(self, source: Self, rcon: u8) -> Self {
        // SAFETY: `backend` proves the features.
        unsafe { next_round_key::<ROTATE>(self, source, rcon) }
    }
}

// The instructions, in functions that enable the features they use.

#[inline]
#[target_feature(enable = "neon")]
fn interleave(
    x: &mut uint8x16_t,
    low: &mut uint8x16_t,
    middle: &mut uint8x16_t,
    high: &mut uint8x16_t,
) {
    // SAFETY: the text is a comment, without an instruction.
    unsafe {
        asm!(
            "/* {0:v} {1:v} {2:v} {3:v} */",
            inout(vreg) * x,
            inout(vreg) * low,
            inout(vreg) * middle,
            inout(vreg) * high,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
}

/// Not `pure`, so that the compiler does not move it.
#[inline]
#[target_feature(enable = "neon")]
fn computed(N1(mut x): N1) -> N1 {
    // SAFETY: the text is a comment, without an instruction.
    unsafe {
        asm!("/* {0:v} */", inout(vreg) x, options(nomem, nostack, preserves_flags));
    }
    N1(x)
}

/// Makes the compiler load a register as a whole. Otherwise it loads the halves for the products
/// separately, with three instructions instead of one.
#[inline]
#[target_feature(enable = "neon")]
fn whole(N1(mut x): N1) -> N1 {
    // SAFETY: the text is a comment, without an instruction.
    unsafe {
        asm!("/* {0:v} */", inout(vreg) x, options(pure, nomem, nostack, preserves_flags));
    }
    N1(x)
}

/// # Safety
/// Sixteen bytes are readable at `from`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(from: *const u8) -> N1 {
    // SAFETY: the caller's promise.
    N1(unsafe { vld1q_u8(from) })
}

/// # Safety
/// Sixteen bytes are writable at `to`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn store(N1(x): N1, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { vst1q_u8(to, x) }
}

#[inline]
#[target_feature(enable = "neon")]
fn xor(N1(a): N1, N1(b): N1) -> N1 {
    N1(veorq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn and(N1(a): N1, N1(b): N1) -> N1 {
    N1(vandq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn or(N1(a): N1, N1(b): N1) -> N1 {
    N1(vorrq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn add(N1(a): N1, N1(b): N1) -> N1 {
    N1(vaddq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn minus(N1(a): N1, N1(b): N1) -> N1 {
    N1(vqsubq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn equal(N1(a): N1, N1(b): N1) -> N1 {
    N1(vceqq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn upper_halves(N1(x): N1) -> N1 {
    N1(vshrq_n_u8::<4>(x))
}

#[inline]
#[target_feature(enable = "neon")]
fn bytes_at(N1(x): N1, N1(places): N1) -> N1 {
    N1(vqtbl1q_u8(x, places))
}

/// Each three bytes as a number, whose parts move to bytes of their own.
#[inline]
#[target_feature(enable = "neon")]
fn sixes(x: N1) -> N1 {
    let places = vcombine_u8(vcreate_u8(0xff03_0405_ff00_0102), vcreate_u8(0xff09_0a0b_ff06_0708));
    let N1(triples) = bytes_at(x, N1(places));
    let triples = vreinterpretq_u32_u8(triples);
    let first = vandq_u32(vshrq_n_u32::<18>(triples), vdupq_n_u32(0x3f));
    let second = vandq_u32(vshrq_n_u32::<4>(triples), vdupq_n_u32(0x3f00));
    let third = vandq_u32(vshlq_n_u32::<10>(triples), vdupq_n_u32(0x3f_0000));
    let fourth = vandq_u32(vshlq_n_u32::<24>(triples), vdupq_n_u32(0x3f00_0000));
    N1(vreinterpretq_u8_u32(vorrq_u32(vorrq_u32(first, second), vorrq_u32(third, fourth))))
}

#[inline]
#[target_feature(enable = "neon")]
fn joined(N1(x): N1) -> N1 {
    let four = vreinterpretq_u32_u8(x);
    let first = vandq_u32(vshlq_n_u32::<18>(four), vdupq_n_u32(0xfc_0000));
    let second = vandq_u32(vshlq_n_u32::<4>(four), vdupq_n_u32(0x3_f000));
    let third = vandq_u32(vshrq_n_u32::<10>(four), vdupq_n_u32(0xfc0));
    let triples = vorrq_u32(vorrq_u32(first, second), vorrq_u32(third, vshrq_n_u32::<24>(four)));
    let places = vcombine_u8(vcreate_u8(0x090a_0405_0600_0102), vcreate_u8(0xffff_ffff_0c0d_0e08));
    bytes_at(N1(vreinterpretq_u8_u32(triples)), N1(places))
}

#[inline]
#[target_feature(enable = "neon")]
fn truncate(N1(x): N1, bytes: usize) -> N1 {
    let index = vcombine_u8(vcreate_u8(0x0706_0504_0302_0100), vcreate_u8(0x0f0e_0d0c_0b0a_0908));
    N1(vandq_u8(x, vcltq_u8(index, vdupq_n_u8(bytes.min(16) as u8))))
}

#[inline]
#[target_feature(enable = "neon")]
fn plus<const WORD: i32>(N1(x): N1, number: u32) -> N1 {
    let step = vsetq_lane_u32::<WORD>(number, vdupq_n_u32(0));
    N1(vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(x), step)))
}

#[inline]
#[target_feature(enable = "neon")]
fn swap_counters(N1(x): N1) -> N1 {
    let counter = vgetq_lane_u32::<3>(vreinterpretq_u32_u8(x)).swap_bytes();
    N1(vreinterpretq_u8_u32(vsetq_lane_u32::<3>(counter, vreinterpretq_u32_u8(x))))
}

/// AESE begins with the addition of its key.
#[inline]
#[target_feature(enable = "neon,aes")]
fn round(N1(x): N1, N1(before): N1) -> N1 {
    N1(vaesmcq_u8(vaeseq_u8(x, before)))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn last_round(N1(x): N1, N1(before): N1, N1(after): N1) -> N1 {
    N1(veorq_u8(vaeseq_u8(x, before), after))
}

#[inline]
#[target_feature(enable = "neon")]
fn swap_halves(N1(x): N1) -> N1 {
    N1(vextq_u8::<8>(x, x))
}

#[inline]
#[target_feature(enable = "neon")]
fn words_up(N1(x): N1) -> N1 {
    N1(vextq_u8::<8>(vdupq_n_u8(0), x))
}

#[inline]
#[target_feature(enable = "neon")]
fn words_down(N1(x): N1) -> N1 {
    N1(vextq_u8::<8>(x, vdupq_n_u8(0)))
}

#[inline]
#[target_feature(enable = "neon")]
fn reflect(N1(x): N1) -> N1 {
    swap_halves(N1(vrev64q_u8(x)))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn product<const I: i32, const J: i32>(N1(a): N1, N1(b): N1) -> N1 {
    let (a, b) = (vreinterpretq_p64_u8(a), vreinterpretq_p64_u8(b));
    N1(vreinterpretq_u8_p128(vmull_p64(vgetq_lane_p64::<I>(a), vgetq_lane_p64::<J>(b))))
}

/// Montgomery's reduction: folds the low 64 bits into the 128 bits above them, twice.
#[inline]
#[target_feature(enable = "neon,aes")]
fn reduce(low: N1, middle: N1, high: N1) -> N1 {
    let polynomial = N1(vreinterpretq_u8_u64(vdupq_n_u64(POLYNOMIAL)));
    let middle = xor(xor(middle, swap_halves(low)), product::<0, 0>(low, polynomial));
    xor(xor(high, swap_halves(middle)), product::<0, 0>(middle, polynomial))
}

/// ShiftRows keeps a block of four equal words: AESE with a zero key is SubWord.
#[inline]
#[target_feature(enable = "neon,aes")]
fn next_round_key<const ROTATE: bool>(N1(previous): N1, N1(source): N1, rcon: u8) -> N1 {
    let zero = vdupq_n_u8(0);
    let last = vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(source)));
    let mut word = vaeseq_u8(last, zero);
    if ROTATE {
        let w = vreinterpretq_u32_u8(word);
        let rotated = vorrq_u32(vshrq_n_u32::<8>(w), vshlq_n_u32::<24>(w));
        word = vreinterpretq_u8_u32(veorq_u32(rotated, vdupq_n_u32(u32::from(rcon))));
    }
    let sums = veorq_u8(previous, vextq_u8::<12>(zero, previous));
    let sums = veorq_u8(sums, vextq_u8::<8>(zero, sums));
    N1(veorq_u8(sums, word))
}
