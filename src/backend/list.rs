//! Every backend, once: architecture, name and entry points, best first.
//!
//! A new backend is its file, its `mod` line in the folder's `mod.rs` and its row here. Detection, dispatch, the names that
//! JavaScript knows and the checks of the machine code all come from this list. The manual (`index.d.ts`) names it for users,
//! and `tests/cipher/cpu.rs` expects it by the kernel's own words.

#[cfg(target_arch = "aarch64")]
use super::armv8;
use super::entry::Backend;
#[cfg(target_arch = "x86_64")]
use super::{aesni, vaes256, vaes512};

macro_rules! backends {
    ($($arch:literal { $($name:literal => $entry:path,)+ })+) => {
        /// Every backend of this architecture, best first.
        pub(super) static ALL: &[Backend] = &[$($(
            #[cfg(target_arch = $arch)]
            Backend { name: $name, entry: $entry },
        )+)+];

        /// The name of every backend on any architecture. A name that this architecture lacks is known, but not available.
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
