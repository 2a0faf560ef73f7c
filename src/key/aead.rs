//! Opening one message: decrypts, compares the tag, and removes the plaintext of a forgery. This module holds no state.

use crate::backend::{Gcm, Message};
use crate::lanes::Block;
use crate::secret::same;

/// Decrypts `message` and returns whether `tag` is its tag. If not, a target that is the source holds the ciphertext again,
/// and a separate target is zero.
///
/// With `verify_first`, plaintext exists only after the tag matched, at the cost of a second pass over the message.
// Inlined, as `Expanded::within` requires. The comparison is inside the guard, since the right tag of a forgery is secret.
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
        // Adding the keystream again replaces the unauthenticated plaintext by the ciphertext.
        gcm.keystream(nonce, target, target);
    }
    genuine
}
