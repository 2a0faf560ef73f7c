//! Opens sealed texts by the short way: the key and the prefix are on the slate. A place, such as
//! the row and column of a database, comes as a beginning that many places share and the key of the
//! row, so that `lib/` needs no memory for the additional data.

use super::arguments::Bytes;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::scalars::Any;
use super::scratch::{Area, Areas};
use super::sealed_text::{AAD, about_text, decoded, opened_text};
use super::status::{Reason, Refusal};
use super::text::{replaced_utf8_of, short_utf8_of, utf8_at};
use crate::backend::Cpu;
use crate::backend::base64url::CHARACTERS;
use crate::lanes;
use crate::protocol::sealed::Prefix;
use crate::protocol::{base64url, sealed};
use core::cell::Cell;
use napi::sys;

/// The functions that `validateWith` returns.
pub(super) const SHORT: &[(&str, Callback)] = &[
    callback!("openTextShortly", open_text_shortly),
    callback!("openBytesShortly", open_bytes_shortly),
];

/// Characters of a UUID, and the places of its hyphens (RFC 9562 section 4).
const UUID: usize = 36;
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
/// The bit that small letters, digits and hyphens of ASCII have, and capitals lack.
const SMALL: u8 = 0x20;

/// `openTextShortly(text, aad, rowKey)`: as `openText`, with the key and the prefix on the slate.
/// `aad` is a string or missing; with a `rowKey`, both are a place. A text whose first characters
/// do not name the prefix is refused as no text. Other refusals have the reason of `openText`, but
/// not its argument.
fn open_text_shortly(call: &Call<3>) -> Outcome {
    let (key, prefix) = call.module.slate.key_and_prefix();
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    call.module.scratch.lend(|areas| {
        let Areas { bytes, text, aad_units, aad, .. } = areas;
        let (characters, length) = characters_of(call, call.argument(0), text)?;
        let aad = aad_at(call, 1, aad_units, aad)?;
        let value = decoded(cpu, characters, length, bytes)?;
        let value = named_value(cpu, prefix, characters, length, value)?;
        opened_text(call, key, prefix.bytes(), value, aad)
    })
}

/// `openBytesShortly(target, text, aad, rowKey)`: as `openIntoShortly`, for the base64url of a
/// value and the additional data of `openTextShortly`. The key does not see another text.
fn open_bytes_shortly(call: &Call<4>) -> Outcome {
    // Before the arguments, whose inspection may run JavaScript, which may write on the slate.
    let (key, prefix) = call.module.slate.key_and_prefix();
    let (target, text, _, _) = call.take((Bytes, Any, Any, Any))?;
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    call.module.scratch.lend(|areas| {
        let Areas { bytes, text: place, aad_units, aad, .. } = areas;
        let (characters, length) = characters_of(call, text, place)?;
        let aad = aad_at(call, 2, aad_units, aad)?;
        let value = decoded(cpu, characters, length, bytes)?;
        let value = value.filter(|value| prefix.begins(value)).ok_or(Reason::NotText)?;
        let value = Cell::from_mut(value).as_slice_of_cells();
        call.module.objects.lend(key, |key| {
            let written = sealed::open_into(key, prefix.bytes(), target.bytes, value, aad)?;
            Ok(Reply::Number(written as f64))
        })
    })
}

/// The characters of a sealed text, padded for the decoder, and how many they are without that.
#[inline(always)]
fn characters_of<'a, const N: usize, const T: usize>(
    call: &Call<N>,
    text: sys::napi_value,
    area: &'a mut Area<u8, T>,
) -> Result<(&'a mut [u8], usize), Refusal> {
    // The UTF-8 of any other character has no byte of the alphabet.
    let length = replaced_utf8_of(call.env, text, area).map_err(about_text)?;
    let characters = area.first(base64url::text_room(length));
    // Before the additional data are read, and so some time before the decoder.
    base64url::pad(characters, length);
    Ok((characters, length))
}

/// The additional data of a short call: no argument from `at` on, a string, or the two of a place.
#[inline(always)]
fn aad_at<'a, const N: usize, const U: usize, const M: usize>(
    call: &Call<N>,
    at: usize,
    units: &mut Area<u16, U>,
    bytes: &'a mut Area<u8, M>,
) -> Result<lanes::Bytes<'a>, Refusal> {
    match call.count.saturating_sub(at) {
        0 => Ok(&[]),
        1 => utf8_at(call.env, call.argument(at), AAD, units, bytes),
        _ => place_at(call, at, bytes),
    }
}

/// The additional data of a place: the argument at `at`, and the next one, the key of the row,
/// after its length, as `context` of `lib/` encodes its last part. A UUID is bound in small
/// letters. Refuses strings as `short_utf8_of` does.
#[inline(always)]
fn place_at<'a, const N: usize, const M: usize>(
    call: &Call<N>,
    at: usize,
    area: &'a mut Area<u8, M>,
) -> Result<lanes::Bytes<'a>, Refusal> {
    let head = short_utf8_of(call.env, call.argument(at), area, 0)?;
    let start = head + size_of::<u64>();
    let end = short_utf8_of(call.env, call.argument(at + 1), area, start)?;
    let bytes = area.first(end);
    let (before, key) = bytes.split_at_mut_checked(start).ok_or(Reason::Internal)?;
    if key.iter().fold(SMALL, |all, byte| all & byte) == 0 && is_uuid(key) {
        key.make_ascii_lowercase();
    }
    let length = before.get_mut(head..).and_then(<[u8]>::as_mut_array);
    *length.ok_or(Reason::Internal)? = (key.len() as u64).to_le_bytes();
    Ok(Cell::from_mut(bytes).as_slice_of_cells())
}

/// Whether a text is a UUID; lib/values/columns/uuid.cts has the same rule.
fn is_uuid(text: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| {
        if HYPHENS.contains(&at) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    text.len() == UUID && text.iter().enumerate().all(fits)
}

/// The value of a text, which is empty if the text is not base64url: a forgery for every key.
/// Refuses a text whose first characters do not name the prefix.
#[inline(always)]
fn named_value<'a>(
    cpu: Cpu,
    prefix: Prefix,
    text: &[u8],
    characters: usize,
    value: Option<&'a mut [u8]>,
) -> Result<&'a mut [u8], Refusal> {
    let value = value.unwrap_or_default();
    if prefix.begins(value) || names(cpu, prefix, text.get(..characters).unwrap_or(&[])) {
        Ok(value)
    } else {
        Err(Reason::NotText.into())
    }
}

/// Whether the first characters of a text name a prefix, whatever the others are.
#[cold]
#[inline(never)]
fn names(cpu: Cpu, prefix: Prefix, text: &[u8]) -> bool {
    let count = base64url::encoded(prefix.bytes()).unwrap_or(0);
    let (mut group, mut bytes) = ([b'A'; CHARACTERS], [0; CHARACTERS]);
    let (Some(from), Some(to)) = (text.get(..count), group.get_mut(..count)) else { return false };
    to.copy_from_slice(from);
    base64url::decode(cpu, &group, CHARACTERS, &mut bytes) && prefix.begins(&bytes)
}
