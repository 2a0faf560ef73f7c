//! Every backend, once: architecture, name and entry points, best first.
//!
//! A new backend needs a file, a `mod` line in the folder's `mod.rs`, and a row here. Detection,
//! dispatch, the names in JavaScript and the checks of the machine code use this list. The manual
//! (`index.d.ts`) lists the names, and `tests/cipher/backends.txt` has what the tests expect.
//!
//! macOS has no `vaes512`. It turns the state of AVX-512 on for each thread at the thread's first
//! use, so that what a thread reads in XCR0 depends on what the thread did before; and before macOS
//! 12.2, a signal may change the mask registers (golang/go#49233).

use super::entry::Backend;

macro_rules! backends {
    ($($arch:literal { $($(#[$condition:meta])? $name:literal => $file:ident::$entry:ident,)+ })+) => {
        /// Every backend of this architecture and system, best first.
        pub(super) static ALL: &[Backend] = &[$($(
            #[cfg(target_arch = $arch)]
            $(#[$condition])?
            Backend { name: $name, entry: super::$file::$entry },
        )+)+];

        /// The names of the backends of all architectures.
        pub const NAMES: &[&str] = &[$($($name,)+)+];
    };
}

backends! {
    "x86_64" {
        #[cfg(not(target_os = "macos"))] "vaes512" => vaes512::ENTRY,
        "vaes256" => vaes256::ENTRY,
        "aesni" => aesni::ENTRY,
    }
    "aarch64" {
        "armv8eor3" => armv8::EOR3,
        "armv8" => armv8::ENTRY,
    }
}
