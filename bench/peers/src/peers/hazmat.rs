//! graviola and hardware-rust-crypto.

use crate::aead::{Aead, Nonce, Tag};
use graviola::aead::AesGcm;
use hardware_rust_crypto::aes_gcm::HardwareAes256GcmKeyState;

/// graviola.
pub struct Graviola(AesGcm);

impl Graviola {
    pub fn new(key: &[u8]) -> Self {
        Self(AesGcm::new(key))
    }
}

impl Aead for Graviola {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::new(key)
    }

    fn state(&self) -> Option<usize> {
        Some(size_of::<AesGcm>())
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        self.0.encrypt(nonce, &[], data, tag);
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        self.0.decrypt(nonce, &[], data, tag).is_ok()
    }
}

/// hardware-rust-crypto, with an inline key and calls that take a nonce (feature `hazmat-explicit-nonce`).
pub struct HardwareRust(HardwareAes256GcmKeyState);

impl HardwareRust {
    pub fn new(key: &[u8]) -> Self {
        Self(HardwareAes256GcmKeyState::new(key).expect("a key of 32 bytes"))
    }
}

impl Aead for HardwareRust {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::new(key)
    }

    fn state(&self) -> Option<usize> {
        Some(size_of::<HardwareAes256GcmKeyState>())
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        let made = self.0.seal_in_place_detached(nonce, &[], data);
        *tag = made.expect("a message that is not too long");
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        self.0.open_in_place_detached(nonce, &[], data, tag).is_ok()
    }
}
