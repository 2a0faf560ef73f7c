//! The function behind `cpu()`.

use super::call::{Call, Callback, Outcome, callback};
use crate::backend::features;

/// What `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[callback!("cpuFeatures", cpu_features)];

/// `cpuFeatures()`: the CPU features that backends of this architecture need, and whether each is there, as JSON (see
/// `random_info`).
fn cpu_features(call: &Call<0>) -> Outcome {
    let facts: Vec<_> =
        features().into_iter().map(|(name, present)| format!(r#""{name}":{present}"#)).collect();
    call.text(&format!("{{{}}}", facts.join(",")))
}
