//! Opens sealed values that are bound to a place, such as the row and column of a database: the
//! short way for texts and bytes. The additional data are made here, of a beginning that many
//! places share and the key of the row, so that `lib/` needs no memory for them.

use super::arguments::Bytes;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::scalars::Any;
use super::scratch::{Area, Areas};
use super::sealed_text::{about_text, decoded, named_value, opened_text};
use super::status::{Reason, Refusal};
use super::text::{replaced_utf8_of, short_utf8_of};
use crate::lanes;
use crate::protocol::{base64url, sealed};
use core::cell::Cell;

/// The functions that `validateWith` gives.
pub(super) const SHORT: &[(&str, Callback)] =
    &[callback!("openTextAt", open_text_at), callback!("openBytesAt", open_bytes_at)];

/// Characters of a UUID, and the places of its hyphens (RFC 9562 section 4).
const UUID: usize = 36;
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
/// The bit that small letters, digits and hyphens of ASCII have, and capitals lack.
const SMALL: u8 = 0x20;

/// `openTextAt(sealed, head, rowKey)`: as `openTextShortly`, with the additional data of a place.
/// Another refusal than that of a forgery means that the call at length decides.
fn open_text_at(call: &Call<3>) -> Outcome {
    let (key, prefix) = call.module.slate.key_and_prefix();
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    call.module.scratch.lend(|areas| {
        let Areas { bytes, text: characters, aad, .. } = areas;
        // As in `openTextShortly`.
        let length =
            replaced_utf8_of(call.env, call.argument(0), characters).map_err(about_text)?;
        let characters = characters.first(base64url::text_room(length));
        base64url::pad(characters, length);
        let aad = aad_at(call, 1, aad)?;
        let value = decoded(cpu, characters, length, bytes)?;
        let value = named_value(cpu, prefix, characters, length, value)?;
        opened_text(call, key, prefix.bytes(), value, aad)
    })
}

/// `openBytesAt(target, sealed, head, rowKey)`: as `openTextInto`, with the key and the prefix on
/// the slate, and the additional data of a place. Refusals are as in `openTextAt`.
fn open_bytes_at(call: &Call<4>) -> Outcome {
    // Before the arguments, whose inspection may run JavaScript, which may write on the slate.
    let (key, prefix) = call.module.slate.key_and_prefix();
    let (target, text, _, _) = call.take((Bytes, Any, Any, Any))?;
    let cpu = call.module.cpu.ok_or(Reason::Internal)?;
    call.module.scratch.lend(|areas| {
        let Areas { bytes, text: characters, aad, .. } = areas;
        let length = replaced_utf8_of(call.env, text, characters).map_err(about_text)?;
        let characters = characters.first(base64url::text_room(length));
        base64url::pad(characters, length);
        let aad = aad_at(call, 2, aad)?;
        let value = decoded(cpu, characters, length, bytes)?;
        let value = value.filter(|value| prefix.begins(value)).ok_or(Reason::NotText)?;
        let value = Cell::from_mut(value).as_slice_of_cells();
        call.module.objects.lend(key, |key| {
            let written = sealed::open_into(key, prefix.bytes(), target.bytes, value, aad)?;
            Ok(Reply::Number(written as f64))
        })
    })
}

/// The additional data of a place: the argument at `at` and then, if it is given, the key of the
/// row after its length, as `context` of `lib/` encodes its last part. A UUID is bound in small
/// letters. Refuses strings as `short_utf8_of` does.
#[inline(always)]
fn aad_at<'a, const N: usize, const M: usize>(
    call: &Call<N>,
    at: usize,
    area: &'a mut Area<u8, M>,
) -> Result<lanes::Bytes<'a>, Refusal> {
    let mut end = short_utf8_of(call.env, call.argument(at), area, 0)?;
    if call.count > at + 1 {
        let start = end + size_of::<u64>();
        let head = end;
        end = short_utf8_of(call.env, call.argument(at + 1), area, start)?;
        let bytes = area.first(end);
        let (before, key) = bytes.split_at_mut_checked(start).ok_or(Reason::Internal)?;
        if key.iter().fold(SMALL, |all, byte| all & byte) == 0 && is_uuid(key) {
            key.make_ascii_lowercase();
        }
        let length = before.get_mut(head..).and_then(<[u8]>::as_mut_array);
        *length.ok_or(Reason::Internal)? = (key.len() as u64).to_le_bytes();
    }
    Ok(Cell::from_mut(area.first(end)).as_slice_of_cells())
}

/// Whether a text is a UUID; lib/values/columns/uuid.cts has the same rule.
fn is_uuid(text: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| {
        if HYPHENS.contains(&at) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    text.len() == UUID && text.iter().enumerate().all(fits)
}
