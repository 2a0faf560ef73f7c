//! The traits of AEAD ciphers: an expanded key, and the cipher inside a guard. `N` is the number of
//! bytes of a nonce.

use super::{Cpu, Message};
use crate::error::Error;
use crate::hw::memory::Slot;
use crate::lanes::{Block, Bytes, RawKey};

/// An expanded key.
pub trait Aead<const N: usize>: Sized + Send + 'static {
    /// The cipher inside a guard.
    type Cipher<'a>: Cipher<N>;

    /// Expands `key` for the backend of `cpu` into slots that `place` returns for their sizes.
    ///
    /// # Errors
    /// Those of `place`; [`Error::InvalidKeyLength`] for a key that the cipher does not have.
    fn expand(
        cpu: Cpu,
        key: RawKey,
        place: impl FnMut(usize) -> Result<Slot, Error>,
    ) -> Result<Self, Error>;

    /// The same key, for use on another thread at the same time.
    ///
    /// # Errors
    /// Those of `place`.
    fn for_thread(&self, place: impl FnMut(usize) -> Result<Slot, Error>) -> Result<Self, Error>;

    /// Lends the cipher to `work` for any number of calls, under the conditions of
    /// [`RoundKeys::within`](super::RoundKeys::within).
    fn within<R>(&self, work: impl FnOnce(Self::Cipher<'_>) -> R) -> R;

    /// Writes the key as it was before [`expand`](Self::expand) to `out`, which has its length.
    ///
    /// # Errors
    /// [`Error::InvalidKeyLength`] for an `out` of another length. A failed call does not write.
    fn copy_key(&self, out: Bytes) -> Result<(), Error>;

    /// The slot that holds the key.
    fn slot(&self) -> &Slot;

    /// Bytes of all slots.
    fn state_bytes(&self) -> usize;
}

/// A cipher inside a guard. Source and target of a message have one length, and are the same memory
/// or do not overlap.
pub trait Cipher<const N: usize>: Copy {
    /// Encrypts `source` into `target`, and returns the tag.
    fn seal(self, message: Message<N>) -> Block;

    /// Encrypts the source of each message into its target, and returns the tags. Neither message
    /// may read memory that the other one writes.
    #[inline(always)]
    fn seal_pair(self, a: Message<N>, b: Message<N>) -> [Block; 2] {
        [self.seal(a), self.seal(b)]
    }

    /// Encrypts the concatenation of `pieces` into `target`, of the same length and apart from all
    /// pieces, and returns the tag.
    fn seal_pieces(self, nonce: &[u8; N], aad: Bytes, pieces: &[Bytes], target: Bytes) -> Block;

    /// Decrypts `source` into `target`, and returns the expected tag. The plaintext is not
    /// authenticated until the caller has compared that tag with `tag`, from which some ciphers
    /// derive the keystream.
    fn decrypt_unverified(self, message: Message<N>, tag: &Block) -> Block;

    /// The expected tag of `ciphertext`, which is only read. `tag` as above.
    fn authenticate(self, nonce: &[u8; N], tag: &Block, aad: Bytes, ciphertext: Bytes) -> Block;

    /// XORs the keystream of a message onto `source`, into `target`. `tag` as above.
    fn keystream(self, nonce: &[u8; N], tag: &Block, source: Bytes, target: Bytes);
}
