//! Which machine code runs. One list, best first; a new backend is one file, one `mod` and one row here.
//!
//! # Why safe code may call instructions a CPU may lack
//!
//! The methods of a register type are safe functions over instructions, so a register value must not exist
//! where its features do not. Privacy holds that. Register types are visible in this folder only, so nothing
//! but [`backend!`] can hand one to the kernel. What `backend!` makes is a table of `unsafe` functions compiled
//! for exactly the features its list names. The table is reached through [`Cpu`] alone, and a `Cpu` is made only
//! after the same list was found present in this CPU and enabled by its operating system. Whoever holds a `Cpu`
//! therefore holds the proof, and an [`Expanded`] key holds the `Cpu` it was expanded with.

#![expect(unsafe_code, reason = "instructions, and key states behind an erased type")]

mod expanded;
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

pub use expanded::Expanded;

use crate::hw::memory::Grain;
use crate::kernel::{KeyBits, RawKey};
use crate::lanes::{Block, Bytes};

/// Every backend of this architecture, best first.
static ALL: &[&Backend] = &[
    #[cfg(target_arch = "x86_64")]
    &vaes512::BACKEND,
    #[cfg(target_arch = "x86_64")]
    &vaes256::BACKEND,
    #[cfg(target_arch = "x86_64")]
    &aesni::BACKEND,
    #[cfg(target_arch = "aarch64")]
    &armv8::EOR3,
    #[cfg(target_arch = "aarch64")]
    &armv8::BACKEND,
];

/// Every name a backend has on any architecture: a name of this list that is not in [`ALL`] is known, but not here.
pub const NAMES: &[&str] = &["vaes512", "vaes256", "aesni", "armv8eor3", "armv8"];

/// Entry points compiled for one list of CPU features.
pub struct Backend {
    name: &'static str,
    /// The list: what detection asks for is what the entry points were compiled with.
    features: &'static [Feature],
    /// Bytes of its key state.
    state_bytes: usize,
    entry: Entry,
}

/// The name of a CPU feature, and the question whether it is there.
type Feature = (&'static str, fn() -> bool);

/// The entry points. Of every one: the CPU has the backend's features, and `state` is the key state that this
/// backend's `expand` filled with a key of `bits` (for `expand` itself: memory for one, zeroed).
struct Entry {
    expand: unsafe fn(state: *mut Grain, key: RawKey),
    seal: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    open: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    authenticate: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    keystream: unsafe fn(state: *const Grain, bits: KeyBits, Message),
    /// Clears what the others leave behind: every vector register, and the stack below the caller's, 512 bytes on x86-64
    /// and 768 on arm64. In an optimised build none reaches deeper, the red zone included (scripts/codegen holds the
    /// machine code to it).
    forget: unsafe fn(),
}

/// One message: read from `source`, written to `target`, which may be the same memory.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    /// The 96-bit nonce.
    pub nonce: &'a [u8; 12],
    /// Authenticated, not encrypted.
    pub aad: Bytes<'a>,
    /// What is read.
    pub source: Bytes<'a>,
    /// What is written: as long as `source`.
    pub target: Bytes<'a>,
}

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
        offered
            .iter()
            .copied()
            .filter(|b| b.features.iter().all(|(_, present)| present()))
            .map(Self)
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
        self.0.state_bytes
    }
}

/// Every CPU feature that a backend of this architecture asks for, each once, and whether it is there.
pub fn features() -> Vec<(&'static str, bool)> {
    let mut found: Vec<(&'static str, bool)> = Vec::new();
    for (name, present) in ALL.iter().flat_map(|backend| backend.features) {
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name, present()));
        }
    }
    found
}

/// Compiles the kernel for one register type and a group of `stride` registers in flight. The same list of features
/// drives run-time detection and code generation, so the two cannot drift. What comes after `and` is detected besides:
/// part of a feature of the list that run-time detection knows by a name of its own.
macro_rules! backend {
    ($NAME:ident = $name:literal, $V:ty, $stride:literal in flight,
     $detect:ident[$($feature:tt)+] $(and [$($part:tt)+])?) => {
        pub(super) static $NAME: $crate::backend::Backend = {
            use $crate::backend::{Backend, Entry, Message};
            use $crate::hw::memory::Grain;
            use $crate::kernel::{KeyBits, KeyState, RawKey, aes, ctr, gcm, ghash};
            use $crate::lanes::{Block, Lanes};

            /// Powers of H: one for each block of a group, one for the length block.
            const POWERS: usize = $stride * <$V as Lanes>::BLOCKS + 1;
            /// Blocks between powers and halves: see `KeyState`.
            const PAD: usize = if <$V as Lanes>::BLOCKS == 1 { 0 } else { 3 };
            type State = KeyState<POWERS, PAD>;
            const _: () = assert!(align_of::<State>() <= align_of::<Grain>());
            // Slots of this size, one after the other, keep every register on one cache line.
            const _: () = assert!(size_of::<State>().is_multiple_of(<$V as Lanes>::BYTES));

            $(#[target_feature(enable = $feature)])+
            unsafe fn expand(state: *mut Grain, key: RawKey) {
                // SAFETY: the caller (`Expanded::new`) gives zeroed memory of `state_bytes`, borrowed by no one else.
                let state = unsafe { &mut *state.cast::<State>() };
                aes::expand::<<$V as Lanes>::One>(key, &mut state.round_keys);
                ghash::expand::<$V, $stride, POWERS, PAD>(state, key.bits());
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn seal(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: the caller (`Expanded`) gives the state that this backend's `expand` filled.
                let state = unsafe { &*state.cast::<State>() };
                gcm::crypt::<$V, $stride, POWERS, PAD, true>(state, bits, m.nonce, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn open(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                gcm::crypt::<$V, $stride, POWERS, PAD, false>(state, bits, m.nonce, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn authenticate(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                gcm::authenticate::<$V, $stride, POWERS, PAD>(state, bits, m.nonce, m.aad, m.source)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn keystream(state: *const Grain, bits: KeyBits, m: Message) {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                ctr::apply::<$V, $stride, POWERS, PAD>(state, bits, m.nonce, m.source, m.target);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn forget() {
                <$V>::forget();
            }

            Backend {
                name: $name,
                features: &[
                    $(($feature, || std::arch::$detect!($feature)),)+
                    $($(($part, || std::arch::$detect!($part)),)+)?
                ],
                state_bytes: size_of::<State>(),
                entry: Entry { expand, seal, open, authenticate, keystream, forget },
            }
        };
    };
}
use backend;
