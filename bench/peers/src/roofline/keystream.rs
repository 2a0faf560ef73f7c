//! Only AES-256 in counter mode, with several registers in flight and round keys as wide as the registers.

use super::words::each;

/// Fifteen round keys.
pub type RoundKeys = [[u8; 16]; 15];

/// XORs the keystream of `nonce` and a counter from 2 onto whole groups of registers.
pub type Loop = unsafe fn(&RoundKeys, &[u8; 12], &mut [u8]);

macro_rules! keystream {
    ($($name:ident = $width:ident, $features:literal, $count:tt);+) => {$(
        /// # Safety
        /// The CPU has the features.
        #[target_feature(enable = $features)]
        pub unsafe fn $name(round_keys: &RoundKeys, nonce: &[u8; 12], data: &mut [u8]) {
            use super::words::$width::*;

            const STEP: i32 = (BYTES / 16) as i32;
            let mut first = [0; BYTES];
            for (block, at) in first.as_chunks_mut::<16>().0.iter_mut().zip(2_u32..) {
                block[..12].copy_from_slice(nonce);
                block[12..].copy_from_slice(&at.to_le_bytes());
            }
            // SAFETY: every access stays inside its slice or array: a round key, a register, or one group of `data`.
            unsafe {
                let mut key = [splat(_mm_setzero_si128()); 15];
                each!(15, R => key[R] = splat(_mm_loadu_si128(round_keys[R].as_ptr().cast())));
                let wire = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 14, 13, 12);
                let wire = splat(wire);
                let step = splat(_mm_setr_epi32(0, 0, 0, STEP));
                let mut counter = load(first.as_ptr());
                for group in data.chunks_exact_mut($count * BYTES) {
                    let at = group.as_mut_ptr();
                    let mut x = [counter; $count];
                    each!($count, I => {
                        x[I] = xor(shuffle(counter, wire), key[0]);
                        counter = add(counter, step);
                    });
                    each!(13, R => each!($count, I => x[I] = pin(enc(x[I], key[R + 1]))));
                    each!($count, I => {
                        // AESENCLAST adds the message with the last round key.
                        x[I] = last(x[I], xor(key[14], load(at.add(I * BYTES))));
                        store(at.add(I * BYTES), x[I]);
                    });
                }
            }
        }
    )+};
}

keystream!(
    zmm4 = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 4;
    zmm8 = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 8;
    zmm12 = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 12;
    zmm16 = zmm, "avx512f,avx512bw,avx512vl,avx512dq,vaes,vpclmulqdq,aes,pclmulqdq", 16;
    ymm4 = ymm, "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 4;
    ymm8 = ymm, "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 8;
    ymm12 = ymm, "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 12;
    xmm4 = xmm, "sse4.1,aes,pclmulqdq", 4;
    xmm8 = xmm, "sse4.1,aes,pclmulqdq", 8;
    xmm12 = xmm, "sse4.1,aes,pclmulqdq", 12;
    xmm8_avx = xmm, "avx,sse4.1,aes,pclmulqdq", 8;
    xmm12_avx = xmm, "avx,sse4.1,aes,pclmulqdq", 12
);
