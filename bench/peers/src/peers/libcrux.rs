//! libcrux without AES instructions: a baseline. It keeps no expanded key and works from one buffer to another, so the time
//! of a message includes key expansion and a copy.

use crate::aead::{Aead, Nonce, Tag};
use libcrux_aesgcm::{aes_gcm_128, aes_gcm_256};

macro_rules! aead {
    ($($Name:ident, $module:ident, $Algorithm:ident, $bytes:literal);+) => {$(
        /// The key of this length.
        pub struct $Name {
            key: $module::portable::Key<$module::portable::$Algorithm>,
            other: Vec<u8>,
        }

        impl $Name {
            pub fn new(key: &[u8]) -> Self {
                let key: [u8; $bytes] = key.try_into().expect("a key of this length");
                Self { key: key.into(), other: Vec::new() }
            }

            /// Makes the other buffer at least `bytes` long.
            fn other(&mut self, bytes: usize) {
                if self.other.len() < bytes {
                    self.other.resize(bytes, 0);
                }
            }
        }

        impl Aead for $Name {
            fn fresh(&self, key: &[u8]) -> Self {
                Self::new(key)
            }

            fn state(&self) -> Option<usize> {
                Some($bytes)
            }

            fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag) {
                self.other(data.len());
                let other = &mut self.other[..data.len()];
                let (nonce, mut made) = ((*nonce).into(), [0; 16].into());
                let sealed = self.key.encrypt(other, &mut made, &nonce, &[], data);
                sealed.expect("a message that is not too long");
                data.copy_from_slice(other);
                tag.copy_from_slice(made.as_ref());
            }

            fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool {
                self.other(data.len());
                let other = &mut self.other[..data.len()];
                let (nonce, tag) = ((*nonce).into(), (*tag).into());
                let right = self.key.decrypt(other, &nonce, &[], data, &tag).is_ok();
                data.copy_from_slice(other);
                right
            }
        }
    )+};
}
aead!(
    Portable128, aes_gcm_128, PortableAesGcm128, 16;
    Portable256, aes_gcm_256, PortableAesGcm256, 32
);
