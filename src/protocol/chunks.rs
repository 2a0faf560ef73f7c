//! Chunks of C2SP chunked-encryption, label `c2sp.org/chunked-encryption@v1`: Cobblestone-128 or
//! -256, by the length of the key. A run of chunks goes from one memory into another in one pass.
//!
//! A message is cut after every 16 384 bytes. The last chunk is shorter, and empty if nothing is
//! left, so its length marks the end. A sealed chunk is `ciphertext ‖ tag(16)`; its nonce is the
//! message's base nonce XOR the number of the chunk, from 0, big-endian; it has no associated data.

use crate::backend::{Aead, Cipher, Cpu, GcmKey, Message};
use crate::error::Error;
use crate::key::arena::Arena;
use crate::key::nonce::{Nonce, sequence_nonce};
use crate::key::open;
use crate::key::ranges::ErrorAt;
use crate::lanes::{Bytes, read, write};
use crate::secret::SecretKey;
use zeroize::Zeroize;

/// Bytes of text in every chunk but the last one, which has fewer.
pub const CHUNK_BYTES: usize = 16_384;
/// Bytes of a sealed chunk that is not the last one.
pub const SEALED_BYTES: usize = CHUNK_BYTES + TAG_BYTES;
/// Most chunks of a message.
pub const MAX_CHUNKS: u64 = 1 << 38;

const TAG_BYTES: usize = 16;

/// The key of one message, to seal it from first chunk to last, or to open chunks in any order.
///
/// # Errors of every operation
/// [`Error::Destroyed`] after [`destroy`](Self::destroy). [`Error::PartialChunk`] unless the source
/// is whole chunks and, if announced, a last chunk. [`Error::TooManyChunks`] above [`MAX_CHUNKS`].
/// [`Error::TargetTooShort`]. Such a call does not write.
pub struct Chunks {
    /// `None` after `destroy`.
    key: Option<MessageKey>,
    /// The number of the chunk to be sealed next.
    next: u64,
}

struct MessageKey {
    gcm: GcmKey,
    base: Nonce,
}

impl Drop for MessageKey {
    fn drop(&mut self) {
        self.base.zeroize();
    }
}

impl Chunks {
    /// Expands `key` for `cpu` into a slot of `arena`. Key and base nonce belong to one message.
    ///
    /// # Errors
    /// Those of [`Arena::place`].
    pub fn new(cpu: Cpu, key: &SecretKey, base: Nonce, arena: &mut Arena) -> Result<Self, Error> {
        let slot = arena.place(cpu.state_bytes())?;
        let gcm = GcmKey::new(cpu, key.raw(), slot)?;
        Ok(Self { key: Some(MessageKey { gcm, base }), next: 0 })
    }

    /// Bytes of the slot of the expanded key; 0 after [`destroy`](Self::destroy).
    pub fn state_bytes(&self) -> usize {
        self.key.as_ref().map_or(0, |key| key.gcm.state_bytes())
    }

    /// Whether the key lies in memory of `arena`; false after [`destroy`](Self::destroy).
    pub fn lives_in(&self, arena: &Arena) -> bool {
        self.key.as_ref().is_some_and(|key| arena.holds(key.gcm.slot()))
    }

    /// Wipes the key. Later operations return [`Error::Destroyed`].
    pub fn destroy(&mut self) {
        self.key = None;
    }

    /// Whether the key was destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.key.is_none()
    }

    /// Seals the next chunks from `source` into the beginning of `target`, and returns the number
    /// of bytes written: 16 more for each chunk. `target` must not overlap `source`. With `last`,
    /// the message ends here, and the caller should destroy the key: no chunk may follow.
    ///
    /// # Errors
    /// Those of every operation. A failed call takes no number.
    // Never inlined into `node`, where checks/codegen does not look for calls of kernels.
    #[inline(never)]
    pub fn seal(&mut self, source: Bytes, target: Bytes, last: bool) -> Result<usize, Error> {
        let MessageKey { gcm, base } = self.key.as_ref().ok_or(Error::Destroyed)?;
        if !last && !source.len().is_multiple_of(CHUNK_BYTES) {
            return Err(Error::PartialChunk);
        }
        let count = source.len() / CHUNK_BYTES + usize::from(last);
        let end = end(self.next, count)?;
        let bytes = count.saturating_mul(TAG_BYTES).saturating_add(source.len());
        let target = target.get(..bytes).ok_or(Error::TargetTooShort)?;
        let mut number = self.next;
        self.next = end;
        gcm.within(|gcm| {
            let mut rest = source;
            for chunk in target.chunks(SEALED_BYTES) {
                let Some((sealed, tag)) = chunk.split_last_chunk() else { break };
                let Some((text, after)) = rest.split_at_checked(sealed.len()) else { break };
                let nonce = sequence_nonce(base, 0, number);
                let message = Message { nonce: &nonce, aad: &[], source: text, target: sealed };
                write(tag, &gcm.seal(message));
                (rest, number) = (after, number.wrapping_add(1));
            }
        });
        Ok(bytes)
    }

    /// Opens sealed chunks, the first with the number `first`, from `source` into the beginning of
    /// `target`, and returns the number of bytes written: 16 fewer for each chunk. `target` must
    /// not overlap `source`. With `last`, the message ends here; otherwise all chunks are whole.
    ///
    /// # Errors
    /// Those of every operation, and [`Error::Authentication`], with the index of the first chunk
    /// that fails. Chunks before it are then in `target`; its place is zero, the rest as before.
    // Not inlined, as `seal`.
    #[inline(never)]
    pub fn open(
        &self,
        first: u64,
        source: Bytes,
        target: Bytes,
        last: bool,
    ) -> Result<usize, ErrorAt> {
        let MessageKey { gcm, base } = self.key.as_ref().ok_or(Error::Destroyed)?;
        let rest = source.len() % SEALED_BYTES;
        if last != (rest >= TAG_BYTES) || (rest > 0 && rest < TAG_BYTES) {
            return Err(Error::PartialChunk.into());
        }
        let count = source.len() / SEALED_BYTES + usize::from(last);
        end(first, count)?;
        let bytes = source.len().saturating_sub(count.saturating_mul(TAG_BYTES));
        let target = target.get(..bytes).ok_or(Error::TargetTooShort)?;
        let mut index = 0usize;
        let genuine = gcm.within(|gcm| {
            let (mut rest, mut number) = (target, first);
            for chunk in source.chunks(SEALED_BYTES) {
                let Some((sealed, tag)) = chunk.split_last_chunk() else { break };
                let Some((text, after)) = rest.split_at_checked(sealed.len()) else { break };
                let nonce = sequence_nonce(base, 0, number);
                let message = Message { nonce: &nonce, aad: &[], source: sealed, target: text };
                if !open::open_inside(gcm, message, &read(tag), false) {
                    return false;
                }
                (rest, number) = (after, number.wrapping_add(1));
                index = index.wrapping_add(1);
            }
            true
        });
        if genuine { Ok(bytes) } else { Err(ErrorAt { error: Error::Authentication, index }) }
    }
}

/// The number after those of `count` chunks from `first` on.
fn end(first: u64, count: usize) -> Result<u64, Error> {
    let end = u64::try_from(count).ok().and_then(|count| first.checked_add(count));
    end.filter(|end| *end <= MAX_CHUNKS).ok_or(Error::TooManyChunks)
}
