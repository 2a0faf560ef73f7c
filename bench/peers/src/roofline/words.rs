//! The same names for three widths of register, and unrolled loops that keep arrays of registers out of memory.

/// `body` once for each number below the first argument, with `index` as a constant. In a real loop over an array of
/// registers, the compiler would keep the array in memory.
macro_rules! each {
    (3, $index:ident => $body:expr) => { each!(@ $index $body; 0 1 2) };
    (4, $index:ident => $body:expr) => { each!(@ $index $body; 0 1 2 3) };
    (8, $index:ident => $body:expr) => { each!(@ $index $body; 0 1 2 3 4 5 6 7) };
    (12, $index:ident => $body:expr) => { each!(@ $index $body; 0 1 2 3 4 5 6 7 8 9 10 11) };
    (13, $index:ident => $body:expr) => { each!(@ $index $body; 0 1 2 3 4 5 6 7 8 9 10 11 12) };
    (15, $index:ident => $body:expr) => { each!(@ $index $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14) };
    (16, $index:ident => $body:expr) => {
        each!(@ $index $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $index:ident $body:expr; $($number:literal)+) => {
        $({ const $index: usize = $number; $body; })+
    };
}
pub(super) use each;

macro_rules! words {
    ($width:ident, $features:literal, $V:ident, $class:ident, $blocks:literal,
     $load:ident, $store:ident, $xor:ident, $add:ident, $shuffle:ident, $swap:ident,
     $enc:ident, $last:ident, $mul:ident, |$one:ident| $splat:expr, |$wide:ident| $fold:expr, |$alone:ident| $first:expr) => {
        pub mod $width {
            pub use std::arch::x86_64::*;

            pub type V = $V;
            pub const BYTES: usize = $blocks * 16;

            /// # Safety
            /// `BYTES` bytes at `from` are readable.
            #[inline]
            #[target_feature(enable = $features)]
            pub unsafe fn load(from: *const u8) -> V {
                // SAFETY: the caller's promise.
                unsafe { $load(from.cast()) }
            }

            /// # Safety
            /// `BYTES` bytes at `to` are writable.
            #[inline]
            #[target_feature(enable = $features)]
            pub unsafe fn store(to: *mut u8, value: V) {
                // SAFETY: the caller's promise.
                unsafe { $store(to.cast(), value) }
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub fn xor(a: V, b: V) -> V {
                $xor(a, b)
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub fn add(a: V, b: V) -> V {
                $add(a, b)
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub fn shuffle(a: V, order: V) -> V {
                $shuffle(a, order)
            }

            /// The XOR of every block's halves, in both halves.
            #[inline]
            #[target_feature(enable = $features)]
            pub fn halves(a: V) -> V {
                $xor(a, $swap::<0x4e>(a))
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub fn enc(a: V, key: V) -> V {
                $enc(a, key)
            }

            /// Changes nothing, but keeps the order of the rounds. Otherwise the compiler would do all rounds of one
            /// register before those of the next, and the CPU would wait for every round.
            #[inline]
            #[target_feature(enable = $features)]
            pub fn pin(mut a: V) -> V {
                // SAFETY: the assembly contains no instruction.
                unsafe {
                    std::arch::asm!("/* {a} */", a = inout($class) a,
                        options(nomem, nostack, preserves_flags));
                }
                a
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub fn last(a: V, key: V) -> V {
                $last(a, key)
            }

            #[inline]
            #[target_feature(enable = $features)]
            pub fn mul<const HALVES: i32>(a: V, b: V) -> V {
                $mul::<HALVES>(a, b)
            }

            /// One block in every lane.
            #[inline]
            #[target_feature(enable = $features)]
            pub fn splat($one: __m128i) -> V {
                $splat
            }

            /// The sum of all lanes.
            #[inline]
            #[target_feature(enable = $features)]
            pub fn fold($wide: V) -> __m128i {
                $fold
            }

            /// One block in the first lane and zero in the others.
            #[inline]
            #[target_feature(enable = $features)]
            pub fn first($alone: __m128i) -> V {
                $first
            }
        }
    };
}

words!(
    zmm,
    "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq",
    __m512i,
    zmm_reg,
    4,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_xor_si512,
    _mm512_add_epi32,
    _mm512_shuffle_epi8,
    _mm512_shuffle_epi32,
    _mm512_aesenc_epi128,
    _mm512_aesenclast_epi128,
    _mm512_clmulepi64_epi128,
    |one| _mm512_broadcast_i32x4(one),
    |wide| {
        let half =
            _mm256_xor_si256(_mm512_castsi512_si256(wide), _mm512_extracti64x4_epi64::<1>(wide));
        _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
    },
    |one| _mm512_zextsi128_si512(one)
);

words!(
    ymm,
    "avx2,vaes,vpclmulqdq,aes,pclmulqdq",
    __m256i,
    ymm_reg,
    2,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_xor_si256,
    _mm256_add_epi32,
    _mm256_shuffle_epi8,
    _mm256_shuffle_epi32,
    _mm256_aesenc_epi128,
    _mm256_aesenclast_epi128,
    _mm256_clmulepi64_epi128,
    |one| _mm256_broadcastsi128_si256(one),
    |wide| _mm_xor_si128(_mm256_castsi256_si128(wide), _mm256_extracti128_si256::<1>(wide)),
    |one| _mm256_zextsi128_si256(one)
);

words!(
    xmm,
    "sse4.1,aes,pclmulqdq",
    __m128i,
    xmm_reg,
    1,
    _mm_loadu_si128,
    _mm_storeu_si128,
    _mm_xor_si128,
    _mm_add_epi32,
    _mm_shuffle_epi8,
    _mm_shuffle_epi32,
    _mm_aesenc_si128,
    _mm_aesenclast_si128,
    _mm_clmulepi64_si128,
    |one| one,
    |wide| wide,
    |one| one
);
