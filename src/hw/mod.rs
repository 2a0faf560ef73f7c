//! Facts about the machine that are not arithmetic: memory, entropy, time, and whether this process has a twin.

#![expect(unsafe_code, reason = "system calls, and instructions that give entropy")]

/// Time that costs nanoseconds to ask for.
pub mod clock;
/// Where randomness comes from.
pub mod entropy;
/// Whether this process may have a twin.
pub mod fork;
/// Memory for keys.
pub mod memory;
/// Keeping this library mapped.
pub mod pin;
mod vm;
