//! The keys of one direction: those of packets, for two key phases, and that of headers.

use super::order::{Of, Order};
use super::paths::Paths;
use crate::backend::{Cpu, GcmKey, RoundKeys};
use crate::error::Error;
use crate::key::arena::Arena;
use crate::key::nonce::Nonce;
use crate::secret::SecretKey;
use zeroize::Zeroize;

/// The keys of a direction. Opening indexes `phases` by the Key Phase bit: there is no branch on
/// the bit before the tag of its packet has matched (RFC 9001 9.5).
pub(super) struct Keys {
    pub(super) header: RoundKeys,
    pub(super) phases: [PhaseKeys; 2],
    /// The index of the current keys.
    pub(super) current: usize,
    /// The key phase of the other keys: the current one if there are no others.
    pub(super) other: Of,
    /// The numbers opened on each path.
    pub(super) opened: Paths<Order>,
}

/// AES-GCM and the IV of one key phase. A clone shares the memory of the expanded key.
#[derive(Clone)]
pub struct PhaseKeys {
    pub(super) gcm: GcmKey,
    pub(super) iv: Nonce,
}

impl PhaseKeys {
    /// Expands `key` for the backend of `cpu` into a slot of `arena`.
    ///
    /// # Errors
    /// Those of [`Arena::place`].
    pub fn new(cpu: Cpu, key: &SecretKey, iv: Nonce, arena: &mut Arena) -> Result<Self, Error> {
        let slot = arena.place(cpu.state_bytes())?;
        Ok(Self { gcm: GcmKey::new(cpu, key.raw(), slot)?, iv })
    }
}

impl Drop for PhaseKeys {
    fn drop(&mut self) {
        self.iv.zeroize();
    }
}
