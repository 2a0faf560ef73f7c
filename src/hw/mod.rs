//! The machine apart from its arithmetic: memory, entropy, time, and copies of this process.

#![expect(unsafe_code, reason = "system calls, and instructions for entropy and timing")]

/// A coarse clock that is cheap to read.
pub mod clock;
/// Sources of randomness.
pub mod entropy;
/// Whether this process may have been copied.
pub mod fork;
/// Whether memory that is wiped on fork was wiped.
pub mod intact;
mod mapping;
/// Memory for keys.
pub mod memory;
/// Keeping this library mapped.
pub mod pin;
mod system;
/// Execution time that does not depend on the data.
pub mod timing;
mod vm;

/// Ends the process with a status, without exit handlers.
#[cfg(feature = "faults")]
pub fn end_process(status: u8) -> ! {
    system::end_process(status)
}
