//! The function that switches the faults of `crate::faults`, in test builds alone.

use super::call::{Call, Callback, Outcome, Reply, callback};
use super::scalars::{Any, Flag};
use super::status::{Reason, Refusal};
use crate::faults;
use napi::sys;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[callback!("fault", fault)];

/// `fault(name, on)`: turns a fault on or off for the whole process.
fn fault(call: &Call<2>) -> Outcome {
    let (text, on) = call.take((Any, Flag))?;
    let (mut name, mut length) = ([0_u8; 32], 0);
    // SAFETY: `env` is live, and `name` has room for as many bytes as it says.
    let found = unsafe {
        let to = name.as_mut_ptr().cast();
        sys::napi_get_value_string_utf8(call.env, text, to, name.len(), &mut length)
    };
    let name = name.get(..length).filter(|_| found == sys::Status::napi_ok);
    let switch = faults::ALL.iter().find(|switch| Some(switch.name.as_bytes()) == name);
    switch.ok_or(Refusal::of(Reason::Option, 0))?.turn(on);
    Ok(Reply::DONE)
}
