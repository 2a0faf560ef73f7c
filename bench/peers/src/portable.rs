//! GHASH alone, without carry-less multiply instructions: shows the order of magnitude that they save.

use crate::clock::{Clock, Samples};
use crate::model;
use crate::options::Options;
use crate::table;
use std::hint::black_box;

/// Rounds at every size.
const ROUNDS: usize = 5;

/// Largest message: larger ones take seconds and show the same speed.
const LARGEST: usize = 1 << 20;

/// Any hash subkey.
const H: u128 = 0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e;

/// Sizes, and the median nanoseconds of each.
pub fn measure(options: &Options, clock: &Clock) -> Vec<(usize, f64)> {
    eprintln!("portable multiply");
    let sizes = options.sizes.iter().copied().filter(|bytes| *bytes <= LARGEST);
    sizes
        .map(|bytes| {
            let data = vec![0x5a; bytes.next_multiple_of(16)];
            let runs = (4096 / bytes).max(1);
            let all = || (0..runs).fold(0, |sum, _| sum ^ model::ghash(H, black_box(&data)));
            let samples = (0..ROUNDS).map(|_| clock.time(all) / runs as f64).collect();
            (bytes, Samples(samples).median())
        })
        .collect()
}

/// One line.
pub fn print(portable: &[(usize, f64)]) {
    let mut head = vec![String::new()];
    let mut line = vec!["portable multiply".to_owned()];
    for (bytes, median) in portable {
        head.push(table::size(*bytes));
        line.push(format!("{:.3}", *bytes as f64 / median));
    }
    table::print("GHASH alone, without instructions: GB/s", &[head, line]);
}
