//! The functions behind the class `Keyring`: values that begin with the prefix of their key, as
//! bytes. Those for strings are in `sealed_text`.

use super::arguments::{Aad, Bytes, TextOrBytes};
use super::bytes::Borrowed;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::objects::Handle;
use super::scalars::{KEY, PREFIX, SKIP};
use super::scratch::Areas;
use super::text::{units_at, utf8_of};
use crate::key::any::AnyKey;
use crate::lanes;
use crate::protocol::sealed::{self, Prefix};

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] =
    &[callback!("sealInto", seal_into), callback!("openInto", open_into)];
/// Those that `validateWith` returns.
pub(super) const SHORT: &[(&str, Callback)] = &[
    callback!("sealIntoShortly", seal_into_shortly),
    callback!("openIntoShortly", open_into_shortly),
];

/// `sealInto(key, prefix, target, plaintext, aad)`: the number of bytes written.
fn seal_into(call: &Call<5>) -> Outcome {
    let (key, prefix, target, plaintext, aad) =
        call.take((KEY, PREFIX, Bytes, Bytes, TextOrBytes))?;
    seal(call, key, Prefix::new(prefix), target, plaintext, aad)
}

/// `sealIntoShortly(target, plaintext, aad)`: as `sealInto`, with the key and the prefix on the
/// slate. After a refusal, `lib/` calls `sealInto`, for the reason.
fn seal_into_shortly(call: &Call<3>) -> Outcome {
    // Before the arguments, whose inspection may run JavaScript, which may write on the slate.
    let (key, prefix) = call.module.slate.key_and_prefix();
    let (target, plaintext, aad) = call.take((Bytes, Bytes, TextOrBytes))?;
    seal(call, key, prefix, target, plaintext, aad)
}

#[inline(always)]
fn seal<const N: usize>(
    call: &Call<N>,
    key: Handle<AnyKey>,
    prefix: Prefix,
    target: Borrowed,
    plaintext: Borrowed,
    aad: Aad,
) -> Outcome {
    target.refuse_overlap(&[plaintext])?;
    with_aad(call, aad, target, |aad| {
        call.module.objects.lend(key, |key| {
            let written = sealed::seal_into(key, prefix, target.bytes, plaintext.bytes, aad)?;
            Ok(Reply::Number(written as f64))
        })
    })
}

/// `openInto(key, skip, target, sealed, aad)`: the bytes written. `skip` bytes precede the frame.
fn open_into(call: &Call<5>) -> Outcome {
    let (key, skip, target, sealed, aad) = call.take((KEY, SKIP, Bytes, Bytes, TextOrBytes))?;
    open(call, key, skip as usize, target, sealed, aad)
}

/// `openIntoShortly(target, sealed, aad)`: as `openInto`, with the key and the prefix on the slate.
/// A refusal has the reason of `openInto`, but not its argument.
fn open_into_shortly(call: &Call<3>) -> Outcome {
    // As in `seal_into_shortly`.
    let (key, prefix) = call.module.slate.key_and_prefix();
    let (target, sealed, aad) = call.take((Bytes, Bytes, TextOrBytes))?;
    open(call, key, prefix.bytes(), target, sealed, aad)
}

#[inline(always)]
fn open<const N: usize>(
    call: &Call<N>,
    key: Handle<AnyKey>,
    skip: usize,
    target: Borrowed,
    sealed: Borrowed,
    aad: Aad,
) -> Outcome {
    target.refuse_overlap(&[sealed])?;
    with_aad(call, aad, target, |aad| {
        call.module.objects.lend(key, |key| {
            let written = sealed::open_into(key, skip, target.bytes, sealed.bytes, aad)?;
            Ok(Reply::Number(written as f64))
        })
    })
}

/// Runs `body` with the additional data of a call that writes `target`. Only a string needs memory.
#[inline(always)]
fn with_aad<const N: usize>(
    call: &Call<N>,
    aad: Aad,
    target: Borrowed,
    body: impl FnOnce(lanes::Bytes) -> Outcome,
) -> Outcome {
    let text = match aad {
        Aad::Text(text) => text,
        Aad::Bytes(aad) => {
            target.refuse_overlap(&[aad])?;
            return body(aad.bytes);
        }
    };
    call.module.scratch.lend(|Areas { aad_units, aad, .. }| {
        let units = units_at(call.env, text, 4, aad_units)?;
        body(utf8_of(units, 4, aad)?)
    })
}
