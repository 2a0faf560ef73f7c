//! When a generator must be seeded, and the facts about its last seeding that decide this.

use super::report::Cause;
use crate::hw::entropy::Entropy;
use crate::hw::fork;
use crate::hw::intact::Intact;

/// Output limit per seed, in bytes.
pub const BYTES_PER_SEED: u64 = 1 << 30;
/// The longest that one seed is used, in seconds.
pub const SECONDS_PER_SEED: u64 = 600;

/// The seedings of a generator so far.
pub(super) struct Seedings {
    pub(super) count: u64,
    /// The cause of the last seeding that succeeded.
    pub(super) last_cause: Option<Cause>,
    /// The cause of a seeding that has not succeeded yet.
    pending: Option<Cause>,
    /// The generation of the process in which the last seeding began.
    generation: u64,
    /// When the last seeding ended, in seconds of [`Entropy::seconds`].
    ended_at: u64,
    /// Bytes given since the last seeding.
    pub(super) bytes: u64,
}

impl Seedings {
    /// The first seeding is due at the first use.
    pub(super) fn new() -> Self {
        Self {
            count: 0,
            last_cause: None,
            pending: Some(Cause::FirstUse),
            generation: fork::UNKNOWN,
            ended_at: 0,
            bytes: 0,
        }
    }

    /// The cause for which a seeding is due; `None` where the seed may still be used.
    pub(super) fn due(&self, intact: &Intact, entropy: &impl Entropy) -> Option<Cause> {
        self.due_in(fork::generation(), intact.holds(), entropy)
    }

    fn due_in(&self, generation: u64, intact: bool, entropy: &impl Entropy) -> Option<Cause> {
        if self.pending.is_some() {
            self.pending
        } else if generation != self.generation || generation == fork::UNKNOWN || !intact {
            Some(Cause::Generation)
        } else if self.bytes >= BYTES_PER_SEED {
            Some(Cause::Bytes)
        } else if self.age(entropy) >= SECONDS_PER_SEED {
            Some(Cause::Time)
        } else {
            None
        }
    }

    /// Makes a seeding due until it succeeds. Returns the generation in which it begins, for
    /// [`succeed`](Self::succeed): if it changes meanwhile, [`due`](Self::due) finds another.
    pub(super) fn begin(&mut self, cause: Cause) -> u64 {
        self.pending = Some(cause);
        fork::generation()
    }

    /// Records that the seeding that began in `generation` succeeded.
    pub(super) fn succeed(&mut self, generation: u64, entropy: &impl Entropy) {
        self.generation = generation;
        self.ended_at = entropy.seconds();
        self.bytes = 0;
        self.count += 1;
        self.last_cause = self.pending.take();
    }

    /// Remaining output of the seed, in bytes.
    pub(super) fn bytes_left(&self) -> usize {
        usize::try_from(BYTES_PER_SEED.saturating_sub(self.bytes)).unwrap_or(usize::MAX)
    }

    /// Seconds since the last seeding.
    pub(super) fn age(&self, entropy: &impl Entropy) -> u64 {
        entropy.seconds().saturating_sub(self.ended_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hw::entropy::Machine;

    /// Facts of an old seed make a seeding due, each without the others.
    #[test]
    fn a_seeding_is_due_after_a_copy_or_a_wipe() {
        let machine = Machine::new();
        let seeded_in = |generation| {
            let mut seedings = Seedings::new();
            seedings.succeed(generation, &machine);
            seedings
        };
        assert_eq!(seeded_in(7).due_in(7, true, &machine), None, "the seed may still be used");
        assert_eq!(
            seeded_in(7).due_in(8, true, &machine),
            Some(Cause::Generation),
            "another generation"
        );
        assert_eq!(
            seeded_in(7).due_in(7, false, &machine),
            Some(Cause::Generation),
            "wiped pages alone"
        );
        let unknown = seeded_in(fork::UNKNOWN).due_in(fork::UNKNOWN, true, &machine);
        assert_eq!(unknown, Some(Cause::Generation), "a system that cannot tell");
    }
}
