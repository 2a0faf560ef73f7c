//! This crate, one backend at a time.

use crate::aead::{Aead, Nonce, Tag};
use hardware_aes_gcm::backend::{Aead as _, Cipher as _, Cpu, GcmKey, Message};
use hardware_aes_gcm::hw::memory::Slot;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::lanes::RawKey;
use hardware_aes_gcm::secret::same;
use std::cell::{Cell, RefCell};

/// A key of one backend.
pub struct Ours {
    cpu: Cpu,
    key: GcmKey,
}

impl Ours {
    pub fn new(cpu: Cpu, key: &[u8]) -> Self {
        Self { cpu, key: expand(cpu, raw(key)) }
    }
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

/// Expands a key into a slot of an arena, as the package does.
pub fn expand(cpu: Cpu, key: RawKey) -> GcmKey {
    GcmKey::new(cpu, key, place(cpu.state_bytes())).expect("room")
}

/// A slot of an arena.
pub fn place(bytes: usize) -> Slot {
    ARENA.with_borrow_mut(|arena| arena.place(bytes)).expect("memory")
}

/// 16 or 32 bytes as the crate takes them.
pub fn raw(key: &[u8]) -> RawKey<'_> {
    match (key.first_chunk(), key.first_chunk()) {
        (Some(wide), _) => RawKey::Aes256(wide),
        (_, Some(narrow)) => RawKey::Aes128(narrow),
        _ => panic!("a key has 16 or 32 bytes"),
    }
}

/// A message without additional data.
fn in_place<'a>(nonce: &'a Nonce, data: &'a [Cell<u8>]) -> Message<'a> {
    Message { nonce, aad: &[], source: data, target: data }
}

impl Aead for Ours {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::new(self.cpu, key)
    }

    fn state(&self) -> Option<usize> {
        Some(self.cpu.state_bytes())
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        let message = in_place(nonce, Cell::from_mut(data).as_slice_of_cells());
        *tag = self.key.within(|gcm| gcm.seal(message));
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        let message = in_place(nonce, Cell::from_mut(data).as_slice_of_cells());
        // Compared after the guard, as `key::aead` does.
        same(&self.key.within(|gcm| gcm.decrypt_unverified(message, tag)), tag)
    }
}
