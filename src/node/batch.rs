//! The functions behind the batches of the class `AesGcm`.

use super::arguments::{Bytes, OptionalBytes};
use super::bytes::Borrowed;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::lists::{Ends, EndsOrLength, OptionalEnds};
use super::scalars::KEY;
use super::status::{Reason, Refusal};
use crate::error::Error;
use crate::key::batch::{Aad, Batch, Opened};
use crate::key::ranges::Ranges;
use core::ffi::c_void;
use core::ptr;
use napi::sys;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("encryptBatchInPlace", encrypt_batch_in_place),
    callback!("decryptBatchInPlace", decrypt_batch_in_place),
];

// The positions of arguments that refusals name.
const FRAMES: usize = 1;
const ENDS: usize = 2;
const AAD_ENDS: usize = 4;

/// `encryptBatchInPlace(key, frames, ends, aad, aadEnds)`.
fn encrypt_batch_in_place(call: &Call<5>) -> Outcome {
    let (key, frames, ends, aad, aad_ends) =
        call.take((KEY, Bytes, EndsOrLength, OptionalBytes, OptionalEnds))?;
    let batch = batch(frames, &ends, aad, aad_ends.as_deref())?;
    call.module.objects.lend(key, |key| {
        key.encrypt_batch(batch).map_err(|error| Refusal::from(error).about(FRAMES))
    })?;
    Ok(Reply::DONE)
}

/// `decryptBatchInPlace(key, frames, ends, aad, aadEnds)`: 0 if every frame was authentic.
/// Otherwise a Uint32Array of the indexes that failed and, last, the index of the first frame that
/// was not touched, or 0 if there is none: the first frame is always touched.
fn decrypt_batch_in_place(call: &Call<5>) -> Outcome {
    let (key, frames, ends, aad, aad_ends) =
        call.take((KEY, Bytes, EndsOrLength, OptionalBytes, OptionalEnds))?;
    let batch = batch(frames, &ends, aad, aad_ends.as_deref())?;
    let opened = call.module.objects.lend(key, |key| Ok(key.decrypt_batch(batch)?))?;
    if opened.failed.is_empty() { Ok(Reply::DONE) } else { list(call.env, &opened) }
}

/// The batch in these arguments, unless they overlap. The ends are copies.
fn batch<'a>(
    frames: Borrowed<'a>,
    ends: &'a Ends,
    aad: Borrowed<'a>,
    aad_ends: Option<&'a [u32]>,
) -> Result<Batch<'a>, Refusal> {
    frames.refuse_overlap(&[aad])?;
    let about_ends = |error| Refusal::from(error).about(ENDS);
    let frames = ends.ranges(frames.bytes).map_err(about_ends)?;
    let about_aad = |error| Refusal::from(error).about(AAD_ENDS);
    let aad = match aad_ends {
        None => Aad::Same(aad.bytes),
        Some(ends) => Aad::Each(Ranges::ending_at(aad.bytes, ends).map_err(about_aad)?),
    };
    Batch::new(frames, aad).map_err(|error: Error| Refusal::from(error).about(AAD_ENDS))
}

fn list(env: sys::napi_env, opened: &Opened) -> Outcome {
    let length = opened.failed.len() + 1;
    let (mut data, mut buffer, mut array): (*mut c_void, _, _) =
        (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: `env` is live. The new buffer has `4·length` bytes at `data`, aligned for words.
    let made = unsafe {
        sys::napi_create_arraybuffer(env, 4 * length, &mut data, &mut buffer)
            == sys::Status::napi_ok
            && sys::napi_create_typedarray(
                env,
                sys::TypedarrayType::uint32_array,
                length,
                buffer,
                0,
                &mut array,
            ) == sys::Status::napi_ok
    };
    if !made || data.is_null() {
        return Err(Reason::Internal.into());
    }
    // SAFETY: as above; only this function knows the memory yet.
    let words = unsafe { core::slice::from_raw_parts_mut(data.cast::<u32>(), length) };
    let stopped_at = opened.stopped_at.unwrap_or(0);
    for (word, index) in words.iter_mut().zip(opened.failed.iter().chain([&stopped_at])) {
        *word = *index;
    }
    Ok(Reply::Value(array))
}
