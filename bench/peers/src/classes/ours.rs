//! Keys of any class of this crate, one backend at a time.

use crate::aead::{Aead, Nonce, Tag};
use crate::peers::ours::{place, raw};
use hardware_aes_gcm::backend::{self, Cipher as _, Cpu, Message};
use hardware_aes_gcm::secret::same;
use std::cell::Cell;

/// A key of one backend. A nonce of 24 bytes is the given one, twice.
pub struct Ours<C, const N: usize> {
    cpu: Cpu,
    key: C,
    nonce: [u8; N],
}

impl<C: backend::Aead<N>, const N: usize> Ours<C, N> {
    pub fn new(cpu: Cpu, key: &[u8]) -> Self {
        let key = C::expand(cpu, raw(key), |bytes| Ok(place(bytes))).expect("a key of this length");
        Self { cpu, key, nonce: [0; N] }
    }

    fn set(&mut self, nonce: &Nonce) {
        for part in self.nonce.chunks_exact_mut(12) {
            part.copy_from_slice(nonce);
        }
    }
}

impl<C: backend::Aead<N>, const N: usize> Aead for Ours<C, N> {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::new(self.cpu, key)
    }

    fn state(&self) -> Option<usize> {
        Some(self.key.state_bytes())
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        self.set(nonce);
        let data = Cell::from_mut(data).as_slice_of_cells();
        let message = Message { nonce: &self.nonce, aad: &[], source: data, target: data };
        *tag = self.key.within(|cipher| cipher.seal(message));
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        self.set(nonce);
        let data = Cell::from_mut(data).as_slice_of_cells();
        let message = Message { nonce: &self.nonce, aad: &[], source: data, target: data };
        same(&self.key.within(|cipher| cipher.decrypt_unverified(message, tag)), tag)
    }
}
