//! The functions behind `hardware-aes-gcm/stream`.

use super::arguments::Bytes;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::cpu::chosen;
use super::objects::account_for;
use super::scalars::{ARENA, CHUNKS, Flag, Optional, Whole};
use super::status::Refusal;
use crate::key::nonce;
use crate::protocol::chunks::{Chunks, MAX_CHUNKS};
use crate::secret::SecretKey;
use zeroize::Zeroizing;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("chunksCreate", create),
    callback!("chunksDestroy", destroy),
    callback!("chunksSeal", seal),
    callback!("chunksOpen", open),
];

/// The position of the source.
const SOURCE: usize = 1;

/// `chunksCreate(backend, key, baseNonce, arena)`: an External. `backend` is as in `create`.
fn create(call: &Call<4>) -> Outcome {
    let (backend, key, base, arena) =
        call.take((Whole(0..=1 << 53), Bytes, Bytes, Optional(ARENA)))?;
    let cpu = chosen(backend)?;
    let secret = SecretKey::copy(key.bytes)?;
    let base = Zeroizing::new(nonce::parse(base.bytes)?);
    let made =
        call.module.lend_arena(arena, |arena| Ok(Chunks::new(cpu, &secret, *base, arena)?))?;
    call.module.objects.keep(call.env, made, arena)
}

/// `chunksDestroy(chunks)`.
fn destroy(call: &Call<1>) -> Outcome {
    let (chunks,) = call.take((CHUNKS,))?;
    let bytes = call.module.objects.lend(chunks, |chunks| {
        let bytes = chunks.state_bytes();
        chunks.destroy();
        Ok(bytes)
    })?;
    account_for(call.env, -(bytes as i64));
    Ok(Reply::DONE)
}

/// `chunksSeal(chunks, source, target, last)`: the number of bytes written.
fn seal(call: &Call<4>) -> Outcome {
    let (chunks, source, target, last) = call.take((CHUNKS, Bytes, Bytes, Flag))?;
    target.refuse_overlap(&[source])?;
    call.module.objects.lend(chunks, |chunks| {
        let sealed = chunks.seal(source.bytes, target.bytes, last);
        let written = sealed.map_err(|error| Refusal::from(error).about(SOURCE))?;
        Ok(Reply::Number(written as f64))
    })
}

/// `chunksOpen(chunks, first, source, target, last)`: the number of bytes written. A refusal of a
/// chunk that fails authentication has its index as detail.
fn open(call: &Call<5>) -> Outcome {
    let (chunks, first, source, target, last) =
        call.take((CHUNKS, Whole(0..=MAX_CHUNKS), Bytes, Bytes, Flag))?;
    target.refuse_overlap(&[source])?;
    call.module.objects.lend(chunks, |chunks| {
        let written = chunks.open(first, source.bytes, target.bytes, last)?;
        Ok(Reply::Number(written as f64))
    })
}
