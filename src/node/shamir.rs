//! The functions behind lib/protocols/shamir. A set is share after share; a form of shares has
//! fixed lengths.

use super::arguments::Bytes;
use super::bytes::Borrowed;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::scalars::{Flag, Whole};
use super::status::{Reason, Refusal};
use crate::backend::Cpu;
use crate::error::Error;
use crate::lanes::read;
use crate::protocol::shamir::element;
use crate::protocol::shamir::interpolate::Shares;
use crate::protocol::shamir::share::{self, Common, Set};
use crate::protocol::shamir::{MAX_SHARES, point, text};
use core::cell::Cell;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("sharesSplit", shares_split),
    callback!("sharesCombine", shares_combine),
    callback!("sharesLeaveOut", shares_leave_out),
    callback!("sharesLocate", shares_locate),
    callback!("sharesRecover", shares_recover),
    callback!("pointsSplit", points_split),
    callback!("pointsCombine", points_combine),
    callback!("pointsLocate", points_locate),
    callback!("pointsRecover", points_recover),
    callback!("encodeBase32", encode_base32),
    callback!("decodeBase32", decode_base32),
    callback!("encodeHex", encode_hex),
    callback!("decodeHex", decode_hex),
];

/// A number of shares, or the point of one.
const COUNT: Whole = Whole(1..=MAX_SHARES as u64);

/// `sharesSplit(secret, blind, check, threshold, target)`: fills `target` with shares at 1, 2, ….
fn shares_split(call: &Call<5>) -> Outcome {
    let (secret, blind, check, threshold, target) =
        call.take((Bytes, Bytes, Bytes, COUNT, Bytes))?;
    target.refuse_overlap(&[secret, blind, check])?;
    let common = Common {
        length: u8::try_from(secret.bytes.len()).map_err(|_| Error::InvalidSecretLength)?,
        threshold: threshold as u8,
        check: read(array(&check)?),
    };
    let (cpu, blind) = (best()?, array(&blind)?);
    call.module.generator.lend(|generator| {
        share::split(cpu, generator, secret.bytes, blind, &common, target.bytes)
    })?;
    Ok(Reply::DONE)
}

/// `sharesCombine(set, words)`: fills the 64 bytes of `words` with secret and blind, which the
/// caller must verify: the shares above the threshold agree, but errors of two may cancel out.
fn shares_combine(call: &Call<2>) -> Outcome {
    let (set, words) = call.take((Bytes, Bytes))?;
    words.refuse_overlap(&[set])?;
    let (set, words) = (parse_agreeing(&set)?, array(&words)?);
    share::write_words(words, &set.shares().secrets());
    Ok(Reply::DONE)
}

/// `sharesLeaveOut(set, words)`: as `sharesCombine` without the first share, then without the
/// second, and so on; 64 bytes each. There must be one share more than the threshold.
fn shares_leave_out(call: &Call<2>) -> Outcome {
    let (set, words) = call.take((Bytes, Bytes))?;
    words.refuse_overlap(&[set])?;
    let (set, (words, rest)) = (parse(&set)?, words.bytes.as_chunks());
    let each = set.shares().leave_each_out().ok_or(Refusal::of(Reason::Option, 0))?;
    if words.len() != set.shares().count() || !rest.is_empty() {
        return Err(Refusal::of(Reason::Option, 1));
    }
    for (to, left) in words.iter().zip(each) {
        share::write_words(to, &left);
    }
    Ok(Reply::DONE)
}

/// `sharesLocate(set, flags)`: sets a byte for each share, to 1 if the share is wrong. The number
/// of wrong shares; 0 if they cannot be located, or all shares agree.
fn shares_locate(call: &Call<2>) -> Outcome {
    let (set, flags) = call.take((Bytes, Bytes))?;
    flags.refuse_overlap(&[set])?;
    flag(parse(&set)?.shares(), &flags)
}

/// `sharesRecover(set, x, target)`: fills `target` with the share at `x` of a verified set.
fn shares_recover(call: &Call<3>) -> Outcome {
    let (set, x, target) = call.take((Bytes, COUNT, Bytes))?;
    target.refuse_overlap(&[set])?;
    parse(&set)?.write_share(x as u8, target.bytes)?;
    Ok(Reply::DONE)
}

/// `pointsSplit(secret, threshold, random, target)`: fills `target` with points and values.
fn points_split(call: &Call<4>) -> Outcome {
    let (secret, threshold, random, target) = call.take((Bytes, COUNT, Flag, Bytes))?;
    target.refuse_overlap(&[secret])?;
    let secret = secret.bytes.as_array().ok_or(Error::InvalidSecretLength)?;
    let cpu = best()?;
    call.module.generator.lend(|generator| {
        point::split(cpu, generator, secret, threshold as u8, random, target.bytes)
    })?;
    Ok(Reply::DONE)
}

/// `pointsCombine(set, threshold, secret)`: fills the 32 bytes of `secret`.
fn points_combine(call: &Call<3>) -> Outcome {
    let (set, threshold, secret) = call.take((Bytes, COUNT, Bytes))?;
    secret.refuse_overlap(&[set])?;
    let (shares, secret) = (agreeing(&set, threshold)?, array::<{ element::BYTES }>(&secret)?);
    let [word] = &*shares.secrets();
    element::write(secret, word);
    Ok(Reply::DONE)
}

/// `pointsLocate(set, threshold, flags)`: as `sharesLocate`.
fn points_locate(call: &Call<3>) -> Outcome {
    let (set, threshold, flags) = call.take((Bytes, COUNT, Bytes))?;
    flags.refuse_overlap(&[set])?;
    flag(&points(&set, threshold)?, &flags)
}

/// `pointsRecover(set, threshold, x, target)`: fills `target` with `x` and the value, 64 bytes.
fn points_recover(call: &Call<4>) -> Outcome {
    let (set, threshold, x, target) = call.take((Bytes, COUNT, Bytes, Bytes))?;
    target.refuse_overlap(&[set, x])?;
    point::write_share(&agreeing(&set, threshold)?, array(&x)?, array(&target)?)?;
    Ok(Reply::DONE)
}

/// `encodeBase32(bytes, digits)`: fills `digits`, 8 for each 5 bytes, rounded up.
fn encode_base32(call: &Call<2>) -> Outcome {
    let (bytes, digits) = call.take((Bytes, Bytes))?;
    digits.refuse_overlap(&[bytes])?;
    lengths(digits.bytes.len() == (bytes.bytes.len() * 8).div_ceil(5))?;
    text::encode_base32(bytes.bytes, digits.bytes);
    Ok(Reply::DONE)
}

/// `decodeBase32(digits, bytes)`: fills `bytes`; refuses, and leaves zeros, if one is no digit.
fn decode_base32(call: &Call<2>) -> Outcome {
    let (digits, bytes) = call.take((Bytes, Bytes))?;
    bytes.refuse_overlap(&[digits])?;
    lengths(digits.bytes.len() == (bytes.bytes.len() * 8).div_ceil(5))?;
    decoded(text::decode_base32(digits.bytes, bytes.bytes).into(), &bytes)
}

/// `encodeHex(bytes, digits)`: fills `digits`, 2 for each byte.
fn encode_hex(call: &Call<2>) -> Outcome {
    let (bytes, digits) = call.take((Bytes, Bytes))?;
    digits.refuse_overlap(&[bytes])?;
    lengths(digits.bytes.len() == bytes.bytes.len() * 2)?;
    text::encode_hex(bytes.bytes, digits.bytes);
    Ok(Reply::DONE)
}

/// `decodeHex(digits, bytes)`: fills `bytes`; refuses, and leaves zeros, if one is no digit.
fn decode_hex(call: &Call<2>) -> Outcome {
    let (digits, bytes) = call.take((Bytes, Bytes))?;
    bytes.refuse_overlap(&[digits])?;
    lengths(digits.bytes.len() == bytes.bytes.len() * 2)?;
    decoded(text::decode_hex(digits.bytes, bytes.bytes).into(), &bytes)
}

fn best() -> Result<Cpu, Refusal> {
    Ok(Cpu::best().ok_or(Error::UnsupportedCpu)?)
}

fn parse(set: &Borrowed) -> Result<Set, Refusal> {
    Ok(Set::parse(best()?, set.bytes)?)
}

/// Shares whose surplus over the threshold agrees with the others.
fn parse_agreeing(set: &Borrowed) -> Result<Set, Refusal> {
    let set = parse(set)?;
    if set.shares().agree() { Ok(set) } else { Err(Error::SharesDisagree.into()) }
}

fn points(set: &Borrowed, threshold: u64) -> Result<Shares<1>, Refusal> {
    Ok(point::parse(best()?, set.bytes, threshold as u8)?)
}

/// As `parse_agreeing`.
fn agreeing(set: &Borrowed, threshold: u64) -> Result<Shares<1>, Refusal> {
    let shares = points(set, threshold)?;
    if shares.agree() { Ok(shares) } else { Err(Error::SharesDisagree.into()) }
}

/// Marks the wrong shares, and counts them.
fn flag<const WORDS: usize>(shares: &Shares<WORDS>, flags: &Borrowed) -> Outcome {
    if flags.bytes.len() != shares.count() {
        return Err(Refusal::of(Reason::Option, flags.argument));
    }
    let wrong = shares.locate().unwrap_or_else(|| vec![false; shares.count()]);
    for (flag, wrong) in flags.bytes.iter().zip(&wrong) {
        flag.set(u8::from(*wrong));
    }
    Ok(Reply::Number(wrong.iter().filter(|wrong| **wrong).count() as f64))
}

/// An argument of a fixed length.
fn array<'a, const N: usize>(argument: &Borrowed<'a>) -> Result<&'a [Cell<u8>; N], Refusal> {
    argument.bytes.as_array().ok_or(Refusal::of(Reason::Option, argument.argument))
}

/// Refuses lengths that do not fit each other.
fn lengths(fit: bool) -> Result<(), Refusal> {
    if fit { Ok(()) } else { Err(Refusal::of(Reason::Option, 1)) }
}

fn decoded(valid: bool, bytes: &Borrowed) -> Outcome {
    if valid {
        return Ok(Reply::DONE);
    }
    bytes.bytes.iter().for_each(|byte| byte.set(0));
    Err(Error::InvalidText.into())
}
