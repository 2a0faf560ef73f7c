//! The functions behind the class `Keyring`: values that begin with the prefix of their key, as
//! bytes and as strings, and the bytes of keys. Strings cross once each way, through wiped memory.

use super::arguments::{Aad, Bytes, TextOrBytes};
use super::bytes::Borrowed;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::scalars::{JsString, KEY, Whole};
use super::status::{Reason, Refusal};
use super::text::{Area, Areas, ascii_string, check_length, string_of, units_of};
use crate::error::Error;
use crate::lanes;
use crate::protocol::sealed::{NO_PREFIX, PREFIX_BYTES, Prefix};
use crate::protocol::utf8::{narrow, utf8_length, write_utf8};
use crate::protocol::{base64url, sealed};
use core::cell::Cell;
use napi::sys;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("sealInto", seal_into),
    callback!("openInto", open_into),
    callback!("sealText", seal_text),
    callback!("openText", open_text),
    callback!("keyBytes", key_bytes),
];

/// The positions of the string and of the additional data among the arguments.
const TEXT: usize = 2;
const AAD: usize = 3;

/// The specification of a prefix: its bytes as a number, or the number for none.
const PREFIX: Whole = Whole(0..=NO_PREFIX);
/// The specification of the length of a prefix.
const SKIP: Whole = Whole(0..=PREFIX_BYTES as u64);

/// `sealInto(key, prefix, target, plaintext, aad)`: the number of bytes written.
fn seal_into(call: &Call<5>) -> Outcome {
    let (key, prefix, target, plaintext, aad) =
        call.take((KEY, PREFIX, Bytes, Bytes, TextOrBytes))?;
    target.refuse_overlap(&[plaintext])?;
    with_aad(call, aad, target, |aad| {
        call.module.objects.lend(key, |key| {
            let prefix = Prefix::new(prefix);
            let written = sealed::seal_into(key, prefix, target.bytes, plaintext.bytes, aad)?;
            Ok(Reply::Number(written as f64))
        })
    })
}

/// `openInto(key, skip, target, sealed, aad)`: the bytes written. `skip` bytes precede the frame.
fn open_into(call: &Call<5>) -> Outcome {
    let (key, skip, target, sealed, aad) = call.take((KEY, SKIP, Bytes, Bytes, TextOrBytes))?;
    target.refuse_overlap(&[sealed])?;
    with_aad(call, aad, target, |aad| {
        call.module.objects.lend(key, |key| {
            let skip = skip as usize;
            let written = sealed::open_into(key, skip, target.bytes, sealed.bytes, aad)?;
            Ok(Reply::Number(written as f64))
        })
    })
}

/// Runs `body` with the additional data of a call that writes `target`. Only a string needs memory.
#[inline(always)]
fn with_aad(
    call: &Call<5>,
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
    call.module
        .scratch
        .lend(|Areas { aad_units, aad, .. }| body(utf8_of(call.env, text, 4, aad_units, aad)?))
}

/// The UTF-8 of a string, the argument at position `at`.
fn utf8_of<'a, const N: usize, const M: usize>(
    env: sys::napi_env,
    text: sys::napi_value,
    at: usize,
    units: &mut Area<u16, N>,
    bytes: &'a mut Area<u8, M>,
) -> Result<lanes::Bytes<'a>, Refusal> {
    let units = units_of(env, text, units).map_err(|refusal| refusal.about(at))?;
    let bytes = bytes.take(utf8_length(units))?;
    if !write_utf8(units, bytes) {
        return Err(Refusal::of(Reason::Surrogate, at));
    }
    Ok(Cell::from_mut(bytes).as_slice_of_cells())
}

/// `sealText(key, prefix, text, aad)`: the base64url of the sealed value of the UTF-8 of `text`.
fn seal_text(call: &Call<4>) -> Outcome {
    let (key, prefix, text, aad) = call.take((KEY, PREFIX, JsString, TextOrBytes))?;
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    let prefix = Prefix::new(prefix);
    call.module.scratch.lend(|areas| {
        let Areas { units, bytes, text: place, aad_units, aad: aad_bytes } = areas;
        let aad = match aad {
            Aad::Text(aad) => utf8_of(call.env, aad, AAD, aad_units, aad_bytes)?,
            Aad::Bytes(aad) => aad.bytes,
        };
        let units = units_of(call.env, text, units).map_err(|refusal| refusal.about(TEXT))?;
        let length = utf8_length(units);
        let encoded = call.module.objects.lend(key, |key| {
            let (at, whole) = sealed::place(key, prefix, length).ok_or(Error::MessageTooLong)?;
            let encoded = check_length(base64url::encoded(whole)).map_err(about_text)?;
            let room = bytes.take(base64url::bytes_room(encoded))?;
            let value = room.get_mut(..whole).unwrap_or(&mut []);
            if !write_utf8(units, value.get_mut(at).unwrap_or(&mut [])) {
                return Err(Refusal::of(Reason::Surrogate, TEXT));
            }
            sealed::seal_in_place(key, prefix, Cell::from_mut(value).as_slice_of_cells(), aad)?;
            let characters = place.take(base64url::text_room(encoded))?;
            base64url::encode(cpu, room, characters);
            Ok(characters.get(..encoded).unwrap_or(&[]))
        })?;
        ascii_string(call.env, encoded)
    })
}

/// `openText(key, skip, sealed, aad)`: the text. The frame begins after `skip` bytes. A
/// text that is not base64url is a forgery.
fn open_text(call: &Call<4>) -> Outcome {
    let (key, skip, text, aad) = call.take((KEY, SKIP, JsString, TextOrBytes))?;
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    call.module.scratch.lend(|areas| {
        let Areas { units, bytes, text: place, aad_units, aad: aad_bytes } = areas;
        let aad = match aad {
            Aad::Text(aad) => utf8_of(call.env, aad, AAD, aad_units, aad_bytes)?,
            Aad::Bytes(aad) => aad.bytes,
        };
        let units = units_of(call.env, text, units).map_err(|refusal| refusal.about(TEXT))?;
        let characters = place.take(base64url::text_room(units.len()))?;
        let ascii = narrow(units, characters.get_mut(..units.len()).unwrap_or(&mut []));
        let room = bytes.take(base64url::bytes_room(units.len()))?;
        let exact = ascii && base64url::decode(cpu, characters, units.len(), room);
        let value = room.get_mut(..base64url::decoded(units.len())).unwrap_or(&mut []);
        let opened = call.module.objects.lend(key, |key| {
            // A value of no bytes is a forgery for every key.
            let value = if exact { &mut *value } else { &mut [] };
            let value = Cell::from_mut(value).as_slice_of_cells();
            Ok(sealed::open_in_place(key, skip as usize, value, aad)?)
        })?;
        string_of(call.env, value.get(opened).unwrap_or(&[])).map_err(about_text)
    })
}

fn about_text(refusal: impl Into<Refusal>) -> Refusal {
    refusal.into().about(TEXT)
}

/// `keyBytes(key, out)`: fills `out`, as long as the key, with the key that `create` took.
fn key_bytes(call: &Call<2>) -> Outcome {
    let (key, out) = call.take((KEY, Bytes))?;
    call.module.objects.lend(key, |key| Ok(key.copy_key(out.bytes)?))?;
    Ok(Reply::DONE)
}
