//! The functions behind the classes of keys. Each takes its arguments, refuses overlaps, and only
//! then writes.

use super::arguments::{Bytes, OptionalBytes};
use super::bytes::Borrowed;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::cpu::chosen;
use super::lists::Pieces;
use super::objects::account_for;
use super::scalars::{ARENA, Flag, KEY, Optional, Whole};
use super::status::Reason;
use crate::key::Options;
use crate::key::any::AnyKey;
use crate::key::frames::NonceAt;
use crate::key::ledger::{Counts, Limits, MAX_MESSAGES};
use crate::secret::SecretKey;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("create", create),
    callback!("keyBytes", key_bytes),
    callback!("destroy", destroy),
    callback!("messagesEncrypted", messages_encrypted),
    callback!("bytesEncrypted", bytes_encrypted),
    callback!("failedDecryptions", failed_decryptions),
    callback!("isDestroyed", is_destroyed),
    callback!("encryptInPlace", encrypt_in_place),
    callback!("decryptInPlace", decrypt_in_place),
    callback!("encryptInto", encrypt_into),
    callback!("encryptPiecesInto", encrypt_pieces_into),
    callback!("decryptInto", decrypt_into),
    callback!("encryptDetached", encrypt_detached),
    callback!("decryptDetached", decrypt_detached),
];

/// `create(cipher, backend, key, nonceAtEnd, verifyFirst, maxMessages, maxFailures, arena)`: an
/// External. `cipher` is a number of [`AnyKey::new`]. `backend` is a position in `backend::NAMES`,
/// or a number past its end for the best backend of this CPU.
fn create(call: &Call<8>) -> Outcome {
    let (cipher, backend, bytes, nonce_at_end, verify_first, messages, failures, arena) = call
        .take((
            Whole(0..=AnyKey::CIPHERS as u64 - 1),
            Whole(0..=1 << 53),
            Bytes,
            Flag,
            Flag,
            Whole(0..=1 << 53),
            Whole(1..=MAX_MESSAGES),
            Optional(ARENA),
        ))?;
    let cpu = chosen(backend)?;
    let options = Options {
        nonce_at: if nonce_at_end { NonceAt::End } else { NonceAt::Start },
        verify_first,
        limits: Limits { messages, failures },
    };
    let secret = SecretKey::copy(bytes.bytes)?;
    let generator = &call.module.generator;
    let key = call.module.lend_arena(arena, |arena| {
        let made = AnyKey::new(cipher as usize, cpu, &secret, options, arena, generator);
        Ok(made.ok_or(Reason::Internal)??)
    })?;
    call.module.objects.keep(call.env, key, arena)
}

/// `keyBytes(key, out)`: fills `out`, as long as the key, with the key that `create` took.
fn key_bytes(call: &Call<2>) -> Outcome {
    let (key, out) = call.take((KEY, Bytes))?;
    call.module.objects.lend(key, |key| Ok(key.copy_key(out.bytes)?))?;
    Ok(Reply::DONE)
}

/// `destroy(key)`.
fn destroy(call: &Call<1>) -> Outcome {
    let (key,) = call.take((KEY,))?;
    let bytes = call.module.objects.lend(key, |key| {
        let bytes = key.state_bytes();
        key.destroy();
        Ok(bytes)
    })?;
    account_for(call.env, -(bytes as i64));
    Ok(Reply::DONE)
}

/// `messagesEncrypted(key)`.
fn messages_encrypted(call: &Call<1>) -> Outcome {
    count(call, |counts| counts.messages)
}

/// `bytesEncrypted(key)`.
fn bytes_encrypted(call: &Call<1>) -> Outcome {
    count(call, |counts| counts.bytes)
}

/// `failedDecryptions(key)`.
fn failed_decryptions(call: &Call<1>) -> Outcome {
    count(call, |counts| counts.failures)
}

fn count(call: &Call<1>, which: impl FnOnce(Counts) -> u64) -> Outcome {
    let (key,) = call.take((KEY,))?;
    call.module.objects.lend(key, |key| Ok(Reply::Number(which(key.counts()) as f64)))
}

/// `isDestroyed(key)`.
fn is_destroyed(call: &Call<1>) -> Outcome {
    let (key,) = call.take((KEY,))?;
    call.module.objects.lend(key, |key| Ok(Reply::Flag(key.is_destroyed())))
}

/// `encryptInPlace(key, frame, aad)`.
fn encrypt_in_place(call: &Call<3>) -> Outcome {
    let (key, frame, aad) = call.take((KEY, Bytes, OptionalBytes))?;
    frame.refuse_overlap(&[aad])?;
    call.module.objects.lend(key, |key| Ok(key.encrypt_in_place(frame.bytes, aad.bytes)?))?;
    Ok(Reply::DONE)
}

/// `decryptInPlace(key, frame, aad)`.
fn decrypt_in_place(call: &Call<3>) -> Outcome {
    let (key, frame, aad) = call.take((KEY, Bytes, OptionalBytes))?;
    frame.refuse_overlap(&[aad])?;
    call.module.objects.lend(key, |key| Ok(key.decrypt_in_place(frame.bytes, aad.bytes)?))?;
    Ok(Reply::DONE)
}

/// `encryptInto(key, target, plaintext, aad)`: the number of bytes written.
fn encrypt_into(call: &Call<4>) -> Outcome {
    let (key, target, plaintext, aad) = call.take((KEY, Bytes, Bytes, OptionalBytes))?;
    target.refuse_overlap(&[plaintext, aad])?;
    call.module.objects.lend(key, |key| {
        let written = key.encrypt_into(target.bytes, plaintext.bytes, aad.bytes)?;
        Ok(Reply::Number(written as f64))
    })
}

/// The position of the pieces among the arguments of `encryptPiecesInto`.
const PIECES: usize = 3;

/// `encryptPiecesInto(key, target, aad, ...pieces)`: as `encryptInto`, of the concatenation of the
/// pieces. There are two or three pieces, or one array of pieces.
fn encrypt_pieces_into(call: &Call<6>) -> Outcome {
    let (key, target, aad, pieces) = call.take((KEY, Bytes, OptionalBytes, Pieces))?;
    for piece in pieces.iter() {
        target.refuse_overlap(&[Borrowed { bytes: piece, argument: PIECES }])?;
    }
    target.refuse_overlap(&[aad])?;
    call.module.objects.lend(key, |key| {
        let written = key.encrypt_pieces_into(target.bytes, &pieces, aad.bytes)?;
        Ok(Reply::Number(written as f64))
    })
}

/// `decryptInto(key, target, frame, aad)`: the number of bytes written.
fn decrypt_into(call: &Call<4>) -> Outcome {
    let (key, target, frame, aad) = call.take((KEY, Bytes, Bytes, OptionalBytes))?;
    target.refuse_overlap(&[frame, aad])?;
    call.module.objects.lend(key, |key| {
        let written = key.decrypt_into(target.bytes, frame.bytes, aad.bytes)?;
        Ok(Reply::Number(written as f64))
    })
}

/// `encryptDetached(key, data, nonce, tag, aad)`.
fn encrypt_detached(call: &Call<5>) -> Outcome {
    let (key, data, nonce, tag, aad) = call.take((KEY, Bytes, Bytes, Bytes, OptionalBytes))?;
    data.refuse_overlap(&[nonce, tag, aad])?;
    tag.refuse_overlap(&[nonce, aad])?;
    call.module.objects.lend(key, |key| {
        Ok(key.encrypt_detached(data.bytes, nonce.bytes, tag.bytes, aad.bytes)?)
    })?;
    Ok(Reply::DONE)
}

/// `decryptDetached(key, data, nonce, tag, aad)`.
fn decrypt_detached(call: &Call<5>) -> Outcome {
    let (key, data, nonce, tag, aad) = call.take((KEY, Bytes, Bytes, Bytes, OptionalBytes))?;
    data.refuse_overlap(&[nonce, tag, aad])?;
    call.module.objects.lend(key, |key| {
        Ok(key.decrypt_detached(data.bytes, nonce.bytes, tag.bytes, aad.bytes)?)
    })?;
    Ok(Reply::DONE)
}
