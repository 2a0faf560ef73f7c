//! Opening one message, without the state of a key object.

use crate::backend::{Expanded, Gcm, Message};
use crate::hw::timing;
use crate::lanes::Block;
use crate::secret::same;

/// Lends AES-GCM for one pass over a message: a key does so inside a guard for each pass, and AES-GCM, which is inside a
/// guard already, as it is.
trait Lend {
    /// Runs `work`, under the conditions of [`Expanded::within`].
    fn lend<R>(&self, work: impl FnOnce(Gcm<'_>) -> R) -> R;
}

impl Lend for Expanded {
    #[inline(always)]
    fn lend<R>(&self, work: impl FnOnce(Gcm<'_>) -> R) -> R {
        self.within(work)
    }
}

impl Lend for Gcm<'_> {
    #[inline(always)]
    fn lend<R>(&self, work: impl FnOnce(Gcm<'_>) -> R) -> R {
        work(*self)
    }
}

/// Returns whether `tag` is the tag of `message`, and decrypts the message if so. After a forgery, a message in place is as
/// it was, and a target apart from the source is zero.
///
/// With `verify_first`, plaintext exists only after the tag matched, at the cost of a second pass over the message.
// Inlined, since callers are on the hot path.
#[inline(always)]
pub fn open(state: &Expanded, message: Message, tag: &Block, verify_first: bool) -> bool {
    // The expected tag of a forged message is a secret, so the comparison has data-independent timing, too. It comes after
    // the guard of the first pass: inside this guard, it made opening a small message 3 to 10% slower.
    timing::independent(|| judge(state, message, tag, verify_first))
}

/// As [`open`], inside a guard.
#[inline(always)]
pub fn open_inside(gcm: Gcm, message: Message, tag: &Block, verify_first: bool) -> bool {
    judge(&gcm, message, tag, verify_first)
}

#[inline(always)]
fn judge(state: &impl Lend, message: Message, tag: &Block, verify_first: bool) -> bool {
    let Message { nonce, aad, source, target } = message;
    let expected = state.lend(|gcm| {
        if verify_first {
            gcm.authenticate(nonce, aad, source)
        } else {
            gcm.decrypt_unverified(message)
        }
    });
    let genuine = same(&expected, tag);
    if genuine {
        if verify_first {
            state.lend(|gcm| gcm.keystream(nonce, source, target));
        }
    } else if !core::ptr::eq(source, target) {
        target.iter().for_each(|byte| byte.set(0));
    } else if !verify_first {
        // The keystream once more: the ciphertext is back, and the unauthenticated plaintext is gone.
        state.lend(|gcm| gcm.keystream(nonce, target, target));
    }
    genuine
}
