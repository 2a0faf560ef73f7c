//! What the machine has that is not arithmetic: memory, entropy, time, and whether this process has a twin.

#![expect(unsafe_code, reason = "system calls, and instructions for entropy and timing")]

/// Time that costs nanoseconds to ask for.
pub mod clock;
/// Where randomness comes from.
pub mod entropy;
/// Whether this process may have a twin.
pub mod fork;
/// Whether memory that is wiped on fork was wiped.
pub mod intact;
mod mapping;
/// Memory for keys.
pub mod memory;
/// Keeping this library mapped.
pub mod pin;
/// Time that tells nothing of the data.
pub mod timing;
mod vm;
