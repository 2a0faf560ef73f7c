//! The methods of `Lanes` that differ only in register width between the x86 backends.

/// Defines these methods inside `impl Lanes for $X`. `$spread` puts one block into every lane.
macro_rules! words {
    ($X:ident, $register:ty, $class:ident, $feature:literal, $spread:path,
     $xor:ident, $shuffle:ident, $permute:ident, $set:ident, $up:ident, $down:ident, $aesenc:ident, $aesenclast:ident, $clmul:ident) => {
        #[inline(always)]
        fn xor(self, rhs: Self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $xor(self.0, rhs.0) })
        }

        #[inline(always)]
        fn swap_counters(self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $shuffle(self.0, $spread($crate::backend::words::swapped_counters())) })
        }

        // AESENC ends with the addition of its key.
        #[inline(always)]
        fn initial_round(self, first: Self) -> Self {
            self.xor(first)
        }

        #[inline(always)]
        fn round(self, _: Self, after: Self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $aesenc(self.0, after.0) })
        }

        #[inline(always)]
        fn last_round(self, _: Self, after: Self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $aesenclast(self.0, after.0) })
        }

        #[inline(always)]
        fn reflect(self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $shuffle(self.0, $spread($crate::backend::words::reversed())) })
        }

        #[inline(always)]
        fn interleave(&mut self, low: &mut Self, middle: &mut Self, high: &mut Self) {
            #[inline]
            #[target_feature(enable = $feature)]
            fn interleave(
                x: &mut $register,
                low: &mut $register,
                middle: &mut $register,
                high: &mut $register,
            ) {
                // SAFETY: the text is a comment, without an instruction.
                unsafe {
                    $crate::backend::assembly::asm!(
                        "/* {0} {1} {2} {3} */",
                        inout($class) * x,
                        inout($class) * low,
                        inout($class) * middle,
                        inout($class) * high,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
            }
            // SAFETY: `backend` proves the features.
            unsafe { interleave(&mut self.0, &mut low.0, &mut middle.0, &mut high.0) }
        }

        #[inline(always)]
        fn low(self, rhs: Self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $clmul::<0x00>(self.0, rhs.0) })
        }

        #[inline(always)]
        fn high(self, rhs: Self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $clmul::<0x11>(self.0, rhs.0) })
        }

        #[inline(always)]
        fn halves(self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $xor(self.0, $permute::<0x4e>(self.0)) })
        }

        #[inline(always)]
        fn words_up(self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $up::<8>(self.0) })
        }

        #[inline(always)]
        fn words_down(self) -> Self {
            // SAFETY: `backend` proves the features.
            Self(unsafe { $down::<8>(self.0) })
        }

        // Montgomery's reduction: folds the low 64 bits into the 128 bits above them, twice.
        #[inline(always)]
        fn reduce(Self(low): Self, Self(middle): Self, Self(high): Self) -> Self {
            // SAFETY: `backend` proves the features.
            unsafe {
                let polynomial = $set($crate::backend::words::POLYNOMIAL);
                let middle =
                    $xor($xor(middle, $permute::<0x4e>(low)), $clmul::<0x00>(low, polynomial));
                Self($xor($xor(high, $permute::<0x4e>(middle)), $clmul::<0x00>(middle, polynomial)))
            }
        }
    };
}
pub(super) use words;

use core::arch::x86_64::{__m128i, _mm_set_epi8, _mm_setr_epi8};

/// (x^127 + x^126 + x^121) / x^64: POLYVAL's polynomial without x^128 and 1, a factor of folding.
pub(super) const POLYNOMIAL: i64 = 0xc200_0000_0000_0000_u64 as i64;

/// A shuffle that reverses the last four bytes of a block, its counter.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn swapped_counters() -> __m128i {
    _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 14, 13, 12)
}

/// A shuffle that reverses all sixteen bytes of a block.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn reversed() -> __m128i {
    _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}
