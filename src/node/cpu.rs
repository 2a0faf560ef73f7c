//! The function behind `cpu()`, and the choice of a backend.

use super::call::{Call, Callback, Outcome, callback};
use super::status::{Reason, Refusal};
use crate::backend::{Cpu, NAMES, features};
use crate::error::Error;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[callback!("cpuFeatures", cpu_features)];

/// `cpuFeatures()`: the CPU features that backends of this architecture need, and whether this CPU
/// has each. As JSON, for the reason in `random_info`.
fn cpu_features(call: &Call<0>) -> Outcome {
    let facts: Vec<_> =
        features().into_iter().map(|(name, present)| format!(r#""{name}":{present}"#)).collect();
    call.text(&format!("{{{}}}", facts.join(",")))
}

/// The backend at a position in `backend::NAMES`; past the end, the best backend of this CPU.
pub(super) fn chosen(backend: u64) -> Result<Cpu, Refusal> {
    match NAMES.get(usize::try_from(backend).unwrap_or(usize::MAX)) {
        Some(name) => Ok(Cpu::named(name).ok_or(Reason::BackendUnavailable)?),
        None => Ok(Cpu::best().ok_or(Error::UnsupportedCpu)?),
    }
}
