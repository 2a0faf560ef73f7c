//! Which machine code runs: detection and dispatch over one list of backends (`list.rs`).
//!
//! # Why safe code may call instructions that a CPU may lack
//!
//! The methods of a register type are safe functions that execute instructions. They must therefore
//! only run on a CPU that has the features of their backend. Three facts ensure this:
//!
//! 1. Register types are private to this folder, and only the macro `backend!` (`compile.rs`)
//!    passes one to the kernel. It makes a table of `unsafe` functions for one list of features.
//! 2. The functions of a table are only called through a [`Cpu`].
//! 3. A `Cpu` is only made after run-time detection found every feature of the same list, in this
//!    CPU and enabled by its operating system.
//!
//! A `Cpu` is therefore the proof that its backend can run. A [`GcmKey`] holds the `Cpu` that
//! expanded it. "`backend` proves the features" in `SAFETY` comments refers to this argument.

#![expect(unsafe_code, reason = "instructions, and key states behind an erased type")]
#![cfg_attr(miri, allow(unused, reason = "operands of assembly, which Miri leaves out"))]

mod aead;
mod assembly;
pub mod base64url;
mod compile;
mod derived;
mod entry;
mod expanded;
pub mod field;
mod list;
mod partial;
mod siv;
mod xaes;

#[cfg(target_arch = "x86_64")]
mod aesni;
#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(feature = "faults")]
mod cap;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(all(target_arch = "x86_64", not(target_os = "macos")))]
mod vaes512;
#[cfg(target_arch = "x86_64")]
mod words;

pub use aead::{Aead, Cipher};
pub use entry::Message;
pub use expanded::{Aes, Gcm, GcmKey, RoundKeys};
pub use list::NAMES;
pub use siv::SivKey;
pub use xaes::XaesKey;

use entry::{Backend, Entry, Feature};
use list::ALL;

/// A backend, and the proof that this CPU can run it.
#[derive(Clone, Copy)]
pub struct Cpu(&'static Backend);

impl Cpu {
    /// Every backend this CPU can run, best first.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(feature = "faults")]
        let offered = *cap::CAPPED;
        #[cfg(not(feature = "faults"))]
        let offered = ALL;
        offered.iter().filter(|backend| needs(backend).all(|(_, present)| present())).map(Self)
    }

    /// The best backend this CPU can run.
    pub fn best() -> Option<Self> {
        Self::all().next()
    }

    /// The backend called `name`, if this CPU can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|cpu| cpu.name() == name)
    }

    /// The backend's name: one of [`NAMES`].
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Bytes of the largest expanded key among the backends that this CPU can run; 0 without one.
    pub fn largest_state() -> usize {
        Self::all().map(Self::state_bytes).max().unwrap_or(0)
    }

    /// Bytes of one expanded key of AES-GCM: a [`KeyState`](crate::kernel::state::KeyState).
    pub fn state_bytes(self) -> usize {
        self.0.entry.gcm.state_bytes
    }

    #[inline(always)]
    fn entry(self) -> &'static Entry {
        &self.0.entry
    }
}

/// Every feature that a backend needs. Features of its `single_blocks` may appear twice.
fn needs(backend: &Backend) -> impl Iterator<Item = &'static Feature> + use<> {
    backend.entry.features.iter().chain(backend.entry.single_blocks.features)
}

/// Every CPU feature that a backend of this architecture needs, once, and whether this CPU has it.
pub fn features() -> Vec<(&'static str, bool)> {
    let mut found: Vec<(&'static str, bool)> = Vec::new();
    for (name, present) in ALL.iter().flat_map(needs) {
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name, present()));
        }
    }
    found
}
