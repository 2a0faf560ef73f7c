//! Base64url on a backend. Its inputs are sealed values: no registers are cleared afterwards.

use super::Cpu;
use crate::lanes::Block;

pub use crate::kernel::base64url::{BYTES, CHARACTERS};

impl Cpu {
    /// Writes the characters of the groups in `bytes`. Stops before a group that has no further
    /// bytes up to sixteen.
    #[inline(always)]
    pub fn encode_base64url(self, bytes: &[u8], text: &mut [Block]) {
        // SAFETY: `self` proves the features.
        unsafe { (self.entry().single_blocks.encode)(bytes, text) }
    }

    /// Writes the bytes of `text`, then four zeros unless it is empty. Returns whether all
    /// characters are of the alphabet and every group had room for a register.
    #[inline(always)]
    pub fn decode_base64url(self, text: &[Block], bytes: &mut [u8]) -> bool {
        // SAFETY: `self` proves the features.
        unsafe { (self.entry().single_blocks.decode)(text, bytes) }
    }
}
