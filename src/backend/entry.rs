//! The table of a backend's entry points.

use crate::hw::memory::Grain;
use crate::kernel::gf2_256::Element;
use crate::kernel::state::Schedule;
use crate::kernel::xaes::Main;
use crate::lanes::{Block, Bytes, KeyBits, RawKey};

/// The name of a CPU feature, and a function that reports whether this CPU has the feature.
pub(super) type Feature = (&'static str, fn() -> bool);

/// A backend with its name. `repr(C)` here and below fixes the order of the fields in memory, by
/// which `checks/codegen` identifies the entry point of a call.
#[repr(C)]
pub(super) struct Backend {
    pub(super) name: &'static str,
    pub(super) entry: Entry,
}

/// Entry points compiled for one list of CPU features. Callers promise for every entry point that
/// the CPU has these features and those of `single_blocks`.
#[repr(C)]
pub(super) struct Entry {
    /// The features that the entry points were compiled for, which detection looks for.
    pub(super) features: &'static [Feature],
    /// Key schedule and single blocks.
    pub(super) single_blocks: &'static SingleBlocks,
    /// Counter mode. Callers promise that `single_blocks` filled `schedule` for a key of `bits`.
    pub(super) keystream: unsafe fn(schedule: *const Schedule, bits: KeyBits, Message),
    /// Whole messages.
    pub(super) gcm: GcmEntry,
    /// A key for each message.
    pub(super) xaes: XaesEntry,
    /// Keys for each nonce.
    pub(super) siv: SivEntry,
    /// Sets to zero what a `derive` filled for as many blocks. Callers use `state` exclusively.
    pub(super) wipe: unsafe fn(state: *mut Grain, blocks: usize),
    /// Arithmetic in GF(2^256).
    pub(super) field: FieldEntry,
    /// Clears the vector registers, except those that every function preserves (d8 to d15 on
    /// arm64), and the stack below the caller's frame: 512 bytes on x86-64, 768 on arm64. In
    /// optimised builds, entry points use no more stack than that (`checks/codegen` verifies it).
    pub(super) forget: unsafe fn(),
    /// A product of GHASH, for tests.
    #[cfg(feature = "faults")]
    pub(super) ghash_multiply: unsafe fn(a: &Block, b: &Block) -> Block,
}

/// Entry points for which wide registers are no gain. They are compiled once for each architecture,
/// for its narrowest backend, and the tables of the other backends point at them.
#[repr(C)]
pub(super) struct SingleBlocks {
    /// The features that these entry points were compiled for.
    pub(super) features: &'static [Feature],
    /// Fills `schedule` with the round keys of `key`. Callers promise exclusive use of this memory.
    pub(super) expand: unsafe fn(schedule: *mut Schedule, key: RawKey),
    /// Encrypts single blocks in place. Callers promise that `expand` filled `schedule` for `bits`.
    pub(super) encrypt: unsafe fn(schedule: *const Schedule, bits: KeyBits, blocks: &mut [Block]),
    /// The functions of [`crate::kernel::base64url`], for sealed values: nothing is cleared after
    /// them.
    pub(super) encode: unsafe fn(bytes: &[u8], text: &mut [Block]),
    pub(super) decode: unsafe fn(text: &[Block], bytes: &mut [u8]) -> bool,
}

/// Entry points of AES-GCM. Callers promise that `state` points at `state_bytes` bytes with the
/// schedule of a key of `bits`, and that `expand` filled the rest before the other calls.
#[repr(C)]
pub(super) struct GcmEntry {
    /// Bytes of a [`KeyState`](crate::kernel::state::KeyState) for the backend's register and `S`.
    pub(super) state_bytes: usize,
    /// Fills the powers of H after the schedule. Callers promise exclusive use of this memory.
    pub(super) expand: unsafe fn(state: *mut Grain, bits: KeyBits),
    pub(super) seal: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    /// Seals the concatenation of the pieces into the target, which is as long. Ignores the source.
    pub(super) seal_pieces:
        unsafe fn(state: *const Grain, bits: KeyBits, Message, pieces: &[Bytes]) -> Block,
    /// Seals two messages at once. Callers keep to `pair`; other texts may be left unchanged.
    pub(super) seal_pair:
        unsafe fn(state: *const Grain, bits: KeyBits, Message, Message) -> [Block; 2],
    /// The messages that `seal_pair` takes.
    pub(super) pair: Pair,
    pub(super) open: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    pub(super) authenticate: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
}

/// Entry points of XAES-256-GCM, which makes the key of a message in a state of [`GcmEntry`].
/// Callers promise exclusive use of `main` in `expand`, and of `state` in the others.
#[repr(C)]
pub(super) struct XaesEntry {
    /// Fills K1. Callers promise that `single_blocks` filled the schedule of `main` for AES-256.
    pub(super) expand: unsafe fn(main: *mut Main),
    /// Fills a state for the message whose nonce begins with `nonce`. Callers promise that `expand`
    /// filled `main`. Messages for this state have at most `blocks` blocks, of AAD, of text and the
    /// length block, or more than a group; with zero blocks, the state has a schedule alone.
    pub(super) derive:
        unsafe fn(main: *const Main, nonce: &[u8; 12], state: *mut Grain, blocks: usize),
}

/// Entry points of AES-GCM-SIV: a main key of `bits`, and a state of [`GcmEntry`] for each nonce.
#[repr(C)]
pub(super) struct SivEntry {
    /// Fills a state for the messages with this nonce, with `blocks` as in [`XaesEntry`]. Callers
    /// promise that `single_blocks` filled `main`, and exclusive use of `state`.
    pub(super) derive: unsafe fn(
        main: *const Schedule,
        bits: KeyBits,
        nonce: &[u8; 12],
        state: *mut Grain,
        blocks: usize,
    ),
    /// Callers of the others promise that `derive` filled `state` for the nonce of the message.
    pub(super) seal: unsafe fn(state: *const Grain, bits: KeyBits, Message) -> Block,
    /// Decrypts a message with this tag, and returns the tag of its plaintext.
    pub(super) open: unsafe fn(state: *const Grain, bits: KeyBits, Message, tag: &Block) -> Block,
    /// Returns the tag of the plaintext that the source has under this tag, and writes no text.
    pub(super) authenticate:
        unsafe fn(state: *const Grain, bits: KeyBits, Message, tag: &Block) -> Block,
    /// Counter mode from this tag on. Uses the schedule alone.
    pub(super) keystream: unsafe fn(state: *const Grain, bits: KeyBits, Message, tag: &Block),
}

type PowerSums =
    unsafe fn(weights: &[Element], values: &[Element], points: &[Element], sums: &mut [Element]);

/// Entry points of GF(2^256): the functions of [`gf2_256`](crate::kernel::gf2_256).
#[repr(C)]
pub(super) struct FieldEntry {
    pub(super) multiply: unsafe fn(a: &mut [Element], b: &[Element]),
    pub(super) invert: unsafe fn(a: &mut Element),
    pub(super) evaluate:
        unsafe fn(coefficients: &[Element], points: &[Element], values: &mut [Element]),
    pub(super) lagrange:
        unsafe fn(points: &[Element], weights: &mut [Element], products: &mut [Element]),
    pub(super) power_sums: PowerSums,
}

/// The messages that `seal_pair` takes: both texts have one length, from 1 byte to `text`.
#[repr(C)]
pub(super) struct Pair {
    /// Most bytes of each text.
    pub(super) text: usize,
    /// Most bytes of the AAD of each message.
    pub(super) aad: usize,
}

/// One message. `source` and `target` have one length, and are one memory or do not overlap.
#[derive(Clone, Copy)]
pub struct Message<'a, const N: usize = 12> {
    /// The nonce: 96 bits, but for a cipher that derives a key for each message.
    pub nonce: &'a [u8; N],
    /// Data that is authenticated, not encrypted.
    pub aad: Bytes<'a>,
    /// The text to read; unused by `seal_pieces`.
    pub source: Bytes<'a>,
    /// The memory to write; unused by `authenticate`.
    pub target: Bytes<'a>,
}
