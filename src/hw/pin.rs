//! Keeps this library mapped. A runtime unloads an addon with the last thread that loaded it, but
//! on Linux and macOS the handler of forks stays registered. Windows does the same as the others.

use super::system;

/// Keeps the library mapped from now on.
pub fn stay_mapped() {
    system::stay_mapped();
}
