//! Opening one message, without the state of a key object.

use crate::backend::{Aead, Cipher, Message};
use crate::hw::timing;
use crate::lanes::Block;
use crate::secret::same;

/// Lends a cipher for one pass over a message. A key opens a new guard for each pass
/// ([`NewGuard`]); a cipher inside a guard lends itself ([`SameGuard`]).
trait WithCipher<const N: usize> {
    /// The cipher.
    type Cipher<'a>: Cipher<N>;

    /// Runs `work`, under the conditions of [`Aead::within`].
    fn lend<R>(&self, work: impl FnOnce(Self::Cipher<'_>) -> R) -> R;
}

struct NewGuard<'a, A>(&'a A);

impl<A: Aead<N>, const N: usize> WithCipher<N> for NewGuard<'_, A> {
    type Cipher<'b> = A::Cipher<'b>;

    #[inline(always)]
    fn lend<R>(&self, work: impl FnOnce(Self::Cipher<'_>) -> R) -> R {
        self.0.within(work)
    }
}

struct SameGuard<C>(C);

impl<C: Cipher<N>, const N: usize> WithCipher<N> for SameGuard<C> {
    type Cipher<'b> = C;

    #[inline(always)]
    fn lend<R>(&self, work: impl FnOnce(C) -> R) -> R {
        work(self.0)
    }
}

/// Returns whether `tag` is the tag of `message`, and decrypts the message if so. After a forgery,
/// a message in place is as it was, and a target apart from the source is zero.
///
/// With `verify_first`, plaintext exists only after the tag matched, at the cost of a second pass.
// Inlined, since callers are on the hot path.
#[inline(always)]
pub fn open<A: Aead<N>, const N: usize>(
    state: &A,
    message: Message<N>,
    tag: &Block,
    verify_first: bool,
) -> bool {
    // The expected tag of a forgery is a secret: the comparison has data-independent timing, too.
    // Inside the guard of the first pass, it made opening a small message 3 to 10% slower.
    timing::independent(|| verify(&NewGuard(state), message, tag, verify_first))
}

/// As [`open`], inside a guard.
#[inline(always)]
pub fn open_inside<C: Cipher<N>, const N: usize>(
    cipher: C,
    message: Message<N>,
    tag: &Block,
    verify_first: bool,
) -> bool {
    verify(&SameGuard(cipher), message, tag, verify_first)
}

#[inline(always)]
fn verify<const N: usize>(
    state: &impl WithCipher<N>,
    message: Message<N>,
    tag: &Block,
    verify_first: bool,
) -> bool {
    let Message { nonce, aad, source, target } = message;
    let expected = state.lend(|cipher| {
        if verify_first {
            cipher.authenticate(nonce, tag, aad, source)
        } else {
            cipher.decrypt_unverified(message, tag)
        }
    });
    let genuine = same(&expected, tag);
    if genuine {
        if verify_first {
            state.lend(|cipher| cipher.keystream(nonce, tag, source, target));
        }
    } else if !core::ptr::eq(source, target) {
        target.iter().for_each(|byte| byte.set(0));
    } else if !verify_first {
        // The keystream once more restores the ciphertext over the unauthenticated plaintext.
        state.lend(|cipher| cipher.keystream(nonce, tag, target, target));
    }
    genuine
}
