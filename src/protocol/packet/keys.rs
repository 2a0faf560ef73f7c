//! The keys of one direction: those of packets, for two key phases, and that of headers.

use super::paths::Paths;
use crate::backend::{Cpu, Expanded, RoundKeys};
use crate::error::Error;
use crate::key::arena::Arena;
use crate::key::nonce::Nonce;
use crate::secret::SecretKey;
use zeroize::Zeroize;

/// The keys of a direction. Opening indexes `phases` by the Key Phase bit: there is no branch on the bit before the tag of
/// its packet has matched (RFC 9001 9.5).
pub(super) struct Keys {
    pub(super) header: RoundKeys,
    pub(super) phases: [PhaseKeys; 2],
    /// The index of the current keys.
    pub(super) current: usize,
    pub(super) other: Other,
    /// The lowest number opened under the current keys since the last key update, of each path.
    pub(super) lowest: Paths,
}

/// The keys beside the current ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Other {
    /// The current keys again, since there are no others.
    Current,
    /// Those of the next key phase.
    Next,
    /// Those of the key phase before.
    Previous,
}

/// AES-GCM and the IV of one key phase. A clone shares the memory of the expanded key.
#[derive(Clone)]
pub struct PhaseKeys {
    pub(super) gcm: Expanded,
    pub(super) iv: Nonce,
}

impl PhaseKeys {
    /// Expands `key` for the backend of `cpu` into a slot of `arena`.
    ///
    /// # Errors
    /// Those of [`Arena::place`].
    pub fn new(cpu: Cpu, key: &SecretKey, iv: Nonce, arena: &mut Arena) -> Result<Self, Error> {
        let slot = arena.place(cpu.state_bytes())?;
        Ok(Self { gcm: Expanded::new(cpu, key.raw(), slot)?, iv })
    }
}

impl Drop for PhaseKeys {
    fn drop(&mut self) {
        self.iv.zeroize();
    }
}
