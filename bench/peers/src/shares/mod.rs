//! Keys of 32 bytes split among people, on every backend: the whole of a split and of a combination, and the field alone.
//! There is no peer in this program: bench/record/README.md says how horcrux was measured.

pub mod marks;
mod ours;
mod report;

use crate::clock::{Clock, SHORTEST, Samples, rounds};
use crate::options::Options;
use hardware_aes_gcm::backend::Cpu;
use marks::Mark;

/// Thresholds and numbers of shares.
const SIZES: [Size; 4] = [
    Size { threshold: 10, count: 10 },
    Size { threshold: 3, count: 5 },
    Size { threshold: 3, count: 255 },
    Size { threshold: 255, count: 255 },
];

/// A threshold and a number of shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub threshold: usize,
    pub count: usize,
}

/// One of the works that are timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Shares of this package: two polynomials.
    Split(Size),
    Combine(Size),
    /// Points of horcrux's compact form: one polynomial.
    SplitPoints(Size),
    CombinePoints(Size),
    /// Elements, one after the other, inside one guard.
    Multiply,
    Invert,
}

impl Operation {
    pub fn name(self) -> String {
        match self {
            Self::Split(Size { threshold, count }) => format!("split {threshold} of {count}"),
            Self::Combine(Size { threshold, count }) => format!("combine {threshold} of {count}"),
            Self::SplitPoints(Size { threshold, count }) => {
                format!("split {threshold} of {count}, horcrux's form")
            }
            Self::CombinePoints(Size { threshold, count }) => {
                format!("combine {threshold} of {count}, horcrux's form")
            }
            Self::Multiply => "multiply".to_owned(),
            Self::Invert => "invert".to_owned(),
        }
    }
}

/// A work on one backend; `run` does it as often as asked.
struct Work {
    backend: &'static str,
    operation: Operation,
    run: Box<dyn FnMut(usize)>,
}

/// One work and its ns.
pub struct Row {
    pub name: &'static str,
    pub operation: Operation,
    pub median: f64,
    pub minimum: f64,
}

#[derive(Default)]
pub struct Results {
    pub rows: Vec<Row>,
    pub marks: Vec<Mark>,
}

/// Measures every backend, after a check that all agree, and prints the tables.
pub fn run(options: &Options, clock: &Clock) -> Results {
    ours::agree();
    let mut rows = Vec::new();
    for operation in operations() {
        eprintln!("shares: {}", operation.name());
        let works = Cpu::all().map(|cpu| ours::work(cpu, operation)).collect();
        rows.extend(measure(options, clock, works));
    }
    report::rows(&rows);
    let marks = marks::marks(&rows);
    report::marks(&marks);
    Results { rows, marks }
}

fn operations() -> impl Iterator<Item = Operation> {
    let forms: [fn(Size) -> Operation; 4] =
        [Operation::Split, Operation::Combine, Operation::SplitPoints, Operation::CombinePoints];
    let sized = forms.into_iter().flat_map(|form| SIZES.map(form));
    [Operation::Multiply, Operation::Invert].into_iter().chain(sized)
}

/// Rounds over the works, as in the parent folder's `measure`.
fn measure(options: &Options, clock: &Clock, mut works: Vec<Work>) -> Vec<Row> {
    let mut counts = Vec::new();
    for work in &mut works {
        (work.run)(1);
        let once = clock.time(|| (work.run)(10)) / 10.0;
        counts.push((SHORTEST / once.max(1.0)).ceil() as usize);
    }
    let mut samples = vec![Samples::default(); works.len()];
    rounds(options.rounds(0), options.budget() / 5, |round| {
        for turn in 0..works.len() {
            let at = (round + turn) % works.len();
            let spent = clock.time(|| (works[at].run)(counts[at]));
            samples[at].0.push(spent / counts[at] as f64);
        }
    });
    let row = |(work, samples): (Work, Samples)| Row {
        name: work.backend,
        operation: work.operation,
        median: samples.median(),
        minimum: samples.minimum(),
    };
    works.into_iter().zip(samples).map(row).collect()
}
