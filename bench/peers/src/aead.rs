//! The measured operation: AES-GCM in place under an existing key, with a nonce from the caller.

/// A nonce.
pub type Nonce = [u8; 12];

/// A tag.
pub type Tag = [u8; 16];

/// An implementation that holds a key.
pub trait Aead {
    /// Another instance with `key`. It may reuse values of `self` that do not depend on the key.
    fn fresh(&self, key: &[u8]) -> Self;

    /// Bytes of its expanded key, if the crate shows them.
    fn state(&self) -> Option<usize>;

    /// Encrypts `data` in place and writes the tag.
    fn seal(&mut self, nonce: &Nonce, data: &mut [u8], tag: &mut Tag);

    /// Decrypts `data` in place and tells whether the tag is right.
    fn open(&mut self, nonce: &Nonce, data: &mut [u8], tag: &Tag) -> bool;
}
