//! VAES and VPCLMULQDQ on AVX-512, four blocks a register. Masks select less than a register.

use super::aesni::{self, X1};
use super::assembly::asm;
use super::compile::backend;
use super::vaes256;
use super::words::words;
use crate::lanes::{Block, Bytes, Lanes};
use core::arch::x86_64::*;

backend!(ENTRY: X4, S = 8, single blocks of aesni::SINGLE_BLOCKS, is_x86_feature_detected[
    "sse2" "ssse3" "sse4.1" "aes" "pclmulqdq" "avx" "avx2" "avx512f" "avx512bw" "avx512vl" "vaes" "vpclmulqdq"]);

/// Four blocks.
#[derive(Clone, Copy)]
pub(super) struct X4(__m512i);

/// Selects the first `bytes` bytes. A masked load or store does not access the others.
#[inline(always)]
fn mask(bytes: usize) -> u64 {
    if bytes < 64 { (1 << bytes) - 1 } else { u64::MAX }
}

impl X4 {
    /// Loads `length` bytes, fewer than sixty-four, followed by zeros. Zero bytes are not loaded:
    /// an empty mask may load from an unmapped page, but takes a hundred times as long.
    ///
    /// # Safety
    /// `length` bytes are readable at `from`.
    #[inline(always)]
    unsafe fn partial(from: *const u8, length: usize) -> Self {
        match length {
            // SAFETY: `backend` proves the features.
            0 => Self(unsafe { _mm512_setzero_si512() }),
            // SAFETY: the caller promises `length` bytes; `backend` proves the features.
            _ => Self(unsafe { _mm512_maskz_loadu_epi8(mask(length), from.cast()) }),
        }
    }

    /// The `forget` of [`Entry`](super::entry::Entry): `vaes256`'s, and sixteen registers more. No
    /// kernel needs more than 256 bytes of stack, except on Windows, where callees save registers.
    #[inline(always)]
    pub(super) fn forget() {
        // SAFETY: changes only registers that a call may change.
        unsafe {
            asm!(
                ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
                "vpxord zmm\\n, zmm\\n, zmm\\n",
                ".endr",
                clobber_abi("C"),
                options(nomem, nostack, preserves_flags),
            );
        }
        if cfg!(windows) {
            return vaes256::X2::forget();
        }
        // SAFETY: as `forget_below` requires.
        unsafe {
            vaes256::forget_below!("64, 128, 192, 256");
        }
    }
}

impl Lanes for X4 {
    const BLOCKS: usize = 4;
    const SPARE_REGISTERS: bool = true;
    type One = X1;

    #[inline(always)]
    fn load(blocks: &[Block]) -> Self {
        match blocks.first_chunk::<4>() {
            // SAFETY: sixty-four readable bytes; `backend` proves the features.
            Some(blocks) => Self(unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) }),
            None => {
                let bytes = blocks.as_flattened();
                // SAFETY: `bytes` is borrowed, so all of it is readable.
                unsafe { Self::partial(bytes.as_ptr(), bytes.len()) }
            }
        }
    }

    #[inline(always)]
    fn read(bytes: Bytes) -> Self {
        match bytes.first_chunk::<64>() {
            // SAFETY: sixty-four readable bytes of any value; `backend` proves the features.
            Some(blocks) => Self(unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) }),
            // SAFETY: `bytes` is borrowed, so all of it is readable.
            None => unsafe { Self::partial(bytes.as_ptr().cast(), bytes.len()) },
        }
    }

    #[inline(always)]
    fn write(self, bytes: Bytes) {
        let target = bytes.as_ptr().cast_mut();
        match bytes.len() {
            0 => {}
            // SAFETY: the mask selects only bytes of `bytes` (`Cell` allows writing through a
            // shared reference); `backend` proves the features.
            length @ ..64 => unsafe {
                _mm512_mask_storeu_epi8(target.cast(), mask(length), self.0);
            },
            // Without a mask, since masked stores are many times slower on some CPUs.
            // SAFETY: sixty-four writable bytes; otherwise as above.
            _ => unsafe { _mm512_storeu_si512(target.cast(), self.0) },
        }
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm512_maskz_mov_epi8(mask(bytes), self.0) })
    }

    #[inline(always)]
    fn spread(one: X1) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm512_broadcast_i32x4(one.0) })
    }

    #[inline(always)]
    fn first(one: X1) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { _mm512_zextsi128_si512(one.0) })
    }

    #[inline(always)]
    fn fold(self) -> X1 {
        // SAFETY: `backend` proves the features.
        unsafe { fold(self) }
    }

    #[inline(always)]
    fn counters(nonce: &[u8; 12], first: u32) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { counters(X1::counters(nonce, first)) })
    }

    #[inline(always)]
    fn plus(self, number: u32) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { plus(self.0, number.cast_signed()) })
    }

    #[inline(always)]
    fn plus_first(self, number: u32) -> Self {
        // SAFETY: `backend` proves the features.
        Self(unsafe { plus_first(self.0, number.cast_signed()) })
    }

    words!(
        X4,
        __m512i,
        zmm_reg,
        "avx512f",
        _mm512_broadcast_i32x4,
        _mm512_xor_si512,
        _mm512_shuffle_epi8,
        _mm512_shuffle_epi32,
        _mm512_set1_epi64,
        _mm512_bslli_epi128,
        _mm512_bsrli_epi128,
        _mm512_aesenc_epi128,
        _mm512_aesenclast_epi128,
        _mm512_clmulepi64_epi128
    );
}

// Methods of several instructions. They enable the features that their bodies use.

#[inline]
#[target_feature(enable = "avx512f")]
fn fold(X4(x): X4) -> X1 {
    let two = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x));
    X1(_mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn counters(X1(first): X1) -> __m512i {
    let steps = _mm512_set_epi32(3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    _mm512_add_epi32(_mm512_broadcast_i32x4(first), steps)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn plus(x: __m512i, n: i32) -> __m512i {
    _mm512_add_epi32(x, _mm512_set_epi32(n, 0, 0, 0, n, 0, 0, 0, n, 0, 0, 0, n, 0, 0, 0))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn plus_first(x: __m512i, n: i32) -> __m512i {
    _mm512_add_epi32(x, _mm512_set_epi32(0, 0, 0, n, 0, 0, 0, n, 0, 0, 0, n, 0, 0, 0, n))
}
