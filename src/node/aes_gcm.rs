//! The functions behind the class `AesGcm`. Of each: arguments are inspected, then borrowed, then checked against
//! each other, and only then is anything written.

use super::Module;
use super::call::{Call, Callback, Reply, account_for, callback};
use super::status::{Reason, Refusal};
use crate::backend::{Cpu, NAMES};
use crate::key::frames::NonceAt;
use crate::key::ledger::{Limits, MAX_MESSAGES};
use crate::key::{Key, Options};
use crate::secret::SecretKey;
use core::ffi::c_void;
use napi::sys;

/// What `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("create", create),
    callback!("destroy", destroy),
    callback!("counts", counts),
    callback!("encryptInPlace", encrypt_in_place),
    callback!("decryptInPlace", decrypt_in_place),
    callback!("encryptInto", encrypt_into),
    callback!("decryptInto", decrypt_into),
    callback!("encryptDetached", encrypt_detached),
    callback!("decryptDetached", decrypt_detached),
    callback!("validateWith", validate_with),
];

type Outcome = Result<Reply, Refusal>;

/// `create(backend, key, nonceAtEnd, verifyFirst, maxMessages, maxFailures, arena)`: an External. `backend` is a
/// position in `backend::NAMES`, or past its end for the best there is.
fn create(call: &Call<7>) -> Outcome {
    let cpu = match NAMES.get(usize::try_from(call.number(0)?).unwrap_or(usize::MAX)) {
        Some(name) => Cpu::named(name).ok_or(Reason::BackendUnavailable)?,
        None => Cpu::best().ok_or(Reason::UnsupportedCpu)?,
    };
    let limit = |at, least| match call.number(at)? {
        n if (least..=MAX_MESSAGES).contains(&n) => Ok(n),
        _ => Err(Refusal::of(Reason::Option, at)),
    };
    let options = Options {
        nonce_at: if call.flag(2)? { NonceAt::End } else { NonceAt::Start },
        verify_first: call.flag(3)?,
        limits: Limits { messages: limit(4, 0)?, failures: limit(5, 1)? },
    };
    let bytes = call.view(1)?;
    // SAFETY: this callback is running, and runs no JavaScript before `bytes` is copied.
    let key = SecretKey::copy(unsafe { bytes.borrow(call.env, bytes.stale) }?.bytes)?;
    let generator = &call.module.generator;
    let key = call.with_arena(6, |arena| Ok(Key::new(cpu, &key, options, arena, generator)?))?;
    let bytes = key.state_bytes();
    let handle = {
        let mut keys = call.module.keys.try_borrow_mut().map_err(|_| Reason::Internal)?;
        keys.insert(key).ok_or(Reason::Full)?
    };
    let external = call.external(handle, bytes, collected);
    external.inspect_err(|_| drop(release(call.module, handle)))
}

/// The External was collected, or its environment is going: the key is wiped if nobody destroyed it before.
unsafe extern "C" fn collected(env: sys::napi_env, handle: *mut c_void, module: *mut c_void) {
    // SAFETY: `create` gave this pointer to a `Module` that is never freed.
    let key = release(unsafe { &*module.cast::<Module>() }, handle.addr());
    if let Some(key) = key {
        account_for(env, -(key.state_bytes() as i64));
    }
}

fn release(module: &Module, handle: usize) -> Option<Key> {
    module.keys.try_borrow_mut().ok()?.remove(handle)
}

/// `destroy(handle)`.
fn destroy(call: &Call<1>) -> Outcome {
    let bytes = call.with_key(|key| {
        let bytes = key.state_bytes();
        key.destroy();
        Ok(bytes)
    })?;
    account_for(call.env, -(bytes as i64));
    Ok(Reply::DONE)
}

/// `counts(handle, which)`: messages encrypted (0), bytes encrypted (1), failed decryptions (2); whether the key was
/// destroyed (3).
fn counts(call: &Call<2>) -> Outcome {
    let which = call.number(1)?;
    call.with_key(|key| {
        let counts = key.counts();
        match which {
            0 => Ok(Reply::Number(counts.messages as f64)),
            1 => Ok(Reply::Number(counts.bytes as f64)),
            2 => Ok(Reply::Number(counts.failures as f64)),
            3 => Ok(Reply::Number(f64::from(u8::from(key.is_destroyed())))),
            _ => Err(Refusal::of(Reason::Option, 1)),
        }
    })
}

/// `encryptInPlace(handle, frame, aad)`.
fn encrypt_in_place(call: &Call<3>) -> Outcome {
    let [frame, aad] = call.bytes()?;
    frame.apart_from(&[aad])?;
    call.with_key(|key| Ok(key.encrypt_in_place(frame.bytes, aad.bytes)?))?;
    Ok(Reply::DONE)
}

/// `decryptInPlace(handle, frame, aad)`.
fn decrypt_in_place(call: &Call<3>) -> Outcome {
    let [frame, aad] = call.bytes()?;
    frame.apart_from(&[aad])?;
    call.with_key(|key| Ok(key.decrypt_in_place(frame.bytes, aad.bytes)?))?;
    Ok(Reply::DONE)
}

/// `encryptInto(handle, target, plaintext, aad)`: the bytes written.
fn encrypt_into(call: &Call<4>) -> Outcome {
    let [target, plaintext, aad] = call.bytes()?;
    target.apart_from(&[plaintext, aad])?;
    call.with_key(|key| {
        let written = key.encrypt_into(target.bytes, plaintext.bytes, aad.bytes)?;
        Ok(Reply::Number(written as f64))
    })
}

/// `decryptInto(handle, target, frame, aad)`: the bytes written.
fn decrypt_into(call: &Call<4>) -> Outcome {
    let [target, frame, aad] = call.bytes()?;
    target.apart_from(&[frame, aad])?;
    call.with_key(|key| {
        let written = key.decrypt_into(target.bytes, frame.bytes, aad.bytes)?;
        Ok(Reply::Number(written as f64))
    })
}

/// `encryptDetached(handle, data, nonce, tag, aad)`.
fn encrypt_detached(call: &Call<5>) -> Outcome {
    let [data, nonce, tag, aad] = call.bytes()?;
    data.apart_from(&[nonce, tag, aad])?;
    tag.apart_from(&[nonce, aad])?;
    call.with_key(|key| {
        Ok(key.encrypt_detached(data.bytes, nonce.bytes, tag.bytes, aad.bytes)?)
    })?;
    Ok(Reply::DONE)
}

/// `decryptDetached(handle, data, nonce, tag, aad)`.
fn decrypt_detached(call: &Call<5>) -> Outcome {
    let [data, nonce, tag, aad] = call.bytes()?;
    data.apart_from(&[nonce, tag, aad])?;
    call.with_key(|key| {
        Ok(key.decrypt_detached(data.bytes, nonce.bytes, tag.bytes, aad.bytes)?)
    })?;
    Ok(Reply::DONE)
}

/// `validateWith(at)`: the loader's own capture of `%TypedArray%.prototype.at`, from before this was loaded. Once.
fn validate_with(call: &Call<1>) -> Outcome {
    call.module.views.validate_with(call.env, call.argument(0))?;
    Ok(Reply::DONE)
}
