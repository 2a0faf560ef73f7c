//! Only GHASH: a group of registers times descending powers of H, one reduction per group.

use super::words::each;
use std::arch::x86_64::*;

/// Blocks of the longest group.
pub const POWERS: usize = 64;

/// H^64 … H^1 as `powers` makes them.
pub type Powers = [[u8; 16]; POWERS];

/// The hash of whole groups of registers.
pub type Loop = unsafe fn(&Powers, &[u8]) -> u128;

/// Powers of `h`, a block with x^0 in the leftmost bit. The powers are reflected and times x, so that products need no shift.
///
/// # Safety
/// The CPU has SSE4.1 and PCLMULQDQ.
#[target_feature(enable = "sse4.1,pclmulqdq")]
pub unsafe fn powers(h: u128) -> Powers {
    let one = h << 1 ^ if h >> 127 == 1 { 0xc2 << 120 | 1 } else { 0 };
    let mut powers = [[0; 16]; POWERS];
    let mut power = one.to_le_bytes();
    // SAFETY: arrays of sixteen bytes.
    unsafe {
        let one = _mm_loadu_si128(power.as_ptr().cast());
        for to in powers.iter_mut().rev() {
            *to = power;
            let last = _mm_loadu_si128(power.as_ptr().cast());
            let cross = _mm_xor_si128(
                _mm_clmulepi64_si128::<0x01>(last, one),
                _mm_clmulepi64_si128::<0x10>(last, one),
            );
            let low = _mm_clmulepi64_si128::<0x00>(last, one);
            let next = reduce(low, cross, _mm_clmulepi64_si128::<0x11>(last, one));
            _mm_storeu_si128(power.as_mut_ptr().cast(), next);
        }
    }
    powers
}

/// Folds the low 64 bits into the next 128, twice.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
fn reduce(low: __m128i, middle: __m128i, high: __m128i) -> __m128i {
    let polynomial = _mm_set1_epi64x(0xc200_0000_0000_0000_u64.cast_signed());
    let swap = |x| _mm_shuffle_epi32::<0x4e>(x);
    let fold = |x| _mm_clmulepi64_si128::<0x00>(x, polynomial);
    let middle = _mm_xor_si128(_mm_xor_si128(middle, swap(low)), fold(low));
    _mm_xor_si128(_mm_xor_si128(high, swap(middle)), fold(middle))
}

macro_rules! ghash {
    ($($name:ident = $width:ident, $features:literal, $count:tt, $karatsuba:literal);+) => {$(
        /// # Safety
        /// The CPU has the features.
        #[target_feature(enable = $features)]
        pub unsafe fn $name(powers: &Powers, data: &[u8]) -> u128 {
            use super::words::$width::*;

            const BLOCKS: usize = $count * BYTES / 16;
            let powers = powers.as_flattened()[(POWERS - BLOCKS) * 16..].as_ptr();
            let reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let reversed = splat(reversed);
            let zero = splat(_mm_setzero_si128());
            let mut carry = _mm_setzero_si128();
            // SAFETY: every read stays inside its slice: the powers of one group, or one group of `data`.
            unsafe {
                let mut power = [zero; $count];
                let mut sum = [zero; $count];
                each!($count, I => power[I] = load(powers.add(I * BYTES)));
                each!($count, I => sum[I] = halves(power[I]));
                for group in data.chunks_exact($count * BYTES) {
                    let at = group.as_ptr();
                    let (mut low, mut middle, mut high) = (zero, zero, zero);
                    each!($count, I => {
                        let mut x = shuffle(load(at.add(I * BYTES)), reversed);
                        if I == 0 {
                            x = xor(x, first(carry));
                        }
                        low = xor(low, mul::<0x00>(x, power[I]));
                        high = xor(high, mul::<0x11>(x, power[I]));
                        if $karatsuba {
                            middle = xor(middle, mul::<0x00>(halves(x), sum[I]));
                        } else {
                            let cross = xor(mul::<0x01>(x, power[I]), mul::<0x10>(x, power[I]));
                            middle = xor(middle, cross);
                        }
                    });
                    if $karatsuba {
                        middle = xor(middle, xor(low, high));
                    }
                    carry = reduce(fold(low), fold(middle), fold(high));
                }
                let mut bytes = [0; 16];
                _mm_storeu_si128(bytes.as_mut_ptr().cast(), carry);
                u128::from_le_bytes(bytes)
            }
        }
    )+};
}

ghash!(
    zmm4 = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 4, false;
    zmm8 = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 8, false;
    zmm16 = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 16, false;
    zmm4_three = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 4, true;
    zmm8_three = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 8, true;
    zmm16_three = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 16, true;
    ymm8 = ymm, "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 8, false;
    ymm16 = ymm, "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 16, false;
    ymm8_three = ymm, "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 8, true;
    ymm16_three = ymm, "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 16, true;
    xmm8 = xmm, "sse4.1,aes,pclmulqdq", 8, false;
    xmm16 = xmm, "sse4.1,aes,pclmulqdq", 16, false;
    xmm8_three = xmm, "sse4.1,aes,pclmulqdq", 8, true;
    xmm16_three = xmm, "sse4.1,aes,pclmulqdq", 16, true;
    xmm8_avx = xmm, "avx,sse4.1,aes,pclmulqdq", 8, false;
    xmm8_avx_three = xmm, "avx,sse4.1,aes,pclmulqdq", 8, true
);
