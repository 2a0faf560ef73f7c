//! Rounds over the implementations, as in the parent folder's `measure`, with a run of packets in each timing.

use super::Entrant;
use super::run::{COUNT, Run};
use crate::clock::{Clock, SHORTEST, Samples, rounds};
use crate::options::Options;
use crate::peers::Kind;

/// A treatment of every packet of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Seal,
    Open,
    Unmasked,
    Plain,
    Mask,
}

impl Operation {
    pub const ALL: [Self; 5] = [Self::Seal, Self::Open, Self::Unmasked, Self::Plain, Self::Mask];

    pub fn name(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::Open => "open",
            Self::Unmasked => "seal without mask",
            Self::Plain => "plain seal",
            Self::Mask => "mask",
        }
    }
}

/// One implementation and operation.
pub struct Row {
    pub key_bits: usize,
    pub name: String,
    pub kind: Kind,
    pub operation: Operation,
    pub median: f64,
    pub minimum: f64,
}

/// Measures every entrant. All of them open a run that the first one sealed.
pub fn measure(
    options: &Options,
    clock: &Clock,
    entrants: &mut [Entrant],
    key_bits: usize,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        if operation == Operation::Open && options.seal_only {
            continue;
        }
        eprintln!("{} of QUIC packets, AES-{key_bits}", operation.name());
        let mut run = Run::new();
        if operation == Operation::Open {
            let [sealer, ..] = entrants else { continue };
            sealer.direction.renew(&run);
            sealer.direction.seal(&mut run);
            run.keep_copy();
        }
        let mut samples = vec![Samples::default(); entrants.len()];
        for entrant in entrants.iter_mut() {
            sample(clock, entrant, operation, &mut run);
        }
        rounds(options.rounds(COUNT), options.budget() / 2, |round| {
            for turn in 0..entrants.len() {
                let at = (round + turn) % entrants.len();
                samples[at].0.push(sample(clock, &mut entrants[at], operation, &mut run));
            }
        });
        rows.extend(entrants.iter().zip(samples).map(|(entrant, samples)| Row {
            key_bits,
            name: entrant.name.clone(),
            kind: entrant.kind,
            operation,
            median: samples.median(),
            minimum: samples.minimum(),
        }));
    }
    rows
}

/// Nanoseconds per packet. Numbers are renewed and packets restored while the clock is stopped.
fn sample(clock: &Clock, entrant: &mut Entrant, operation: Operation, run: &mut Run) -> f64 {
    let Entrant { name, direction, .. } = entrant;
    let (mut spent, mut runs) = (0.0, 0);
    while spent < SHORTEST {
        match operation {
            Operation::Open => {
                run.restore_copy();
                let mut right = false;
                spent += clock.time(|| right = direction.open(run));
                assert!(right, "{name} refuses a packet");
            }
            Operation::Mask => spent += clock.time(|| direction.masks(run)),
            _ => {
                run.renew();
                direction.renew(run);
                spent += match operation {
                    Operation::Plain => clock.time(|| direction.seal_plain(run)),
                    Operation::Unmasked => clock.time(|| direction.seal_unmasked(run)),
                    _ => clock.time(|| direction.seal(run)),
                };
            }
        }
        runs += 1;
    }
    spent / (runs * COUNT) as f64
}
