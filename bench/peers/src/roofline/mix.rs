//! The two kinds of instruction of AES-256-GCM, in its proportions, on registers: no counters and no memory.
//!
//! Unlike the halves, this shows how far the CPU runs AES rounds and carry-less multiplies at the same time. Two further loops
//! have what no GHASH does without: products are added up, and blocks are reversed and their halves added.

use std::arch::asm;

/// Registers' worth of work that one call does.
pub const REGISTERS: usize = 8 * 100;

/// For each register's worth, fourteen AES rounds and 0, 3 or 4 multiplies, or 3 with further work.
pub type Mix = unsafe fn();

/// One AES round on each of eight registers.
macro_rules! round {
    ($r:literal) => {
        concat!(
            "vaesenc ", $r, "0, ", $r, "0, ", $r, "15\n", "vaesenc ", $r, "1, ", $r, "1, ", $r,
            "15\n", "vaesenc ", $r, "2, ", $r, "2, ", $r, "15\n", "vaesenc ", $r, "3, ", $r, "3, ",
            $r, "15\n", "vaesenc ", $r, "4, ", $r, "4, ", $r, "15\n", "vaesenc ", $r, "5, ", $r,
            "5, ", $r, "15\n", "vaesenc ", $r, "6, ", $r, "6, ", $r, "15\n", "vaesenc ", $r, "7, ",
            $r, "7, ", $r, "15\n",
        )
    };
}

/// Two products whose results are not used.
macro_rules! two {
    ($r:literal) => {
        concat!(
            "vpclmulqdq ",
            $r,
            "8, ",
            $r,
            "13, ",
            $r,
            "14, 0\n",
            "vpclmulqdq ",
            $r,
            "9, ",
            $r,
            "13, ",
            $r,
            "14, 0\n",
        )
    };
}

/// XOR, which has another name at 512 bits.
macro_rules! xor {
    ("zmm") => {
        "vpxord "
    };
    ($r:literal) => {
        "vpxor "
    };
}

/// One of the three products of a block, added to its sum. Register 11 has the block, register 12 its halves.
macro_rules! add {
    ($r:tt, $sum:literal, $of:literal) => {
        concat!(
            "vpclmulqdq ",
            $r,
            "13, ",
            $r,
            $of,
            ", ",
            $r,
            "14, 0\n",
            xor!($r),
            $r,
            $sum,
            ", ",
            $r,
            $sum,
            ", ",
            $r,
            "13\n",
        )
    };
}

/// A block reversed, and the sum of its halves.
macro_rules! reverse {
    ($r:tt) => {
        concat!(
            "vpshufb ",
            $r,
            "11, ",
            $r,
            "14, ",
            $r,
            "15\n",
            "vpshufd ",
            $r,
            "12, ",
            $r,
            "11, 78\n",
            xor!($r),
            $r,
            "12, ",
            $r,
            "12, ",
            $r,
            "11\n",
        )
    };
}

/// Fourteen rounds of eight registers, and the products of as many, two after each of twelve rounds. `$before` comes before the
/// products of each register.
macro_rules! summed {
    ($r:tt, $before:expr) => {
        concat!(
            ".rept 4\n",
            round!($r),
            $before,
            add!($r, "8", "11"),
            add!($r, "9", "11"),
            round!($r),
            add!($r, "10", "12"),
            $before,
            add!($r, "8", "11"),
            round!($r),
            add!($r, "9", "11"),
            add!($r, "10", "12"),
            ".endr\n",
            ".rept 2\n",
            round!($r),
            ".endr\n",
        )
    };
}

/// Fourteen rounds of eight registers with pairs of products among them: twelve for three each, sixteen for four.
macro_rules! group {
    ($r:literal, 0) => {
        concat!(".rept 14\n", round!($r), ".endr\n")
    };
    ($r:literal, 3) => {
        concat!(".rept 12\n", round!($r), two!($r), ".endr\n", ".rept 2\n", round!($r), ".endr\n",)
    };
    ($r:literal, 4) => {
        concat!(
            ".rept 12\n",
            round!($r),
            two!($r),
            ".endr\n",
            ".rept 2\n",
            round!($r),
            two!($r),
            two!($r),
            ".endr\n",
        )
    };
    ($r:tt, sums) => {
        summed!($r, "")
    };
    ($r:tt, shuffles) => {
        summed!($r, reverse!($r))
    };
}

macro_rules! mix {
    ($($name:ident = $r:tt, $features:literal, $products:tt);+) => {$(
        /// # Safety
        /// The CPU has the features.
        #[target_feature(enable = $features)]
        pub unsafe fn $name() {
            for _ in 0..REGISTERS / 8 {
                // SAFETY: arithmetic only on registers that are declared as overwritten; their values do not matter.
                unsafe {
                    asm!(group!($r, $products),
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                        out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                        out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                        out("xmm12") _, out("xmm13") _, options(nomem, nostack, preserves_flags));
                }
            }
        }
    )+};
}

mix!(
    zmm0 = "zmm", "avx512f,vaes,vpclmulqdq,aes,pclmulqdq", 0;
    zmm3 = "zmm", "avx512f,vaes,vpclmulqdq,aes,pclmulqdq", 3;
    zmm4 = "zmm", "avx512f,vaes,vpclmulqdq,aes,pclmulqdq", 4;
    zmm_sums = "zmm", "avx512f,avx512bw,vaes,vpclmulqdq,aes,pclmulqdq", sums;
    zmm_shuffles = "zmm", "avx512f,avx512bw,vaes,vpclmulqdq,aes,pclmulqdq", shuffles;
    ymm0 = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 0;
    ymm3 = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 3;
    ymm4 = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 4;
    ymm_sums = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", sums;
    ymm_shuffles = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", shuffles;
    xmm0 = "xmm", "avx,aes,pclmulqdq", 0;
    xmm3 = "xmm", "avx,aes,pclmulqdq", 3;
    xmm4 = "xmm", "avx,aes,pclmulqdq", 4;
    xmm_sums = "xmm", "avx,aes,pclmulqdq", sums;
    xmm_shuffles = "xmm", "avx,aes,pclmulqdq", shuffles
);
