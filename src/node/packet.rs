//! The functions behind the class `PacketProtection`.

use super::Module;
use super::arguments::Bytes;
use super::bytes::Borrowed;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::cpu::chosen;
use super::lists::{Ends, EndsOrLength};
use super::objects::{Handle, account_for};
use super::scalars::{ARENA, Optional, PACKETS, Scalar, Whole};
use super::status::{Reason, Refusal};
use crate::key::nonce::{self, Nonce};
use crate::key::ranges::Ranges;
use crate::lanes::{read, write};
use crate::protocol::packet::{
    Counts, Limits, MAX_FAILURES, MAX_NUMBER, MAX_PACKETS, PhaseKeys, Protection,
};
use crate::secret::SecretKey;
use core::num::NonZeroUsize;
use napi::sys;
use zeroize::Zeroizing;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[
    callback!("packetCreate", create),
    callback!("packetSetNext", set_next),
    callback!("packetDestroy", destroy),
    callback!("packetIsDestroyed", is_destroyed),
    callback!("packetsSealed", packets_sealed),
    callback!("failedOpens", failed_opens),
    callback!("keyUpdates", key_updates),
    callback!("packetSeal", seal),
    callback!("packetSealRun", seal_run),
    callback!("packetOpen", open),
    callback!("packetOpenRun", open_run),
    callback!("packetMask", mask),
];

/// The result of `packetOpen` for a packet to drop, which no packet number has.
const DROPPED: f64 = (1u64 << 53) as f64;
/// Numbers of bytes: any that JavaScript can count.
const LENGTHS: Whole = Whole(0..=1 << 53);
const OFFSET: Whole = Whole(1..=1 << 53);
const NUMBER: Whole = Whole(0..=MAX_NUMBER);
const PATH: Optional<Whole> = Optional(Whole(0..=u32::MAX as u64));
/// The position of the packet or the packets.
const PACKET: usize = 1;
/// The position of the ends of a run.
const ENDS: usize = 2;
/// The position of the arena of `packetSetNext`.
const ARENA_AT: usize = 3;
/// The position of the numbers that `packetOpenRun` fills in.
const NUMBERS: usize = 6;

/// `packetCreate(backend, key, iv, headerKey, phase, maxPackets, maxFailures, failures, arena)`: an
/// External. `backend` is as in `create`; `phase` is the Key Phase bit of the keys.
fn create(call: &Call<9>) -> Outcome {
    let (backend, key, iv, header, phase, packets, most_failures, failures, arena) =
        call.take((
            LENGTHS,
            Bytes,
            Bytes,
            Bytes,
            Whole(0..=1),
            Whole(0..=MAX_PACKETS),
            Whole(1..=MAX_FAILURES),
            Whole(0..=MAX_FAILURES),
            Optional(ARENA),
        ))?;
    let cpu = chosen(backend)?;
    let limits = Limits { packets, failures: most_failures };
    let (secret, iv) = (SecretKey::copy(key.bytes)?, nonce(&iv)?);
    let header = SecretKey::copy(header.bytes)?;
    let made = call.module.lend_arena(arena, |arena| {
        let keys = PhaseKeys::new(cpu, &secret, *iv, arena)?;
        Ok(Protection::new(cpu, keys, &header, phase == 1, limits, failures, arena)?)
    })?;
    call.module.objects.keep(call.env, made, arena)
}

/// `packetSetNext(packets, key, iv, arena)`: holds the keys of the next key phase, instead of the
/// previous ones. `arena` is the one passed to `packetCreate`.
fn set_next(call: &Call<4>) -> Outcome {
    let (packets, key, iv, arena) = call.take((PACKETS, Bytes, Bytes, Optional(ARENA)))?;
    let cpu = call.module.objects.lend(packets, |packets| Ok(packets.cpu()?))?;
    if let Some(arena) = arena
        && !call.module.objects.lives_in(packets, arena)?
    {
        return Err(Refusal::of(Reason::Option, ARENA_AT));
    }
    let (secret, iv) = (SecretKey::copy(key.bytes)?, nonce(&iv)?);
    let next =
        call.module.lend_arena(arena, |arena| Ok(PhaseKeys::new(cpu, &secret, *iv, arena)?))?;
    let more = call.module.objects.lend(packets, |packets| {
        let before = packets.state_bytes();
        packets.set_next(next)?;
        Ok(packets.state_bytes() as i64 - before as i64)
    })?;
    account_for(call.env, more);
    Ok(Reply::DONE)
}

fn nonce(iv: &Borrowed) -> Result<Zeroizing<Nonce>, Refusal> {
    Ok(Zeroizing::new(nonce::parse(iv.bytes)?))
}

/// `packetDestroy(packets)`.
fn destroy(call: &Call<1>) -> Outcome {
    let (packets,) = call.take((PACKETS,))?;
    let bytes = call.module.objects.lend(packets, |packets| {
        let bytes = packets.state_bytes();
        packets.destroy();
        Ok(bytes)
    })?;
    account_for(call.env, -(bytes as i64));
    Ok(Reply::DONE)
}

/// `packetIsDestroyed(packets)`.
fn is_destroyed(call: &Call<1>) -> Outcome {
    let (packets,) = call.take((PACKETS,))?;
    call.module.objects.lend(packets, |packets| Ok(Reply::Flag(packets.is_destroyed())))
}

/// `packetsSealed(packets)`.
fn packets_sealed(call: &Call<1>) -> Outcome {
    count(call, |counts| counts.packets)
}

/// `failedOpens(packets)`.
fn failed_opens(call: &Call<1>) -> Outcome {
    count(call, |counts| counts.failures)
}

/// `keyUpdates(packets)`.
fn key_updates(call: &Call<1>) -> Outcome {
    count(call, |counts| counts.updates)
}

fn count(call: &Call<1>, which: impl FnOnce(Counts) -> u64) -> Outcome {
    let (packets,) = call.take((PACKETS,))?;
    call.module.objects.lend(packets, |packets| Ok(Reply::Number(which(packets.counts()) as f64)))
}

/// `packetSeal(packets, packet, headerLength, packetNumber, pathId)`.
fn seal(call: &Call<5>) -> Outcome {
    let (packets, packet, header, number, path) =
        call.take((PACKETS, Bytes, LENGTHS, NUMBER, PATH))?;
    seal_all(call.module, packets, Ranges::one(packet.bytes), header, number, path)
}

/// `packetSealRun(packets, run, ends, headerLength, firstPacketNumber, pathId)`.
fn seal_run(call: &Call<6>) -> Outcome {
    let (packets, run, ends, header, first, path) =
        call.take((PACKETS, Bytes, EndsOrLength, LENGTHS, NUMBER, PATH))?;
    seal_all(call.module, packets, ranges(&run, &ends)?, header, first, path)
}

fn seal_all(
    module: &Module,
    packets: Handle<Protection>,
    run: Ranges,
    header: u64,
    number: u64,
    path: Option<u64>,
) -> Outcome {
    let header = usize::try_from(header).unwrap_or(usize::MAX);
    module.objects.lend(packets, |packets| {
        let sealed = packets.seal(run, header, number, id(path));
        sealed.map_err(|error| Refusal::from(error).about(PACKET))
    })?;
    Ok(Reply::DONE)
}

/// `packetOpen(packets, packet, numberOffset, largestReceived, pathId)`: the number or [`DROPPED`].
fn open(call: &Call<5>) -> Outcome {
    let (packets, packet, number_at, largest, path) =
        call.take((PACKETS, Bytes, OFFSET, NumberOrNone, PATH))?;
    let number_at = offset(number_at)?;
    let number = call.module.objects.lend(packets, |packets| {
        let opened = packets.open_one(packet.bytes, number_at, largest, id(path));
        opened.map_err(|error| Refusal::from(error).about(PACKET))
    })?;
    Ok(Reply::Number(number.map_or(DROPPED, |number| number as f64)))
}

/// `packetOpenRun(packets, run, ends, packetNumberOffset, largestReceived, pathId, numbers)`: fills
/// `numbers`, eight bytes for each packet, with packet numbers as doubles; -1 for a packet to drop.
fn open_run(call: &Call<7>) -> Outcome {
    let (packets, run, ends, number_at, largest, path, numbers) =
        call.take((PACKETS, Bytes, EndsOrLength, OFFSET, NumberOrNone, PATH, Bytes))?;
    numbers.refuse_overlap(&[run])?;
    let run = ranges(&run, &ends)?;
    let (numbers, rest) = numbers.bytes.as_chunks::<8>();
    if numbers.len() != run.count() || !rest.is_empty() {
        return Err(Refusal::of(Reason::Option, NUMBERS));
    }
    let (mut numbers, number_at) = (numbers.iter(), offset(number_at)?);
    call.module.objects.lend(packets, |packets| {
        let opened = packets.open(run, number_at, largest, id(path), |opened| {
            if let Some(to) = numbers.next() {
                write(to, &opened.map_or(-1.0, |number| number as f64).to_ne_bytes());
            }
        });
        opened.map_err(|error| Refusal::from(error).about(PACKET))
    })?;
    Ok(Reply::DONE)
}

/// An offset that `OFFSET` has accepted.
fn offset(number_at: u64) -> Result<NonZeroUsize, Refusal> {
    let number_at = usize::try_from(number_at).ok().and_then(NonZeroUsize::new);
    number_at.ok_or(Refusal::of(Reason::Option, PACKET))
}

/// `packetMask(packets, sample)`: replaces the 16 bytes of `sample` by the mask.
fn mask(call: &Call<2>) -> Outcome {
    let (packets, sample) = call.take((PACKETS, Bytes))?;
    let sample = sample.bytes.as_array().ok_or(Refusal::of(Reason::Option, PACKET))?;
    let mask = call.module.objects.lend(packets, |packets| Ok(packets.mask(read(sample))?))?;
    write(sample, &mask);
    Ok(Reply::DONE)
}

/// The packets of a run.
fn ranges<'a>(run: &Borrowed<'a>, ends: &'a Ends) -> Result<Ranges<'a>, Refusal> {
    ends.ranges(run.bytes).map_err(|error| Refusal::from(error).about(ENDS))
}

/// The id of a path. A connection with one path has path 0.
fn id(path: Option<u64>) -> u32 {
    path.unwrap_or(0) as u32
}

/// A packet number, or -1 for no number.
struct NumberOrNone;

impl Scalar for NumberOrNone {
    type Value = Option<u64>;

    fn read(&self, env: sys::napi_env, value: sys::napi_value) -> Result<Option<u64>, Reason> {
        let mut number = f64::NAN;
        // SAFETY: `env` is live and `value` a value of the running callback.
        unsafe { sys::napi_get_value_double(env, value, &mut number) };
        if number == -1.0 { Ok(None) } else { NUMBER.read(env, value).map(Some) }
    }
}
