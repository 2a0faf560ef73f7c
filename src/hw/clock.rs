//! A clock that takes only nanoseconds to read, and is as coarse as a scheduler's tick.

use super::system;

/// Whole seconds since a fixed moment; never goes back. 0 where the system gives no time.
pub fn seconds() -> u64 {
    system::seconds()
}
