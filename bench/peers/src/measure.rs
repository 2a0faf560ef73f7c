//! Rounds: every implementation once, then every one again, so that a disturbance of the machine slows all of them.

use crate::clock::{Clock, SHORTEST, Samples, rounds};
use crate::messages::Messages;
use crate::options::Options;
use crate::peers::{Entrant, Kind};
use crate::subject::Subject;

/// Up to this size a sample has at least [`FEWEST`] messages.
const SMALL: usize = 4096;

/// Least number of small messages in a sample.
const FEWEST: usize = 100;

/// Rounds for a baseline, which is slow and only shows an order of magnitude.
const BASELINE_ROUNDS: usize = 5;

/// Sealing or opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Seal,
    Open,
}

impl Operation {
    pub fn name(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::Open => "open",
        }
    }
}

/// One implementation, one operation, one size.
pub struct Row {
    pub name: String,
    pub kind: Kind,
    pub operation: Operation,
    pub bytes: usize,
    pub median: f64,
    pub minimum: f64,
}

/// Measures every entrant at every size.
pub fn measure(
    options: &Options,
    clock: &Clock,
    entrants: &mut [Entrant],
    sealer: &mut dyn Subject,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for &size in &options.sizes {
        for operation in [Operation::Seal, Operation::Open] {
            if operation == Operation::Open && options.seal_only {
                continue;
            }
            eprintln!("{} {size} bytes", operation.name());
            let mut messages = Messages::new(size);
            if operation == Operation::Open {
                sealer.prepare(&mut messages);
            }
            rows.extend(interleaved(options, clock, entrants, sealer, operation, &mut messages));
        }
    }
    rows
}

/// One operation on one size, in rounds. Each round begins with another entrant.
fn interleaved(
    options: &Options,
    clock: &Clock,
    entrants: &mut [Entrant],
    sealer: &mut dyn Subject,
    operation: Operation,
    messages: &mut Messages,
) -> Vec<Row> {
    let mut samples = vec![Samples::default(); entrants.len()];
    // A first round, not counted, fills caches and trains predictors.
    let size = messages.size();
    for entrant in entrants.iter_mut().filter(|entrant| entrant.takes(size)) {
        sample(clock, entrant, sealer, operation, messages);
    }
    rounds(options.rounds(size), options.budget(), |round| {
        for turn in 0..entrants.len() {
            let at = (round + turn) % entrants.len();
            let entrant = &mut entrants[at];
            let late = operation == Operation::Open || round >= BASELINE_ROUNDS;
            if !entrant.takes(size) || (entrant.kind == Kind::Baseline && late) {
                continue;
            }
            samples[at].0.push(sample(clock, entrant, sealer, operation, messages));
        }
    });
    let row = |(entrant, samples): (&Entrant, Samples)| Row {
        name: entrant.name.clone(),
        kind: entrant.kind,
        operation,
        bytes: size,
        median: samples.median(),
        minimum: samples.minimum(),
    };
    let taken = entrants.iter().zip(samples).filter(|(_, samples)| !samples.0.is_empty());
    taken.map(row).collect()
}

/// Nanoseconds per operation. Nonces are renewed and messages sealed again while the clock is stopped.
fn sample(
    clock: &Clock,
    entrant: &mut Entrant,
    sealer: &mut dyn Subject,
    operation: Operation,
    messages: &mut Messages,
) -> f64 {
    let fewest = if messages.size() <= SMALL { FEWEST } else { 1 };
    let (mut spent, mut done) = (0.0, 0);
    while spent < SHORTEST || done < fewest {
        match operation {
            Operation::Seal => {
                messages.renew();
                spent += clock.time(|| entrant.subject.seal_all(messages));
            }
            Operation::Open => {
                let mut right = false;
                spent += clock.time(|| right = entrant.subject.open_all(messages));
                assert!(right, "{} refuses a message of {} bytes", entrant.name, messages.size());
                sealer.restore(messages);
            }
        }
        done += messages.len();
    }
    spent / done as f64
}
