//! RustCrypto's `aes-gcm`. At run time it detects VAES for AES, but no wide instructions for GHASH.

use crate::aead::{Aead, Nonce, Tag};
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::{AeadInOut, Aes128Gcm, Aes256Gcm, KeyInit};

macro_rules! aead {
    ($($Name:ident = $Key:ident),+) => {$(
        /// The key of this length.
        pub struct $Name($Key);

        impl $Name {
            pub fn new(key: &[u8]) -> Self {
                Self($Key::new_from_slice(key).expect("a key of this length"))
            }
        }

        impl Aead for $Name {
            fn fresh(&self, key: &[u8]) -> Self {
                Self::new(key)
            }

            fn state(&self) -> Option<usize> {
                Some(size_of::<$Key>())
            }

            fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
                let made = self.0.encrypt_inout_detached(nonce.into(), &[], InOutBuf::from(data));
                tag.copy_from_slice(&made.expect("a message that is not too long"));
            }

            fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
                self.0.decrypt_inout_detached(nonce.into(), &[], data.into(), tag.into()).is_ok()
            }
        }
    )+};
}
aead!(AesGcm128 = Aes128Gcm, AesGcm256 = Aes256Gcm);
