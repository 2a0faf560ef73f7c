//! The cost of a direction: the time to expand and drop its keys, and their bytes.

use super::Entrant;
use crate::clock::{Clock, SHORTEST, Samples, rounds};
use crate::options::Options;
use crate::setup::Setup;

/// Measures every entrant with the keys of one phase, and with those of the next phase beside them.
pub fn measure(
    options: &Options,
    clock: &Clock,
    entrants: &[Entrant],
    key_bits: usize,
) -> Vec<Setup> {
    eprintln!("set-up of a direction, AES-{key_bits}");
    let cases: Vec<_> =
        [false, true].iter().flat_map(|next| entrants.iter().map(move |e| (e, *next))).collect();
    let mut samples = vec![Samples::default(); cases.len()];
    rounds(30, options.budget() / 2, |round| {
        for turn in 0..cases.len() {
            let at = (round + turn) % cases.len();
            let (entrant, next) = cases[at];
            let (mut spent, mut done) = (0.0, 0);
            while spent < SHORTEST {
                spent += clock.time(|| entrant.direction.set_up(next, 100));
                done += 100;
            }
            samples[at].0.push(spent / f64::from(done));
        }
    });
    let setup = |((entrant, next), samples): ((&Entrant, bool), Samples)| Setup {
        name: format!("{}{}", entrant.name, if next { ", with next keys" } else { "" }),
        median: samples.median(),
        minimum: samples.minimum(),
        state: entrant.direction.state(next),
    };
    cases.into_iter().zip(samples).map(setup).collect()
}
