//! The function behind `cpu()`.

use super::call::{Call, Callback, Outcome, callback};
use crate::backend::features;

/// The functions that `init` registers.
pub(super) const FUNCTIONS: &[(&str, Callback)] = &[callback!("cpuFeatures", cpu_features)];

/// `cpuFeatures()`: the CPU features that backends of this architecture need, and whether this CPU has each. As JSON, for
/// the reason in `random_info`.
fn cpu_features(call: &Call<0>) -> Outcome {
    let facts: Vec<_> =
        features().into_iter().map(|(name, present)| format!(r#""{name}":{present}"#)).collect();
    call.text(&format!("{{{}}}", facts.join(",")))
}
