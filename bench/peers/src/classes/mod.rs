//! XAES-256-GCM and AES-GCM-SIV beside AES-GCM, on every backend, and AES-GCM-SIV against AWS-LC.

mod marks;
mod ours;

pub use marks::Mark;

use crate::agree;
use crate::clock::Clock;
use crate::measure::{self, Row};
use crate::options::Options;
use crate::peers::ringlike::AwsLc;
use crate::peers::{self, Entrant, Kind, entrant};
use crate::subject::Subject;
use crate::table;
use hardware_aes_gcm::backend::{Aead, Cpu, SivKey, XaesKey};

/// The rows of each class, and what was asked of them.
#[derive(Default)]
pub struct Results {
    pub gcm: Vec<Row>,
    pub xaes: Vec<Row>,
    pub siv: Vec<Row>,
    pub marks: Vec<Mark>,
}

/// Measures the classes one after the other, after a check that the implementations of each agree, and prints the tables.
pub fn run(options: &Options, clock: &Clock, key: &[u8]) -> Results {
    let mut siv = of_class::<SivKey, 12>(key);
    siv.push(entrant("aws-lc-rs", Kind::Peer, AwsLc::siv(key)));
    let rows = |title: &str, mut entrants: Vec<Entrant>, sealer: &mut dyn Subject| {
        eprintln!("{title}");
        agree::agree(&options.sizes, &mut entrants);
        let rows = measure::measure(options, clock, &mut entrants, sealer);
        println!("\n{title}");
        table::messages(&rows, &options.sizes);
        rows
    };
    let mut results = Results {
        gcm: rows("AES-GCM", peers::ours(key), &mut *peers::ours(key).remove(0).subject),
        siv: rows("AES-GCM-SIV", siv, &mut *of_class::<SivKey, 12>(key).remove(0).subject),
        ..Results::default()
    };
    if key.len() == 32 {
        let sealer = &mut *of_class::<XaesKey, 24>(key).remove(0).subject;
        results.xaes = rows("XAES-256-GCM", of_class::<XaesKey, 24>(key), sealer);
    }
    results.marks = marks::marks(&results);
    marks::print(&results.marks);
    results
}

/// A class on every backend that this CPU runs, best first.
fn of_class<C: Aead<N>, const N: usize>(key: &[u8]) -> Vec<Entrant> {
    let row = |cpu: Cpu| entrant(cpu.name(), Kind::Ours, ours::Ours::<C, N>::new(cpu, key));
    Cpu::all().map(row).collect()
}
