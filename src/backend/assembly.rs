//! Inline assembly, which Miri cannot run. Miri leaves out these lines (checks/miri) without
//! another result: they clear registers, or keep the compiler from a choice of instructions.

#[cfg(not(miri))]
pub(super) use core::arch::asm;

#[cfg(miri)]
macro_rules! asm {
    ($($line:tt)*) => {};
}
#[cfg(miri)]
pub(super) use asm;
