//! The cost of a key: the time to expand and drop it, and its bytes.

use crate::clock::{Clock, SHORTEST, Samples, rounds};
use crate::options::Options;
use crate::peers::{Entrant, Kind};
use std::time::Duration;

/// One implementation.
pub struct Setup {
    pub name: String,
    pub median: f64,
    pub minimum: f64,
    pub state: Option<usize>,
}

/// Measures every entrant except baselines, in rounds.
pub fn measure(options: &Options, clock: &Clock, entrants: &[Entrant], key: &[u8]) -> Vec<Setup> {
    eprintln!("key set-up");
    let entrants: Vec<_> = entrants.iter().filter(|e| e.kind != Kind::Baseline).collect();
    let enough = |entrant: &&Entrant| {
        let once = clock.time(|| entrant.subject.set_up(key, 100)) / 100.0;
        (SHORTEST / once).ceil().max(100.0) as usize
    };
    let counts: Vec<usize> = entrants.iter().map(enough).collect();
    let mut samples = vec![Samples::default(); entrants.len()];
    let budget = Duration::from_millis(if options.quick { 500 } else { 3000 });
    rounds(30, budget, |round| {
        for turn in 0..entrants.len() {
            let at = (round + turn) % entrants.len();
            let spent = clock.time(|| entrants[at].subject.set_up(key, counts[at]));
            samples[at].0.push(spent / counts[at] as f64);
        }
    });
    let setup = |(entrant, samples): (&&Entrant, Samples)| Setup {
        name: entrant.name.clone(),
        median: samples.median(),
        minimum: samples.minimum(),
        state: entrant.subject.state(),
    };
    entrants.iter().zip(samples).map(setup).collect()
}
