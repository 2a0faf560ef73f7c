//! BoringSSL by EVP_AEAD, with a separate tag. Its functions have OpenSSL's names, so a program has one of the two.

use crate::aead::{Aead, Nonce, Tag};
use boring_sys as ffi;
use std::ptr::null;

/// A context with a key, freed on drop.
pub struct BoringSsl(*mut ffi::EVP_AEAD_CTX);

impl Drop for BoringSsl {
    fn drop(&mut self) {
        // SAFETY: `new` made the context, and only this value has it.
        unsafe { ffi::EVP_AEAD_CTX_free(self.0) };
    }
}

impl BoringSsl {
    pub fn new(key: &[u8]) -> Self {
        // SAFETY: the cipher is a constant of the library; the key has its length, and is copied.
        let context = unsafe {
            let cipher = match key.len() {
                32 => ffi::EVP_aead_aes_256_gcm(),
                _ => ffi::EVP_aead_aes_128_gcm(),
            };
            ffi::EVP_AEAD_CTX_new(cipher, key.as_ptr(), key.len(), 16)
        };
        assert!(!context.is_null(), "BoringSSL refuses the key");
        Self(context)
    }
}

impl Aead for BoringSsl {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::new(key)
    }

    fn state(&self) -> Option<usize> {
        Some(size_of::<ffi::EVP_AEAD_CTX>())
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        let (at, bytes, nonce) = (data.as_mut_ptr(), data.len(), nonce.as_ptr());
        let (tag, none, mut written) = (tag.as_mut_ptr(), null(), 0);
        // SAFETY: `data` is read and written in place, `bytes` long; nonce and tag have 12 and 16 bytes.
        let right = unsafe {
            ffi::EVP_AEAD_CTX_seal_scatter(
                self.0,
                at,
                tag,
                &mut written,
                16,
                nonce,
                12,
                at,
                bytes,
                none,
                0,
                none,
                0,
            )
        };
        assert!(right == 1, "BoringSSL does not seal");
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        let (at, bytes, nonce) = (data.as_mut_ptr(), data.len(), nonce.as_ptr());
        // SAFETY: as in `seal`.
        unsafe {
            ffi::EVP_AEAD_CTX_open_gather(
                self.0,
                at,
                nonce,
                12,
                at,
                bytes,
                tag.as_ptr(),
                16,
                null(),
                0,
            ) == 1
        }
    }
}
