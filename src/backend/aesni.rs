//! AES-NI and PCLMULQDQ, one block per register. Without AVX, which would gain 4%, this backend
//! serves every x86-64 server CPU since 2010, even those with AVX switched off.

use super::assembly::asm;
use super::compile::backend;
use super::partial;
use super::words::words;
use crate::lanes::{Block, Bytes, Lanes, Single};
use core::arch::x86_64::*;

backend!(ENTRY and SINGLE_BLOCKS: X1, S = 6, is_x86_feature_detected[
    "sse2" "ssse3" "sse4.1" "aes" "pclmulqdq"]);

/// One block. The wider x86 backends use it too; their lists include the features of this backend.
#[derive(Clone, Copy)]
pub(super) struct X1(pub(super) __m128i);

impl X1 {
    /// The `forget` of [`Entry`](super::entry::Entry).
    #[inline(always)]
    pub(super) fn forget() {
        // Aligned stores: a store across two pages would take longer than all others together.
        // SAFETY: changes only registers that a call may change, and memory below the stack
        // pointer. Without `nostack`, the compiler keeps no data there.
        unsafe {
            asm!(
                ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
                "pxor xmm\\n, xmm\\n",
                ".endr",
                "mov rax, rsp",
                "and rax, -16",
                "mov qword ptr [rsp - 8], 0",
                ".irp line, 64, 128, 192, 256, 320, 384, 448, 512",
                "movaps [rax - \\line], xmm0",
                "movaps [rax - \\line + 16], xmm0",
                "movaps [rax - \\line + 32], xmm0",
                "movaps [rax - \\line + 48], xmm0",
                ".endr",
                clobber_abi("C"),
            );
        }
    }
}

impl Lanes for X1 {
    const BLOCKS: usize = 1;
    const SPARE_REGISTERS: bool = false;
    type One = Self;

    #[inline(always)]
    fn load(blocks: &[Block]) -> Self {
        match blocks.first() {
            // SAFETY: sixteen readable bytes; `backend` proves the features.
            Some(block) => Self(unsafe { _mm_loadu_si128(block.as_ptr().cast()) }),
            // SAFETY: `backend` proves the features.
            None => Self(unsafe { _mm_setzero_si128() }),
        }
    }

    #[inline(always)]
    fn read(bytes: Bytes) -> Self {
        match bytes.first_chunk::<16>() {
            // SAFETY: sixteen readable bytes of any value; `backend` proves the features.
            Some(block) => Self(unsafe { _mm_loadu_si128(block.as_ptr().cast()) }),
            None => Self::splat(&partial::read(bytes).to_le_bytes()),
        }
    }

    #[inline(always)]
    fn write(self, bytes: Bytes) {
        match bytes.first_chunk::<16>() {
            // SAFETY: sixteen writable bytes of a `Cell`; `backend` proves the features.
            Some(block) => unsafe { _mm_storeu_si128(block.as_ptr().cast_mut().cast(), self.0) },
            None => {
                let mut block = [0; 16];
                self.store(&mut block);
                partial::write(u128::from_le_bytes(block), bytes);
            }
        }
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { truncate(self.0, bytes) })
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
        let [start, end] = partial::counter_block(nonce, first).map(u64::cast_signed);
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm_set_epi64x(end, start) })
    }

    #[inline(always)]
    fn plus(self, number: u32) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm_add_epi32(self.0, _mm_set_epi32(number.cast_signed(), 0, 0, 0)) })
    }

    #[inline(always)]
    fn plus_first(self, number: u32) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm_add_epi32(self.0, _mm_set_epi32(0, 0, 0, number.cast_signed())) })
    }

    words!(
        X1,
        __m128i,
        xmm_reg,
        "sse2",
        core::convert::identity,
        _mm_xor_si128,
        _mm_shuffle_epi8,
        _mm_shuffle_epi32,
        _mm_set1_epi64x,
        _mm_slli_si128,
        _mm_srli_si128,
        _mm_aesenc_si128,
        _mm_aesenclast_si128,
        _mm_clmulepi64_si128
    );

    #[inline(always)]
    fn computed(self) -> Self {
        #[inline]
        #[target_feature(enable = "sse2")]
        fn computed(mut x: __m128i) -> __m128i {
            // SAFETY: the text is a comment, without an instruction.
            unsafe {
                asm!("/* {0} */", inout(xmm_reg) x, options(nomem, nostack, preserves_flags));
            }
            x
        }
        // SAFETY: `backend` proves the features.
        Self(unsafe { computed(self.0) })
    }
}

/// Defines methods of `Single` that only call one function.
macro_rules! bytewise {
    ($($name:ident($($argument:ident)?) is $function:expr;)+) => {$(
        #[inline(always)]
        fn $name(self $(, $argument: Self)?) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $function(self.0 $(, $argument.0)?) })
        }
    )+};
}

impl Single for X1 {
    #[inline(always)]
    fn store(self, block: &mut Block) {
        // SAFETY: sixteen writable bytes; `backend` proves the features.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn and(self, rhs: Self) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm_and_si128(self.0, rhs.0) })
    }

    bytewise! {
        or(rhs) is _mm_or_si128;
        add(rhs) is _mm_add_epi8;
        minus(rhs) is _mm_subs_epu8;
        equal(rhs) is _mm_cmpeq_epi8;
        bytes_at(places) is _mm_shuffle_epi8;
        upper_halves() is upper_halves;
        sixes() is sixes;
        joined() is joined;
    }

    #[inline(always)]
    fn next_round_key<const ROTATE: bool>(self, source: Self, rcon: u8) -> Self {
        // SAFETY: `backend` proves the features.
        unsafe { next_round_key::<ROTATE>(self, source, rcon) }
    }
}

// Methods of several instructions. They enable the features that their bodies use.

#[inline]
#[target_feature(enable = "sse2")]
fn truncate(x: __m128i, bytes: usize) -> __m128i {
    let index = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm_and_si128(x, _mm_cmpgt_epi8(_mm_set1_epi8(bytes.min(16) as i8), index))
}

/// ShiftRows keeps a block of four equal words: AESENCLAST is SubWord, and adds `rcon`.
#[inline]
#[target_feature(enable = "ssse3,aes")]
fn next_round_key<const ROTATE: bool>(X1(previous): X1, X1(source): X1, rcon: u8) -> X1 {
    let last = _mm_set1_epi32(if ROTATE { 0x0c0f_0e0d } else { 0x0f0e_0d0c });
    let words = _mm_shuffle_epi8(source, last);
    let word = _mm_aesenclast_si128(words, _mm_set1_epi32(i32::from(rcon)));
    let sums = _mm_xor_si128(previous, _mm_slli_si128::<4>(previous));
    let sums = _mm_xor_si128(sums, _mm_slli_si128::<8>(sums));
    X1(_mm_xor_si128(sums, word))
}

#[inline]
#[target_feature(enable = "sse2")]
fn upper_halves(x: __m128i) -> __m128i {
    _mm_and_si128(_mm_srli_epi16::<4>(x), _mm_set1_epi8(15))
}

/// Each three bytes `a b c` as the words `a b` and `b c`, little-endian. In each of them, the upper
/// number of six bits moves down by a product's upper half, and the lower one up. The compiler,
/// which does not see the factors, would use three times as many shifts.
#[inline]
#[target_feature(enable = "ssse3")]
fn sixes(x: __m128i) -> __m128i {
    let words = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    let words = _mm_shuffle_epi8(x, words);
    let upper = _mm_and_si128(words, _mm_set1_epi32(0x0fc0_fc00));
    let lower = _mm_and_si128(words, _mm_set1_epi32(0x003f_03f0));
    let [down, up] = [0x0400_0040, 0x0100_0010].map(|x| X1(_mm_set1_epi32(x)).computed().0);
    _mm_or_si128(_mm_mulhi_epu16(upper, down), _mm_mullo_epi16(lower, up))
}

/// Sums of products move numbers together: two in a word, and four in a double word.
#[inline]
#[target_feature(enable = "ssse3")]
fn joined(x: __m128i) -> __m128i {
    let twelves = _mm_maddubs_epi16(x, _mm_set1_epi16(0x0140));
    let triples = _mm_madd_epi16(twelves, _mm_set1_epi32(0x0001_1000));
    let bytes = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    _mm_shuffle_epi8(triples, bytes)
}
