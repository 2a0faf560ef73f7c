//! Only the two kinds of instruction of AES-256-GCM, in its proportions: no counters, no additions, no memory.
//!
//! Unlike the halves, this shows how far the CPU runs AES rounds and carry-less multiplies at the same time.

use std::arch::asm;

/// Registers' worth of work that one call does.
pub const REGISTERS: usize = 8 * 100;

/// For each register's worth, fourteen AES rounds and 0, 3 or 4 multiplies.
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
}

macro_rules! mix {
    ($($name:ident = $r:literal, $features:literal, $products:tt);+) => {$(
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
                        out("xmm8") _, out("xmm9") _, options(nomem, nostack, preserves_flags));
                }
            }
        }
    )+};
}

mix!(
    zmm0 = "zmm", "avx512f,vaes,vpclmulqdq,aes,pclmulqdq", 0;
    zmm3 = "zmm", "avx512f,vaes,vpclmulqdq,aes,pclmulqdq", 3;
    zmm4 = "zmm", "avx512f,vaes,vpclmulqdq,aes,pclmulqdq", 4;
    ymm0 = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 0;
    ymm3 = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 3;
    ymm4 = "ymm", "avx2,vaes,vpclmulqdq,aes,pclmulqdq", 4;
    xmm0 = "xmm", "avx,aes,pclmulqdq", 0;
    xmm3 = "xmm", "avx,aes,pclmulqdq", 3;
    xmm4 = "xmm", "avx,aes,pclmulqdq", 4
);
