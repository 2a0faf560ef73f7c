//! Every backend, once: architecture, name and entry points, best first.
//!
//! A new backend needs a file, a `mod` line in the folder's `mod.rs`, and a row here. Detection, dispatch, the names that
//! JavaScript knows and the checks of the machine code use this list. Besides, the manual (`index.d.ts`) lists the names, and
//! `tests/cipher/backends.txt` has what the tests expect of each backend.

use super::entry::Backend;

macro_rules! backends {
    ($($arch:literal { $($name:literal => $file:ident::$entry:ident,)+ })+) => {
        /// Every backend of this architecture, best first.
        pub(super) static ALL: &[Backend] = &[$($(
            #[cfg(target_arch = $arch)]
            Backend { name: $name, entry: super::$file::$entry },
        )+)+];

        /// The names of the backends of all architectures.
        pub const NAMES: &[&str] = &[$($($name,)+)+];
    };
}

backends! {
    "x86_64" {
        "vaes512" => vaes512::ENTRY,
        "vaes256" => vaes256::ENTRY,
        "aesni" => aesni::ENTRY,
    }
    "aarch64" {
        "armv8eor3" => armv8::EOR3,
        "armv8" => armv8::ENTRY,
    }
}
