//! What a generator tells of itself.

use super::health::Fault;
use crate::hw::entropy::{Entropy, Machine};

/// Why the generator was last seeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It was used for the first time.
    FirstUse,
    /// It had given 1 GiB.
    Bytes,
    /// Ten minutes were over.
    Time,
    /// The generation changed: this process may be a copy, or somebody asked for it in another thread.
    Generation,
    /// Somebody asked for it.
    Request,
}

/// What is known of the CPU's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// There is none.
    Absent,
    /// It was never asked.
    Untested,
    /// It passes, and the start-up tests are not over: nothing of it is used.
    Testing,
    /// It passes.
    Healthy,
    /// It failed, and is not asked again.
    Dropped(Fault),
}

impl Source {
    /// What is known of it before there is a generator.
    pub fn of_this_machine() -> Self {
        if Machine::new().cpu().is_some() { Self::Untested } else { Self::Absent }
    }
}

/// What a generator can tell of itself.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Seedings so far.
    pub seedings: u64,
    /// The cause of the last; none before the first.
    pub cause: Option<Cause>,
    /// Whether the CPU's source had a part in the last.
    pub cpu_used: bool,
    /// The state of the CPU's source.
    pub source: Source,
    /// Words of it that were tested.
    pub words: u64,
    /// Bytes given since the last seeding.
    pub bytes: u64,
    /// Seconds since the last seeding.
    pub seconds: u64,
}
