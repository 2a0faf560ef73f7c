//! An expanded key and the slot it lives in, tied to the backend that expanded it; wiped on drop, as every slot is.

use super::{Cpu, Message};
use crate::error::Error;
use crate::hw::memory::{Grain, Slot};
use crate::hw::timing;
use crate::kernel::{KeyBits, RawKey};
use crate::lanes::{Block, Bytes};

/// Round keys and powers of H, as `cpu`'s backend laid them out.
pub struct Expanded {
    cpu: Cpu,
    bits: KeyBits,
    /// At least `state_bytes`, filled by `cpu`'s `expand` and by nothing else.
    slot: Slot,
}

impl Expanded {
    /// Expands `key` in its final place. [`Error::NoMemory`] where `slot` is too small for it.
    pub fn new(cpu: Cpu, key: RawKey, mut slot: Slot) -> Result<Self, Error> {
        if slot.length() < cpu.0.state_bytes {
            return Err(Error::NoMemory);
        }
        let state = slot.bytes().as_mut_ptr().cast::<Grain>();
        // SAFETY: `cpu` proves the features; the slot is zeroed, ours alone, aligned as grains are and at least `state_bytes` long.
        run(cpu, || unsafe { (cpu.0.entry.expand)(state, key) });
        Ok(Self { cpu, bits: key.bits(), slot })
    }

    /// Where it lives.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Encrypts `source` into `target`, which may be the same memory, and gives the tag.
    pub fn seal(&self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        // SAFETY: `cpu` proves the features; `new` filled the slot with this backend's `expand` for `bits`.
        run(self.cpu, || unsafe { (self.cpu.0.entry.seal)(self.slot.as_ptr(), self.bits, message) })
    }

    /// Decrypts `source` into `target`, which may be the same memory, and gives the tag to compare. Until the
    /// caller has compared it, `target` holds plaintext nobody vouches for.
    pub fn open(&self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        // SAFETY: as in `seal`.
        run(self.cpu, || unsafe { (self.cpu.0.entry.open)(self.slot.as_ptr(), self.bits, message) })
    }

    /// The tag that belongs to `ciphertext`, which is only read.
    pub fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block {
        let message = Message { nonce, aad, source: ciphertext, target: &[] };
        // SAFETY: as in `seal`.
        run(self.cpu, || unsafe {
            (self.cpu.0.entry.authenticate)(self.slot.as_ptr(), self.bits, message)
        })
    }

    /// XORs the keystream of a message onto `source`, into `target`, which may be the same memory.
    pub fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        debug_assert_eq!(source.len(), target.len());
        let message = Message { nonce, aad: &[], source, target };
        // SAFETY: as in `seal`.
        run(self.cpu, || unsafe {
            (self.cpu.0.entry.keystream)(self.slot.as_ptr(), self.bits, message);
        });
    }
}

/// Runs an entry point of `cpu`: with timing that its data do not change, and leaving nothing of the key in registers or on
/// its stack, where a core dump would have it. What a signal in the middle of it saved further down is out of reach.
// Inlined: what clears the stack must be called from where the entry point was, to reach the same.
#[inline(always)]
fn run<R>(cpu: Cpu, entry: impl FnOnce() -> R) -> R {
    timing::independent(|| {
        let given = entry();
        #[cfg(feature = "faults")]
        if crate::faults::KEEP_REGISTERS.is_on() {
            return given;
        }
        // SAFETY: `cpu` proves the features.
        unsafe { (cpu.0.entry.forget)() }
        given
    })
}
