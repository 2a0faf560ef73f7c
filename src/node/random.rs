//! The functions behind `randomBytes` and its kind. On success they return 1 if the CPU's source was dropped during the
//! call, and 0 otherwise.

use super::call::{Call, Callback, Reply, callback};
use super::status::{Reason, Refusal};
use crate::error::Error;
use crate::hw::fork;
use crate::rng::Generator;
use crate::rng::health::Fault;
use crate::rng::report::{Cause, Source};

/// What `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] =
    &[callback!("random", random), callback!("reseed", reseed), callback!("randomInfo", info)];

type Outcome = Result<Reply, Refusal>;

/// `random(target)`: fills it.
fn random(call: &Call<1>) -> Outcome {
    // Named as if a handle came before it, as everywhere.
    let target = call.module.views.inspect(call.env, call.argument(0), 1)?;
    // SAFETY: this callback is running, and runs no JavaScript from here on.
    let target = unsafe { target.borrow(call.env, target.stale) }?.bytes;
    lend(call, |generator| generator.fill(target))
}

/// `reseed()`: a new generation for the process, and a new seed here.
fn reseed(call: &Call<0>) -> Outcome {
    fork::renew();
    lend(call, Generator::reseed)
}

fn lend<const N: usize>(
    call: &Call<N>,
    body: impl FnOnce(&mut Generator) -> Result<(), Error>,
) -> Outcome {
    let dropped = call.module.generator.lend(|generator| {
        body(generator)?;
        Ok(generator.take_drop_notice())
    })?;
    Ok(Reply::Number(f64::from(u8::from(dropped))))
}

/// `randomInfo(which)`. Seedings (0); cause of the last (1); whether the CPU's source was part of it (2); that source's
/// state (3), why it was dropped (4), words tested of it (5); bytes (6) and seconds (7) since the last seeding; how
/// forks are noticed (8), and restored virtual machines (9). The numbers of names are the order below, from 0.
fn info(call: &Call<1>) -> Outcome {
    let which = call.number(0)?;
    let report = call.module.generator.report();
    let seeded = report.filter(|report| report.cause.is_some());
    let means = fork::means();
    let number = match which {
        0 => report.map_or(0, |report| report.seedings),
        1 => match report.and_then(|report| report.cause) {
            None => 0,
            Some(Cause::FirstUse) => 1,
            Some(Cause::Bytes) => 2,
            Some(Cause::Time) => 3,
            Some(Cause::Generation) => 4,
            Some(Cause::Request) => 5,
        },
        2 => report.map_or(0, |report| u64::from(report.cpu_used)),
        3 => match report.map_or_else(Source::of_this_machine, |report| report.source) {
            Source::Absent => 0,
            Source::Untested => 1,
            Source::Testing => 2,
            Source::Healthy => 3,
            Source::Dropped(_) => 4,
        },
        4 => match report.map(|report| report.source) {
            Some(Source::Dropped(Fault::Repeated)) => 1,
            Some(Source::Dropped(Fault::Recurring)) => 2,
            Some(Source::Dropped(Fault::Stuck)) => 3,
            Some(Source::Dropped(Fault::Silent)) => 4,
            _ => 0,
        },
        5 => report.map_or(0, |report| report.words),
        6 => seeded.map_or(0, |report| report.bytes),
        7 => seeded.map_or(0, |report| report.seconds),
        8 => means.map_or(0, |means| 1 + u64::from(means.page)),
        9 => match means.and_then(|means| means.device) {
            Some("/dev/sysgenid") => 1,
            Some(_) => 2,
            None => 0,
        },
        _ => return Err(Refusal::of(Reason::Option, 0)),
    };
    Ok(Reply::Number(number as f64))
}
