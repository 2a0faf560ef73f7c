//! Time in nanoseconds, and the median and minimum of samples.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Least length of a sample, in nanoseconds.
pub const SHORTEST: f64 = 20_000.0;

/// A clock that subtracts the time of its own reading.
pub struct Clock {
    reading: f64,
}

impl Clock {
    pub fn new() -> Self {
        let mut clock = Self { reading: 0.0 };
        let readings = (0..10_000).map(|_| clock.time(|| ()));
        clock.reading = Samples(readings.collect()).median();
        clock
    }

    /// Nanoseconds that `what` takes.
    pub fn time<T>(&self, what: impl FnOnce() -> T) -> f64 {
        let start = Instant::now();
        black_box(what());
        start.elapsed().as_nanos() as f64 - self.reading
    }
}

/// Measurements in nanoseconds per operation.
#[derive(Clone, Default)]
pub struct Samples(pub Vec<f64>);

impl Samples {
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => f64::NAN,
            odd if odd % 2 == 1 => sorted[middle],
            _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
        }
    }

    pub fn minimum(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Calls `round` at least `rounds` times, and until `budget` is over.
pub fn rounds(rounds: usize, budget: Duration, mut round: impl FnMut(usize)) {
    let start = Instant::now();
    let mut done = 0;
    while done < rounds || start.elapsed() < budget {
        round(done);
        done += 1;
    }
}
