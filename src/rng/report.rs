//! The report of a generator's state: its seedings and the CPU's source.

use super::health::Fault;
use crate::hw::entropy::{Entropy, Machine};

/// Why the generator was last seeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The generator was used for the first time.
    FirstUse,
    /// The last seed had given 1 GiB.
    Bytes,
    /// The last seed was ten minutes old.
    Time,
    /// A fork wiped the pool; or another or unknown [generation](crate::hw::fork::generation): this
    /// process may be a copy, or another thread called `reseed`.
    Generation,
    /// This thread called `reseed`.
    Request,
}

/// The state of the CPU's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This CPU has no such source.
    Absent,
    /// The source was never asked.
    Untested,
    /// All words so far passed, but the start-up tests are not over.
    Testing,
    /// The source passed the start-up tests and every test since.
    Healthy,
    /// The source failed and is not asked again.
    Dropped(Fault),
}

impl Source {
    /// The state before a generator exists.
    pub fn of_this_machine() -> Self {
        if Machine::new().cpu().is_some() { Self::Untested } else { Self::Absent }
    }
}

/// The state of a generator.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Seedings so far.
    pub seedings: u64,
    /// The cause of the last seeding; `None` before the first.
    pub cause: Option<Cause>,
    /// Whether the last seed has words of the CPU's source.
    pub cpu_used: bool,
    /// The state of the CPU's source.
    pub source: Source,
    /// Words of the CPU's source that were tested.
    pub words: u64,
    /// Bytes given since the last seeding.
    pub bytes: u64,
    /// Seconds since the last seeding.
    pub seconds: u64,
}
