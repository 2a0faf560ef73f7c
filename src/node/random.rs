//! The functions behind lib/cipher/machine/random.cts. `random` and `reseed` return 1 if the CPU's
//! source was dropped since the last such call that succeeded, otherwise 0.

use super::arguments::Bytes;
use super::call::{Call, Callback, Outcome, Reply, callback};
use super::random_info;
use crate::error::Error;
use crate::hw::fork;
use crate::rng::Generator;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] =
    &[callback!("random", random), callback!("reseed", reseed), callback!("randomInfo", info)];

/// `random(target)`: fills `target`.
fn random(call: &Call<1>) -> Outcome {
    let (target,) = call.take((Bytes,))?;
    lend(call, |generator| generator.fill(target.bytes))
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

/// `randomInfo()`: the object that index.d.ts describes, as JSON.
fn info(call: &Call<0>) -> Outcome {
    call.text(&random_info::describe(call.module.generator.report(), fork::means()))
}
