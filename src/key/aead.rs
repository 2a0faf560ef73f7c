//! Opening one message: comparison of the tag, and what a forgery leaves behind. Without state, for every owner of a key.

use crate::backend::{Gcm, Message};
use crate::lanes::Block;
use crate::secret::same;

/// Decrypts `message` and tells whether `tag` is its tag. After a forgery, a message in place is as it was, and a target
/// apart from the source is zero.
///
/// With `verify_first`, plaintext exists only after the tag matched, at the cost of a second pass over the message.
// Inlined, as `Expanded::within` asks. The right tag of a forged message is a secret, so the comparison is inside the guard.
#[inline(always)]
pub fn open(gcm: Gcm, message: Message, tag: &Block, verify_first: bool) -> bool {
    let Message { nonce, aad, source, target } = message;
    let in_place = core::ptr::eq(source, target);
    let expected =
        if verify_first { gcm.authenticate(nonce, aad, source) } else { gcm.open(message) };
    let genuine = same(&expected, tag);
    if genuine {
        if verify_first {
            gcm.keystream(nonce, source, target);
        }
    } else if !in_place {
        target.iter().for_each(|byte| byte.set(0));
    } else if !verify_first {
        // The keystream once more: the ciphertext is back, and the unauthenticated plaintext is gone.
        gcm.keystream(nonce, target, target);
    }
    genuine
}
