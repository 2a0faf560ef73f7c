//! Data-independent timing while keys are used: PSTATE.DIT, if an arm64 CPU has it (FEAT_DIT).
//!
//! With DIT on, the time of loads, stores, AES instructions and multiplications does not depend on
//! data. The Arm ARM promises nothing without it. Only an operating system can set x86-64's DOITM.

/// Runs `work` with data-independent timing where the CPU has it, then restores the setting.
#[cfg(not(target_arch = "aarch64"))]
#[inline(always)]
pub fn independent<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Runs `work` with data-independent timing where the CPU has it, then restores the setting.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn independent<R>(work: impl FnOnce() -> R) -> R {
    let Some(dit) = arm64::Dit::found() else { return work() };
    let before = dit.read();
    if before == 0 {
        dit.write(arm64::ON);
        arm64::barrier();
    }
    let result = work();
    if before == 0 {
        dit.write(0);
    }
    result
}

#[cfg(target_arch = "aarch64")]
mod arm64 {
    use core::arch::asm;
    use std::arch::is_aarch64_feature_detected as detected;

    /// Bit 24, in the register as in PSTATE.
    pub(super) const ON: u64 = 1 << 24;

    /// Proof that the CPU has the register.
    #[derive(Clone, Copy)]
    pub(super) struct Dit(());

    impl Dit {
        pub(super) fn found() -> Option<Self> {
            detected!("dit").then_some(Self(()))
        }

        pub(super) fn read(self) -> u64 {
            let dit;
            // SAFETY: `Dit` proves FEAT_DIT. By number, for assemblers that do not know DIT.
            unsafe {
                asm!("mrs {dit}, S3_3_C4_C2_5", dit = out(reg) dit, options(nostack, preserves_flags));
            }
            dit
        }

        // Neither `nomem` nor `pure`: the compiler moves no access to memory across the write.
        pub(super) fn write(self, dit: u64) {
            // SAFETY: as in `read`; the write only changes how long instructions take.
            unsafe {
                asm!("msr S3_3_C4_C2_5, {dit}", dit = in(reg) dit, options(nostack, preserves_flags));
            }
        }
    }

    /// Makes the write to DIT take effect for all later instructions, even speculative ones.
    pub(super) fn barrier() {
        if detected!("sb") {
            // SAFETY: FEAT_SB was found.
            unsafe { asm!(".inst 0xd50330ff", options(nostack, preserves_flags)) }
        } else {
            // SAFETY: barriers of every arm64 CPU.
            unsafe { asm!("dsb nsh", "isb", options(nostack, preserves_flags)) }
        }
    }
}
