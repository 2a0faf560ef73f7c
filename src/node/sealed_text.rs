//! The functions of sealed texts behind the class `Keyring`. Strings cross once each way, through
//! wiped memory; additional data that is not ASCII may cross twice.

use super::arguments::{Aad, TextOrBytes};
use super::call::{Call, Callback, Outcome, callback};
use super::objects::Handle;
use super::scalars::{JsString, KEY, PREFIX, SKIP};
use super::scratch::{Area, Areas};
use super::status::{Reason, Refusal};
use super::text::{ascii_string, check_length, string_of, units_at, utf8_of};
use crate::backend::Cpu;
use crate::error::Error;
use crate::key::any::AnyKey;
use crate::lanes;
use crate::protocol::sealed::Prefix;
use crate::protocol::utf8::{narrow, utf8_length, write_utf8};
use crate::protocol::{base64url, sealed};
use core::cell::Cell;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] =
    &[callback!("sealText", seal_text), callback!("openText", open_text)];
/// Those that `validateWith` returns.
pub(super) const SHORT: &[(&str, Callback)] = &[callback!("sealTextShortly", seal_text_shortly)];

/// The positions of the string and of the additional data among the arguments.
const TEXT: usize = 2;
pub(super) const AAD: usize = 3;

/// `sealText(key, prefix, text, aad)`: the base64url of the sealed value of the UTF-8 of `text`.
fn seal_text(call: &Call<4>) -> Outcome {
    let (key, prefix, text, aad) = call.take((KEY, PREFIX, JsString, TextOrBytes))?;
    let prefix = Prefix::new(prefix);
    call.module.scratch.lend(|areas| {
        let Areas { units, bytes, text: place, aad_units, aad: aad_bytes } = areas;
        let aad = match aad {
            Aad::Text(aad) => utf8_of(units_at(call.env, aad, AAD, aad_units)?, AAD, aad_bytes)?,
            Aad::Bytes(aad) => aad.bytes,
        };
        let units = units_at(call.env, text, TEXT, units)?;
        sealed_text(call, key, prefix, units, aad, bytes, place)
    })
}

/// `sealTextShortly(text, aad)`: as `sealText`, with the key and the prefix on the slate. `aad` is
/// a string or missing. After a refusal, `lib/` calls `sealText`, for the reason.
fn seal_text_shortly(call: &Call<2>) -> Outcome {
    let (key, prefix) = call.module.slate.key_and_prefix();
    call.module.scratch.lend(|areas| {
        let Areas { units, bytes, text: place, aad_units, aad: aad_bytes } = areas;
        // Both strings are read before the units of one are: for some time after V8 has written
        // them one by one, the CPU cannot load several at once.
        let aad_units = match call.count {
            ..=1 => &[],
            _ => units_at(call.env, call.argument(1), AAD, aad_units)?,
        };
        let units = units_at(call.env, call.argument(0), TEXT, units)?;
        let aad = utf8_of(aad_units, AAD, aad_bytes)?;
        sealed_text(call, key, prefix, units, aad, bytes, place)
    })
}

/// The base64url of the sealed value of the UTF-8 of `units`. The areas are for value and text.
#[inline(always)]
fn sealed_text<const N: usize, const B: usize, const T: usize>(
    call: &Call<N>,
    key: Handle<AnyKey>,
    prefix: Prefix,
    units: &[u16],
    aad: lanes::Bytes,
    bytes: &mut Area<u8, B>,
    text: &mut Area<u8, T>,
) -> Outcome {
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    let length = utf8_length(units);
    let encoded = call.module.objects.lend(key, |key| {
        let (at, whole) = sealed::place(key, prefix, length).ok_or(Error::MessageTooLong)?;
        let encoded = check_length(base64url::encoded(whole)).map_err(about_text)?;
        let room = bytes.take(base64url::bytes_room(encoded))?;
        let value = room.get_mut(..whole).unwrap_or(&mut []);
        if !write_utf8(units, value.get_mut(at).unwrap_or(&mut [])) {
            return Err(Refusal::of(Reason::Surrogate, TEXT));
        }
        // All that may refuse comes before the seal: callers repeat what was refused, and each seal
        // counts.
        let characters = text.take(base64url::text_room(encoded))?;
        sealed::seal_in_place(key, prefix, Cell::from_mut(value).as_slice_of_cells(), aad)?;
        base64url::encode(cpu, room, characters);
        Ok(characters.get(..encoded).unwrap_or(&[]))
    })?;
    ascii_string(call.env, encoded)
}

/// `openText(key, skip, sealed, aad)`: the text. The frame begins after `skip` bytes. A
/// text that is not base64url is a forgery.
fn open_text(call: &Call<4>) -> Outcome {
    let (key, skip, text, aad) = call.take((KEY, SKIP, JsString, TextOrBytes))?;
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    call.module.scratch.lend(|areas| {
        let Areas { units, bytes, text: place, aad_units, aad: aad_bytes } = areas;
        let aad = match aad {
            Aad::Text(aad) => utf8_of(units_at(call.env, aad, AAD, aad_units)?, AAD, aad_bytes)?,
            Aad::Bytes(aad) => aad.bytes,
        };
        let units = units_at(call.env, text, TEXT, units)?;
        let value = decoded_units(cpu, units, place, bytes)?;
        // A value of no bytes is a forgery for every key.
        opened_text(call, key, skip as usize, value.unwrap_or_default(), aad)
    })
}

/// The text of a sealed value.
#[inline(always)]
pub(super) fn opened_text<const N: usize>(
    call: &Call<N>,
    key: Handle<AnyKey>,
    skip: usize,
    value: &mut [u8],
    aad: lanes::Bytes,
) -> Outcome {
    let opened = call.module.objects.lend(key, |key| {
        let value = Cell::from_mut(&mut *value).as_slice_of_cells();
        Ok(sealed::open_in_place(key, skip, value, aad)?)
    })?;
    string_of(call.env, value.get(opened).unwrap_or(&[])).map_err(about_text)
}

/// The value whose base64url these units are; `None` for other units. The areas are for text and
/// value.
#[inline(always)]
fn decoded_units<'a, const T: usize, const B: usize>(
    cpu: Cpu,
    units: &[u16],
    text: &mut Area<u8, T>,
    bytes: &'a mut Area<u8, B>,
) -> Result<Option<&'a mut [u8]>, Refusal> {
    let characters = text.take(base64url::text_room(units.len()))?;
    if !narrow(units, characters.get_mut(..units.len()).unwrap_or(&mut [])) {
        return Ok(None);
    }
    base64url::pad(characters, units.len());
    decoded(cpu, characters, units.len(), bytes)
}

/// The value whose base64url this padded text of so many characters is; `None` for other texts.
#[inline(always)]
pub(super) fn decoded<'a, const B: usize>(
    cpu: Cpu,
    text: &[u8],
    characters: usize,
    bytes: &'a mut Area<u8, B>,
) -> Result<Option<&'a mut [u8]>, Refusal> {
    let room = bytes.take(base64url::bytes_room(characters))?;
    let exact = base64url::decode(cpu, text, characters, room);
    let value = room.get_mut(..base64url::decoded(characters));
    Ok(if exact { value } else { None })
}

pub(super) fn about_text(refusal: impl Into<Refusal>) -> Refusal {
    refusal.into().about(TEXT)
}
