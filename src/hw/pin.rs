//! Keeps this library mapped: a runtime unloads an addon with the last thread that loaded it, but the handler of forks
//! stays registered until the process ends.

use super::system;

/// Keeps the library mapped from now on.
pub fn stay_mapped() {
    system::stay_mapped();
}
