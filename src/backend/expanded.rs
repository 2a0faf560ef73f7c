//! An expanded key and the memory it lives in, tied to the backend that expanded it; wiped on drop.

use super::{Cpu, Line, Message};
use crate::kernel::{KeyBits, RawKey};
use crate::lanes::{Block, Bytes};
use zeroize::Zeroize;

/// Round keys and powers of H, as `cpu`'s backend laid them out.
pub struct Expanded {
    cpu: Cpu,
    bits: KeyBits,
    /// `state_bytes` and the rest of the last line, filled by `cpu`'s `expand` and by nothing else.
    lines: Box<[Line]>,
}

impl Expanded {
    /// Expands `key` in its final place.
    pub fn new(cpu: Cpu, key: RawKey) -> Self {
        let mut lines = vec![Line::default(); cpu.0.state_bytes.div_ceil(64)].into_boxed_slice();
        // SAFETY: `cpu` proves the features; `lines` is zeroed, ours alone and at least `state_bytes` long.
        unsafe { (cpu.0.entry.expand)(lines.as_mut_ptr(), key) };
        Self { cpu, bits: key.bits(), lines }
    }

    /// Encrypts `source` into `target`, which may be the same memory, and gives the tag.
    pub fn seal(&self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        // SAFETY: `cpu` proves the features; `new` filled `lines` with this backend's `expand` for `bits`.
        unsafe { (self.cpu.0.entry.seal)(self.lines.as_ptr(), self.bits, message) }
    }

    /// Decrypts `source` into `target`, which may be the same memory, and gives the tag to compare. Until the
    /// caller has compared it, `target` holds plaintext nobody vouches for.
    pub fn open(&self, message: Message) -> Block {
        debug_assert_eq!(message.source.len(), message.target.len());
        // SAFETY: as in `seal`.
        unsafe { (self.cpu.0.entry.open)(self.lines.as_ptr(), self.bits, message) }
    }

    /// The tag that belongs to `ciphertext`, which is only read.
    pub fn authenticate(&self, nonce: &[u8; 12], aad: Bytes, ciphertext: Bytes) -> Block {
        let message = Message { nonce, aad, source: ciphertext, target: &[] };
        // SAFETY: as in `seal`.
        unsafe { (self.cpu.0.entry.authenticate)(self.lines.as_ptr(), self.bits, message) }
    }

    /// XORs the keystream of a message onto `source`, into `target`, which may be the same memory.
    pub fn keystream(&self, nonce: &[u8; 12], source: Bytes, target: Bytes) {
        debug_assert_eq!(source.len(), target.len());
        let message = Message { nonce, aad: &[], source, target };
        // SAFETY: as in `seal`.
        unsafe { (self.cpu.0.entry.keystream)(self.lines.as_ptr(), self.bits, message) }
    }
}

impl Drop for Expanded {
    fn drop(&mut self) {
        self.lines.zeroize();
    }
}
