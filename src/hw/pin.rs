//! Keeps this library mapped: a runtime unloads an addon with the last thread that loaded it, but on Linux and macOS the
//! handler of forks stays registered until the process ends. Windows keeps the library too, so that all systems do the same.

use super::system;

/// Keeps the library mapped from now on.
pub fn stay_mapped() {
    system::stay_mapped();
}
