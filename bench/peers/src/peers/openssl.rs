//! OpenSSL by its EVP functions: a context for each direction that keeps the key and is given a nonce per message.

use crate::aead::{Aead, Nonce, Tag};
use openssl_sys as ffi;
use std::ffi::c_int;
use std::ptr::{null, null_mut};

/// A context, freed on drop.
struct Context(*mut ffi::EVP_CIPHER_CTX);

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: `keyed` made the context, and only this value has it.
        unsafe { ffi::EVP_CIPHER_CTX_free(self.0) };
    }
}

/// OpenSSL.
pub struct OpenSsl {
    sealing: Context,
    opening: Context,
    /// Fetched once and never freed.
    cipher: *const ffi::EVP_CIPHER,
}

impl OpenSsl {
    pub fn new(key: &[u8]) -> Self {
        let name = if key.len() == 32 { c"AES-256-GCM" } else { c"AES-128-GCM" };
        // SAFETY: the name ends in a zero; the default library context and no properties.
        let cipher = unsafe { ffi::EVP_CIPHER_fetch(null_mut(), name.as_ptr(), null()) };
        assert!(!cipher.is_null(), "OpenSSL has no AES-GCM");
        Self::keyed(cipher, key)
    }

    fn keyed(cipher: *const ffi::EVP_CIPHER, key: &[u8]) -> Self {
        // SAFETY: each direction has its own context; the key is as long as the cipher needs, and is copied.
        unsafe {
            let (sealing, opening) = (ffi::EVP_CIPHER_CTX_new(), ffi::EVP_CIPHER_CTX_new());
            let (no_engine, key) = (null_mut(), key.as_ptr());
            let sealed = ffi::EVP_EncryptInit_ex(sealing, cipher, no_engine, key, null());
            let opened = ffi::EVP_DecryptInit_ex(opening, cipher, no_engine, key, null());
            assert!(sealed == 1 && opened == 1, "OpenSSL refuses the key");
            Self { sealing: Context(sealing), opening: Context(opening), cipher }
        }
    }
}

impl Aead for OpenSsl {
    fn fresh(&self, key: &[u8]) -> Self {
        Self::keyed(self.cipher, key)
    }

    fn state(&self) -> Option<usize> {
        None
    }

    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
        let (context, at, bytes) = (self.sealing.0, data.as_mut_ptr(), data.len() as c_int);
        let mut written = 0;
        // SAFETY: the context has its key; `data` is read and written in place, `bytes` long; the tag has 16 bytes, and
        // `EncryptFinal` writes no bytes for a stream cipher.
        let right = unsafe {
            ffi::EVP_EncryptInit_ex(context, null(), null_mut(), null(), nonce.as_ptr()) == 1
                && ffi::EVP_EncryptUpdate(context, at, &mut written, at, bytes) == 1
                && ffi::EVP_EncryptFinal_ex(context, at, &mut written) == 1
                && ffi::EVP_CIPHER_CTX_ctrl(
                    context,
                    ffi::EVP_CTRL_GCM_GET_TAG,
                    16,
                    tag.as_mut_ptr().cast(),
                ) == 1
        };
        assert!(right, "OpenSSL does not seal");
    }

    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
        let (context, at, bytes) = (self.opening.0, data.as_mut_ptr(), data.len() as c_int);
        let mut written = 0;
        // SAFETY: as in `seal`; the tag is only read, although its pointer is mutable.
        unsafe {
            ffi::EVP_DecryptInit_ex(context, null(), null_mut(), null(), nonce.as_ptr()) == 1
                && ffi::EVP_CIPHER_CTX_ctrl(
                    context,
                    ffi::EVP_CTRL_GCM_SET_TAG,
                    16,
                    tag.as_ptr().cast_mut().cast(),
                ) == 1
                && ffi::EVP_DecryptUpdate(context, at, &mut written, at, bytes) == 1
                && ffi::EVP_DecryptFinal_ex(context, at, &mut written) == 1
        }
    }
}
