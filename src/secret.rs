//! Key bytes, wiped on drop and never printed, and a comparison in the same time for every input.

use crate::error::Error;
use crate::lanes::RawKey;
use crate::lanes::{Block, Bytes};
use core::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// A caller's key, copied once, wiped on drop. The bytes lie on the heap: a move would leave a copy
/// on the stack, from where the unused bytes of a later value can carry them on.
pub struct SecretKey {
    bytes: Box<[u8; 32]>,
    wide: bool,
}

impl SecretKey {
    /// A copy of 16 or 32 bytes; anything else is [`Error::InvalidKeyLength`].
    pub fn copy(from: Bytes) -> Result<Self, Error> {
        let wide = match from.len() {
            16 => false,
            32 => true,
            _ => return Err(Error::InvalidKeyLength),
        };
        let mut key = Self { bytes: Box::new([0; 32]), wide };
        for (to, from) in key.bytes.iter_mut().zip(from) {
            *to = from.get();
        }
        Ok(key)
    }

    /// The key, borrowed for an expansion.
    pub fn raw(&self) -> RawKey<'_> {
        match self.bytes.first_chunk::<16>() {
            Some(half) if !self.wide => RawKey::Aes128(half),
            _ => RawKey::Aes256(&self.bytes),
        }
    }
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

/// Whether two tags are equal, in time that does not depend on their bytes.
pub fn same(a: &Block, b: &Block) -> bool {
    // As integers: byte by byte, it would take half as long as opening a short message.
    let [a, b] = [a, b].map(|tag| u128::from_ne_bytes(*tag));
    let difference = a ^ b;
    ((difference as u64) | (difference >> 64) as u64).ct_eq(&0).into()
}
