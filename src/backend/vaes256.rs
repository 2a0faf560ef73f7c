//! VAES and VPCLMULQDQ on AVX2, two blocks per register.

use super::aesni::{self, X1};
use super::compile::backend;
use super::words::words;
use crate::lanes::{Block, Bytes, Lanes};
use core::arch::x86_64::*;

backend!(ENTRY: X2, S = 6, single blocks of aesni::SINGLE_BLOCKS, is_x86_feature_detected[
    "sse2" "ssse3" "sse4.1" "aes" "pclmulqdq" "avx" "avx2" "vaes" "vpclmulqdq"]);

/// Two blocks.
#[derive(Clone, Copy)]
pub(super) struct X2(__m256i);

impl X2 {
    /// The `forget` of [`Entry`](super::entry::Entry).
    #[inline(always)]
    pub(super) fn forget() {
        // SAFETY: as `forget_below` requires.
        unsafe {
            forget_below!("64, 128, 192, 256, 320, 384, 448, 512");
        }
    }
}

/// Clears the sixteen registers of AVX, and the stack down to the last of these lines, in bytes.
///
/// One XOR clears a register to its end, without the microcode of VZEROALL, for which the next
/// message would wait. VZEROUPPER then marks the upper halves as clean. The stores
/// are aligned, since a store across two pages would take longer than all others together.
///
/// Changes only registers that a call may change, and memory below the stack pointer. Without
/// `nostack`, the compiler keeps no data there.
macro_rules! forget_below {
    ($lines:literal) => {
        $crate::backend::assembly::asm!(
            ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
            "vpxor xmm\\n, xmm\\n, xmm\\n",
            ".endr",
            "mov rax, rsp",
            "and rax, -32",
            ".irp word, 8, 16, 24",
            "mov qword ptr [rsp - \\word], 0",
            ".endr",
            concat!(".irp line, ", $lines),
            "vmovaps [rax - \\line], ymm0",
            "vmovaps [rax - \\line + 32], ymm0",
            ".endr",
            "vzeroupper",
            clobber_abi("C"),
        );
    };
}
pub(super) use forget_below;

impl Lanes for X2 {
    const BLOCKS: usize = 2;
    const SPARE_REGISTERS: bool = false;
    type One = X1;

    #[inline(always)]
    fn load(blocks: &[Block]) -> Self {
        match blocks.first_chunk::<2>() {
            // SAFETY: thirty-two readable bytes; `backend` proves the features.
            Some(blocks) => Self(unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }),
            None => Self::first(X1::load(blocks)),
        }
    }

    #[inline(always)]
    fn read(bytes: Bytes) -> Self {
        match bytes.first_chunk::<32>() {
            // SAFETY: thirty-two readable bytes of any value; `backend` proves the features.
            Some(blocks) => Self(unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }),
            None => {
                let high = X1::read(bytes.get(16..).unwrap_or(&[]));
                // SAFETY: `backend` proves the features.
                Self(unsafe { _mm256_set_m128i(high.0, X1::read(bytes).0) })
            }
        }
    }

    #[inline(always)]
    fn write(self, bytes: Bytes) {
        match bytes.first_chunk::<32>() {
            // SAFETY: thirty-two writable bytes of a `Cell`; `backend` proves the features.
            Some(blocks) => unsafe {
                _mm256_storeu_si256(blocks.as_ptr().cast_mut().cast(), self.0);
            },
            None => {
                // SAFETY: `backend` proves the features.
                let (low, high) = unsafe { split(self) };
                low.write(bytes);
                high.write(bytes.get(16..).unwrap_or(&[]));
            }
        }
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { truncate(self.0, bytes) })
    }

    #[inline(always)]
    fn spread(one: X1) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm256_broadcastsi128_si256(one.0) })
    }

    #[inline(always)]
    fn first(one: X1) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm256_zextsi128_si256(one.0) })
    }

    #[inline(always)]
    fn fold(self) -> X1 {
        // SAFETY: `backend` proves the features.
        let (low, high) = unsafe { split(self) };
        low.xor(high)
    }

    #[inline(always)]
    fn counters(nonce: &[u8; 12], first: u32) -> Self {
        let low = X1::counters(nonce, first);
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm256_set_m128i(low.plus(1).0, low.0) })
    }

    #[inline(always)]
    fn plus(self, number: u32) -> Self {
        let n = number.cast_signed();
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm256_add_epi32(self.0, _mm256_set_epi32(n, 0, 0, 0, n, 0, 0, 0)) })
    }

    #[inline(always)]
    fn plus_first(self, number: u32) -> Self {
        let n = number.cast_signed();
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm256_add_epi32(self.0, _mm256_set_epi32(0, 0, 0, n, 0, 0, 0, n)) })
    }

    words!(
        X2,
        __m256i,
        ymm_reg,
        "avx2",
        _mm256_broadcastsi128_si256,
        _mm256_xor_si256,
        _mm256_shuffle_epi8,
        _mm256_shuffle_epi32,
        _mm256_set1_epi64x,
        _mm256_slli_si256,
        _mm256_srli_si256,
        _mm256_aesenc_epi128,
        _mm256_aesenclast_epi128,
        _mm256_clmulepi64_epi128
    );
}

// Methods of several instructions. They enable the features that their bodies use.

#[inline]
#[target_feature(enable = "avx2")]
fn split(X2(x): X2) -> (X1, X1) {
    (X1(_mm256_castsi256_si128(x)), X1(_mm256_extracti128_si256::<1>(x)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn truncate(x: __m256i, bytes: usize) -> __m256i {
    let index = _mm256_setr_epi8(
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25, 26, 27, 28, 29, 30, 31,
    );
    _mm256_and_si256(x, _mm256_cmpgt_epi8(_mm256_set1_epi8(bytes.min(32) as i8), index))
}
