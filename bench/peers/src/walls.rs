//! How near our backends come to the CPU's wall in bulk: the bare AES rounds and products of their width, timed in the same run.
//!
//! Every implementation comes near this wall, so that ratios to peers say little in bulk.

use crate::measure::{Operation, Row};
use crate::record;
use crate::roofline::{self, Timed, WIDTHS};
use crate::table;

/// Sizes that are bulk and stay in a cache.
const BULK: &[usize] = &[16384, 65536, 1 << 20];

/// The least part of the wall's speed that a backend should reach, and the least part that `--check` accepts: known figures of
/// CPUs that fall short. `aesni` reached 99% on Cascade Lake, whose wall is AESENC alone, and 71 to 77% where several units
/// limit it (Zen 4, Zen 5, Emerald Rapids).
fn least(backend: &str, cpu: &str) -> (f64, f64) {
    match backend {
        "vaes512" => (0.85, 0.85),
        "vaes256" if cpu.ends_with("family 6, model 207") => (0.80, 0.68),
        "vaes256" => (0.80, 0.80),
        _ => (0.80, 0.70),
    }
}

/// One backend, size and operation.
pub struct Wall {
    pub backend: String,
    pub operation: Operation,
    pub bytes: usize,
    /// Our speed divided by the wall's.
    pub part: f64,
    /// The least part that it should be.
    pub asked: f64,
    /// The least part that `--check` accepts.
    pub accepted: f64,
}

impl Wall {
    pub fn missed(&self) -> bool {
        self.part < self.accepted
    }
}

/// Our backends in bulk, for every size that was measured together with the wall.
pub fn walls(rows: &[Row], timed: &[Timed]) -> Vec<Wall> {
    let cpu = record::cpu();
    let mut all = Vec::new();
    for (width, backend) in WIDTHS {
        let Some(wall) = roofline::ceiling(timed, width) else { continue };
        let (asked, accepted) = least(backend, &cpu);
        let bulk = rows.iter().filter(|row| row.name == backend && BULK.contains(&row.bytes));
        all.extend(bulk.map(|row| Wall {
            backend: row.name.clone(),
            operation: row.operation,
            bytes: row.bytes,
            part: row.bytes as f64 / row.minimum / wall,
            asked,
            accepted,
        }));
    }
    all
}

/// One line for each.
pub fn print(walls: &[Wall]) {
    let head = ["", "", "size", "of the wall", "asked", ""];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(walls.iter().map(|wall| {
        let verdict = match wall.part {
            part if part >= wall.asked => "PASS",
            part if part >= wall.accepted => "known",
            _ => "MISSED",
        };
        vec![
            wall.backend.clone(),
            wall.operation.name().to_owned(),
            table::size(wall.bytes),
            format!("{:.0} %", 100.0 * wall.part),
            format!("{:.0} %", 100.0 * wall.asked),
            verdict.to_owned(),
        ]
    }));
    table::print("bulk beside the bare instructions of the same width", &lines);
}
