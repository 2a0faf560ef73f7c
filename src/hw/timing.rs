//! Data-independent timing while keys are used: PSTATE.DIT, where an arm64 CPU has it (Arm ARM, FEAT_DIT).
//!
//! With it, loads, stores and the instructions of AES and of products take the same time whatever they work on. Without, the
//! architecture promises nothing. What x86-64 has instead (DOITM) only an operating system can set.

/// Runs `work` with data-independent timing where the CPU has that, and leaves the thread as it was.
#[cfg(not(target_arch = "aarch64"))]
#[inline(always)]
pub fn independent<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Runs `work` with data-independent timing where the CPU has that, and leaves the thread as it was.
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
            // SAFETY: `Dit` was made after FEAT_DIT was found. The register is DIT by number, for assemblers older than it.
            unsafe {
                asm!("mrs {dit}, S3_3_C4_C2_5", dit = out(reg) dit, options(nostack, preserves_flags));
            }
            dit
        }

        // Neither `nomem` nor `pure`: no access to memory moves to the other side.
        pub(super) fn write(self, dit: u64) {
            // SAFETY: as in `read`; it changes how long instructions take and nothing else.
            unsafe {
                asm!("msr S3_3_C4_C2_5, {dit}", dit = in(reg) dit, options(nostack, preserves_flags));
            }
        }
    }

    /// What comes later runs, speculatively too, with what was written to DIT. By number: SB.
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
