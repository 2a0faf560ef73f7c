//! A clock that takes only nanoseconds to read, and is as coarse as a scheduler's tick.

use super::system;

/// Whole seconds since a fixed moment; never goes back. 0 if the system has no such clock.
pub fn seconds() -> u64 {
    system::seconds()
}
