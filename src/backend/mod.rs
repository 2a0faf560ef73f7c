//! Which machine code runs: detection and dispatch over one [list](list) of backends.
//!
//! # Why safe code may call instructions a CPU may lack
//!
//! The methods of a register type are safe functions over instructions, so a register value must not exist
//! where its features do not. Privacy holds that. Register types are visible in this folder only, so nothing
//! but [`backend!`](entry) can hand one to the kernel. What `backend!` makes is a table of `unsafe` functions compiled
//! for exactly the features its list names. The table is reached through [`Cpu`] alone, and a `Cpu` is made only
//! after the same list was found present in this CPU and enabled by its operating system. Whoever holds a `Cpu`
//! therefore holds the proof, and an [`Expanded`] key holds the `Cpu` it was expanded with.

#![expect(unsafe_code, reason = "instructions, and key states behind an erased type")]

mod entry;
mod expanded;
mod list;
mod partial;

#[cfg(target_arch = "x86_64")]
mod aesni;
#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(feature = "faults")]
mod cap;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(target_arch = "x86_64")]
mod vaes512;
#[cfg(target_arch = "x86_64")]
mod words;

pub use entry::Message;
pub use expanded::{Cipher, Expanded, Gcm, RoundKeys};
pub use list::NAMES;

use entry::{Backend, Entry, Feature};
use list::ALL;

/// Proof that this CPU can run the backend inside.
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

    /// The backend of that name, where this CPU can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|cpu| cpu.name() == name)
    }

    /// The backend's name, the same string everywhere.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Bytes of the largest expanded key of any backend that this CPU can run; 0 where it runs none.
    pub fn largest_state() -> usize {
        Self::all().map(Self::state_bytes).max().unwrap_or(0)
    }

    /// Bytes of one expanded key: fifteen round keys and the powers of H this backend keeps.
    pub fn state_bytes(self) -> usize {
        self.0.entry.gcm.state_bytes
    }

    #[inline(always)]
    fn entry(self) -> &'static Entry {
        &self.0.entry
    }
}

/// Every feature that a backend asks for; those of its narrow entry points may be named twice.
fn needs(backend: &Backend) -> impl Iterator<Item = &'static Feature> + use<> {
    backend.entry.features.iter().chain(backend.entry.blocks.features)
}

/// Every CPU feature that a backend of this architecture asks for, each once, and whether it is there.
pub fn features() -> Vec<(&'static str, bool)> {
    let mut found: Vec<(&'static str, bool)> = Vec::new();
    for (name, present) in ALL.iter().flat_map(needs) {
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name, present()));
        }
    }
    found
}
