//! The table of entry points, by capability, and the macro that compiles the kernel into such a table.

use crate::hw::memory::Grain;
use crate::kernel::state::Schedule;
use crate::lanes::{Block, Bytes, KeyBits, RawKey};

/// The name of a CPU feature, and the question whether this CPU has it.
pub(super) type Feature = (&'static str, fn() -> bool);

/// A backend by its name. The order of the fields in this file is that of memory, so that checks/codegen can tell an entry
/// point from its place.
#[repr(C)]
pub(super) struct Backend {
    pub(super) name: &'static str,
    pub(super) entry: Entry,
}

/// Entry points compiled for one list of CPU features. Each of them is called on a CPU that has these features, those of
/// `blocks` included.
#[repr(C)]
pub(super) struct Entry {
    /// The list: detection asks for the features that the entry points were compiled with.
    pub(super) features: &'static [Feature],
    /// Round keys, and single blocks.
    pub(super) blocks: &'static Blocks,
    /// Counter mode. `schedule` was filled by `blocks` for a key of `bits`.
    pub(super) keystream: unsafe fn(schedule: *const Schedule, bits: KeyBits, Message),
    /// Whole messages.
    pub(super) gcm: Gcm,
    /// Clears every vector register and the stack below the caller's frame, where the other entry points may have left key
    /// material: 512 bytes on x86-64, 768 on arm64. In an optimised build no entry point reaches deeper, the red zone
    /// included (`checks/codegen` holds the machine code to this).
    pub(super) forget: unsafe fn(),
}

/// Entry points that are too short or too rare for wide registers. They are compiled once for each architecture, for the
/// narrowest backend, and the tables of the wider backends point at them.
#[repr(C)]
pub(super) struct Blocks {
    /// As in [`Entry`].
    pub(super) features: &'static [Feature],
    /// Fills `schedule` with the round keys of `key`.
    pub(super) expand: unsafe fn(schedule: *mut Schedule, key: RawKey),
    /// Encrypts single blocks in place. `schedule` was filled by `expand` for a key of `bits`.
    pub(super) encrypt: unsafe fn(schedule: *const Schedule, bits: KeyBits, blocks: &mut [Block]),
}

/// Entry points of AES-GCM. `state` points at `state_bytes` bytes that begin with the filled schedule of a key of `bits`. For
/// all but `expand`, `expand` has filled the rest.
#[repr(C)]
pub(super) struct Gcm {
    /// Bytes of a key state: a schedule and the powers of H that this backend keeps.
    pub(super) state_bytes: usize,
    /// Fills the powers of H behind the schedule.
    pub(super) expand: unsafe fn(state: *mut Grain, bits: KeyBits),
    pub(super) seal: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    pub(super) open: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    pub(super) authenticate: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
}

/// One message: read from `source`, written to `target`, which may be the same memory.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    /// The 96-bit nonce.
    pub nonce: &'a [u8; 12],
    /// Authenticated, not encrypted.
    pub aad: Bytes<'a>,
    /// Read.
    pub source: Bytes<'a>,
    /// Written: as long as `source`.
    pub target: Bytes<'a>,
}

/// Compiles the kernel for one register type and a group of `stride` registers in flight. The same list of features drives
/// run-time detection and code generation, so the two cannot drift. The features after `and` are detected besides: run-time
/// detection has names of its own for parts of a feature of the list.
///
/// A narrow backend makes [`Blocks`] for its architecture as well, a wide one names them.
macro_rules! backend {
    ($ENTRY:ident and $BLOCKS:ident: $V:ty, $stride:literal in flight,
     $detect:ident[$($feature:tt)+] $(and [$($part:tt)+])?) => {
        pub(super) static $BLOCKS: $crate::backend::entry::Blocks = {
            use $crate::backend::entry::Blocks;
            use $crate::kernel::{aes, state::Schedule};
            use $crate::lanes::{Block, KeyBits, RawKey};

            $(#[target_feature(enable = $feature)])+
            unsafe fn expand(schedule: *mut Schedule, key: RawKey) {
                // SAFETY: the caller (`RoundKeys::new`) gives aligned, zeroed memory for a schedule, borrowed by no one else.
                aes::expand::<$V>(key, unsafe { &mut *schedule });
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn encrypt(schedule: *const Schedule, bits: KeyBits, blocks: &mut [Block]) {
                // SAFETY: the caller (`RoundKeys`) gives the schedule that `expand` filled, which `blocks` is no part of.
                aes::encrypt_in_place::<$V>(unsafe { &*schedule }, bits, blocks);
            }

            Blocks {
                features: $crate::backend::entry::features!($detect[$($feature)+] $(and [$($part)+])?),
                expand,
                encrypt,
            }
        };
        $crate::backend::entry::backend!($ENTRY: $V, $stride in flight, blocks of $BLOCKS,
            $detect[$($feature)+] $(and [$($part)+])?);
    };
    ($ENTRY:ident: $V:ty, $stride:literal in flight, blocks of $BLOCKS:path,
     $detect:ident[$($feature:tt)+] $(and [$($part:tt)+])?) => {
        pub(super) const $ENTRY: $crate::backend::entry::Entry = {
            use core::mem::offset_of;
            use $crate::backend::entry::{Entry, Gcm, Message};
            use $crate::hw::memory::Grain;
            use $crate::kernel::state::{KeyState, Schedule};
            use $crate::kernel::{ctr, gcm};
            use $crate::lanes::{Block, KeyBits, Lanes};

            /// Powers of H: one for each block of a group, one for the length block.
            const POWERS: usize = $stride * <$V as Lanes>::BLOCKS + 1;
            /// Blocks between powers and halves: see `Powers`.
            const GAP: usize = if <$V as Lanes>::BLOCKS == 1 { 0 } else { 3 };
            type State = KeyState<POWERS, GAP>;
            const _: () = assert!(align_of::<State>() <= align_of::<Grain>());
            // Every entry point takes a state for a schedule.
            const _: () = assert!(offset_of!(State, schedule) == 0);
            // Slots of this size, one after the other, keep every register on one cache line.
            const _: () = assert!(size_of::<State>().is_multiple_of(<$V as Lanes>::BYTES));

            $(#[target_feature(enable = $feature)])+
            unsafe fn keystream(schedule: *const Schedule, bits: KeyBits, m: Message) {
                // SAFETY: the caller (`Cipher`) gives the schedule that `blocks` filled.
                ctr::apply::<$V, $stride>(unsafe { &*schedule }, bits, m.nonce, m.source, m.target);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn expand(state: *mut Grain, bits: KeyBits) {
                // SAFETY: the caller (`Expanded::new`) gives memory of `state_bytes`, borrowed by no one else.
                let state = unsafe { &mut *state.cast::<State>() };
                gcm::expand::<$V, $stride, POWERS, GAP>(state, bits);
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn seal(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: the caller (`Gcm` of `expanded`) gives the state that `blocks` and `gcm.expand` filled.
                let state = unsafe { &*state.cast::<State>() };
                gcm::crypt::<$V, $stride, POWERS, GAP, true>(state, bits, m.nonce, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn open(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                gcm::crypt::<$V, $stride, POWERS, GAP, false>(state, bits, m.nonce, m.aad, m.source, m.target)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn authenticate(state: *const Grain, bits: KeyBits, m: Message) -> Block {
                // SAFETY: as in `seal`.
                let state = unsafe { &*state.cast::<State>() };
                gcm::authenticate::<$V, $stride, POWERS, GAP>(state, bits, m.nonce, m.aad, m.source)
            }

            $(#[target_feature(enable = $feature)])+
            unsafe fn forget() {
                <$V>::forget();
            }

            Entry {
                features: $crate::backend::entry::features!($detect[$($feature)+] $(and [$($part)+])?),
                blocks: &$BLOCKS,
                keystream,
                gcm: Gcm {
                    state_bytes: size_of::<State>(),
                    expand,
                    seal,
                    open,
                    authenticate,
                },
                forget,
            }
        };
    };
}
pub(super) use backend;

/// Feature names with their run-time detection.
macro_rules! features {
    ($detect:ident[$($feature:tt)+] $(and [$($part:tt)+])?) => {
        &[
            $(($feature, || std::arch::$detect!($feature)),)+
            $($(($part, || std::arch::$detect!($part)),)+)?
        ]
    };
}
pub(super) use features;
