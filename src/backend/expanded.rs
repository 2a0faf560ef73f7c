//! Expanded keys in their slots, tied to the backend that expanded them, and the guard inside which they are used.
//!
//! [`RoundKeys`] encrypts blocks and makes keystream; [`Expanded`] has the powers of H besides, for AES-GCM. A clone of either
//! is another holder of the same slot, on any thread; the slot is wiped when the last holder lets go.

use super::{Cpu, Message};
use crate::error::Error;
use crate::hw::memory::{Grain, SharedSlot, Slot};
use crate::hw::timing;
use crate::kernel::state::Schedule;
use crate::lanes::{Block, Bytes, KeyBits, RawKey};
use core::ops::Deref;

/// The round keys of AES.
#[derive(Clone)]
pub struct RoundKeys {
    cpu: Cpu,
    bits: KeyBits,
    /// Begins with a schedule that `cpu`'s entry points filled for `bits`.
    slot: SharedSlot,
}

/// Round keys and powers of H, as `cpu`'s backend laid them out.
#[derive(Clone)]
pub struct Expanded {
    /// Their slot holds `state_bytes`, filled by `cpu`'s entry points.
    keys: RoundKeys,
}

impl RoundKeys {
    /// Bytes of the slot they need.
    pub const BYTES: usize = size_of::<Schedule>();

    /// Expands `key` in its final place. [`Error::NoMemory`] where `slot` is too small.
    pub fn new(cpu: Cpu, key: RawKey, mut slot: Slot) -> Result<Self, Error> {
        if slot.length() < Self::BYTES {
            return Err(Error::NoMemory);
        }
        let schedule = slot.bytes().as_mut_ptr().cast();
        // SAFETY: `cpu` proves the features; the slot is zeroed, ours alone, aligned as grains are and long enough.
        guarded(cpu, || unsafe { (cpu.entry().blocks.expand)(schedule, key) });
        Ok(Self { cpu, bits: key.bits(), slot: slot.share() })
    }

    /// Lends the cipher to `work`, for any number of calls inside one guard: with timing that does not depend on the data, and
    /// with registers and stack cleared at the end, where a core dump would otherwise hold parts of the key. (A signal handler
    /// in the middle of `work` may save registers further down the stack, out of reach.)
    ///
    /// `work` must be compiled into the caller: a function of its own would move the calls below the stack that is cleared.
    /// `checks/codegen` proves this of the machine code.
    #[inline(always)]
    pub fn within<R>(&self, work: impl FnOnce(Cipher<'_>) -> R) -> R {
        guarded(self.cpu, || work(Cipher { keys: self }))
    }

    fn schedule(&self) -> *const Schedule {
        self.slot.as_ptr().cast()
    }
}

impl Expanded {
    /// Expands `key` in its final place. [`Error::NoMemory`] where `slot` is too small.
    pub fn new(cpu: Cpu, key: RawKey, mut slot: Slot) -> Result<Self, Error> {
        if slot.length() < cpu.state_bytes() {
            return Err(Error::NoMemory);
        }
        let entry = cpu.entry();
        let state: *mut Grain = slot.bytes().as_mut_ptr().cast();
        // SAFETY: `cpu` proves the features; the slot is zeroed, ours alone, aligned as grains are and at least `state_bytes`
        // long, and it begins with the schedule.
        guarded(cpu, || unsafe {
            (entry.blocks.expand)(state.cast(), key);
            (entry.gcm.expand)(state, key.bits());
        });
        Ok(Self { keys: RoundKeys { cpu, bits: key.bits(), slot: slot.share() } })
    }

    /// The slot it lives in.
    pub fn slot(&self) -> &SharedSlot {
        &self.keys.slot
    }

    /// As [`RoundKeys::within`], for whole messages.
    #[inline(always)]
    pub fn within<R>(&self, work: impl FnOnce(Gcm<'_>) -> R) -> R {
        guarded(self.keys.cpu, || work(Gcm { cipher: Cipher { keys: &self.keys } }))
    }
}

/// AES inside a guard.
#[derive(Clone, Copy)]
pub struct Cipher<'a> {
    keys: &'a RoundKeys,
}

impl Cipher<'_> {
    /// Encrypts every one of `blocks` in place.
    #[inline(always)]
    pub fn encrypt(self, blocks: &mut [Block]) {
        let RoundKeys { cpu, bits, .. } = *self.keys;
        // SAFETY: `cpu` proves the features; `new` filled the slot with its entry points for `bits`.
        unsafe { (cpu.entry().blocks.encrypt)(self.keys.schedule(), bits, blocks) }
    }

    /// XORs the keystream of a message onto `source` and writes `target`, which is as long or the same memory.
    #[inline(always)]
    pub fn keystream(self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        debug_assert_eq!(source.len(), target.len());
        let RoundKeys { cpu, bits, .. } = *self.keys;
        let message = Message { nonce, aad: &[], source, target };
        // SAFETY: as in `encrypt`.
        unsafe { (cpu.entry().keystream)(self.keys.schedule(), bits, message) }
    }
}

/// AES-GCM inside a guard.
#[derive(Clone, Copy)]
pub struct Gcm<'a> {
    cipher: Cipher<'a>,
}

impl<'a> Deref for Gcm<'a> {
    type Target = Cipher<'a>;

    #[inline(always)]
    fn deref(&self) -> &Cipher<'a> {
        &self.cipher
    }
}

impl Gcm<'_> {
    /// Encrypts `source` into `target`, which may be the same memory, and gives the tag.
    #[inline(always)]
    pub fn seal(self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        let (cpu, state, bits) = self.parts();
        // SAFETY: `cpu` proves the features; `new` filled the slot with its entry points for `bits`.
        unsafe { (cpu.entry().gcm.seal)(state, bits, message) }
    }

    /// Decrypts `source` into `target`, which may be the same memory, and gives the tag to compare. Until the caller has
    /// compared it, `target` holds plaintext that is not authenticated.
    #[inline(always)]
    pub fn open(self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        let (cpu, state, bits) = self.parts();
        // SAFETY: as in `seal`.
        unsafe { (cpu.entry().gcm.open)(state, bits, message) }
    }

    /// The tag that belongs to `ciphertext`, which is only read.
    #[inline(always)]
    pub fn authenticate(self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block {
        let (cpu, state, bits) = self.parts();
        let message = Message { nonce, aad, source: ciphertext, target: &[] };
        // SAFETY: as in `seal`.
        unsafe { (cpu.entry().gcm.authenticate)(state, bits, message) }
    }

    #[inline(always)]
    fn parts(self) -> (Cpu, *const Grain, KeyBits) {
        let RoundKeys { cpu, bits, ref slot } = *self.cipher.keys;
        (cpu, slot.as_ptr(), bits)
    }
}

/// Runs entry points of `cpu`, then clears what they leave in registers and on the stack.
// Inlined: the entry points and `forget` must be called from one frame, so that both reach the same stack.
#[inline(always)]
fn guarded<R>(cpu: Cpu, work: impl FnOnce() -> R) -> R {
    timing::independent(|| {
        let given = work();
        #[cfg(feature = "faults")]
        if crate::faults::KEEP_REGISTERS.is_on() {
            return given;
        }
        // SAFETY: `cpu` proves the features.
        unsafe { (cpu.entry().forget)() }
        given
    })
}
