//! How near `aesni` comes to the CPU's wall: the bare AES rounds and products of 128 bits, timed in the same run.
//!
//! The marks for wide registers do not fit `aesni`. If AESENC starts once in a cycle (Intel before Ice Lake), a block takes at
//! least 14 cycles, and every implementation comes near this wall in bulk.

use crate::measure::{Operation, Row};
use crate::roofline::{self, Timed};
use crate::table;

/// Sizes that are bulk and stay in a cache.
const BULK: &[usize] = &[16384, 65536, 1 << 20];

/// The least part of the wall's speed. Zen 4 and Zen 5, whose wall depends on several units, reached 74 to 77%; Cascade Lake,
/// whose wall is AESENC alone, 99%.
const LEAST: f64 = 0.70;

/// One size and operation.
pub struct Wall {
    pub operation: Operation,
    pub bytes: usize,
    /// Our speed divided by the wall's.
    pub part: f64,
}

impl Wall {
    pub fn missed(&self) -> bool {
        self.part < LEAST
    }
}

/// `aesni` in bulk, for every size that was measured together with the wall.
pub fn walls(rows: &[Row], timed: &[Timed]) -> Vec<Wall> {
    let Some(wall) = roofline::ceiling(timed, "xmm") else { return Vec::new() };
    let bulk = rows.iter().filter(|row| row.name == "aesni" && BULK.contains(&row.bytes));
    bulk.map(|row| Wall {
        operation: row.operation,
        bytes: row.bytes,
        part: row.bytes as f64 / row.median / wall,
    })
    .collect()
}

/// One line for each.
pub fn print(walls: &[Wall]) {
    let mut lines = vec![["", "size", "of the wall", "required", ""].map(str::to_owned).to_vec()];
    lines.extend(walls.iter().map(|wall| {
        vec![
            wall.operation.name().to_owned(),
            table::size(wall.bytes),
            format!("{:.0} %", 100.0 * wall.part),
            format!("{:.0} %", 100.0 * LEAST),
            if wall.missed() { "MISSED" } else { "PASS" }.to_owned(),
        ]
    }));
    table::print("aesni beside the bare instructions of 128 bits", &lines);
}
