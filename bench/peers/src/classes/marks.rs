//! What is asked of the classes that derive the key of a message.

use super::Results;
use crate::measure::{Operation, Row};
use crate::peers::Kind;
use crate::table;

/// A figure and its limit.
pub struct Mark {
    pub what: String,
    pub found: f64,
    pub limit: f64,
    /// Whether the limit is the least value rather than the greatest.
    pub least: bool,
}

impl Mark {
    pub fn missed(&self) -> bool {
        if self.least { self.found < self.limit } else { self.found > self.limit }
    }
}

/// XAES-256-GCM at 64 bytes: the most ns over AES-GCM.
fn most_over(backend: &str) -> f64 {
    if backend == "vaes512" { 120.0 } else { 140.0 }
}

/// XAES-256-GCM is level with AES-GCM from this size on: at most 6% more time.
const LEVEL: (usize, f64) = (16384, 1.06);
/// AES-GCM-SIV at this size: at least this part of AES-GCM's speed.
const PART: (usize, f64) = (16384, 0.55);

/// Classes are measured one after the other, so that they are compared by their least times; implementations of one class go in
/// turns, and are compared by their medians.
pub fn marks(results: &Results) -> Vec<Mark> {
    let mut marks = Vec::new();
    let of = |rows: &[Row], like: &Row| -> Option<f64> {
        let same = |row: &&Row| {
            row.name == like.name && (row.operation, row.bytes) == (like.operation, like.bytes)
        };
        rows.iter().find(same).map(|row| row.minimum)
    };
    for row in &results.xaes {
        let Some(gcm) = of(&results.gcm, row) else { continue };
        let what = |about: &str| describe("XAES-256-GCM", row, about);
        if row.bytes == 64 {
            let limit = most_over(&row.name);
            marks.push(Mark {
                what: what("ns over AES-GCM"),
                found: row.minimum - gcm,
                limit,
                least: false,
            });
        } else if row.bytes == LEVEL.0 {
            let found = row.minimum / gcm;
            marks.push(Mark { what: what("time of AES-GCM"), found, limit: LEVEL.1, least: false });
        }
    }
    for row in results.siv.iter().filter(|row| row.kind == Kind::Ours) {
        let peer = results.siv.iter().find(|peer| {
            peer.kind == Kind::Peer && (peer.operation, peer.bytes) == (row.operation, row.bytes)
        });
        if let Some(peer) = peer {
            let found = peer.median / row.median;
            let what = describe("AES-GCM-SIV", row, "speed of aws-lc-rs");
            marks.push(Mark { what, found, limit: 1.0, least: true });
        }
        if row.bytes == PART.0
            && let Some(gcm) = of(&results.gcm, row)
        {
            let what = describe("AES-GCM-SIV", row, "speed of AES-GCM");
            marks.push(Mark { what, found: gcm / row.minimum, limit: PART.1, least: true });
        }
    }
    marks
}

fn describe(class: &str, row: &Row, about: &str) -> String {
    let operation = if row.operation == Operation::Seal { "seal" } else { "open" };
    format!("{class}, {}, {operation} {}: {about}", row.name, table::size(row.bytes))
}

/// One line for each.
pub fn print(marks: &[Mark]) {
    let mut lines = vec![["", "found", "limit", ""].map(str::to_owned).to_vec()];
    lines.extend(marks.iter().map(|mark| {
        vec![
            mark.what.clone(),
            format!("{:.2}", mark.found),
            format!("{} {}", if mark.least { "at least" } else { "at most" }, mark.limit),
            if mark.missed() { "MISSED" } else { "PASS" }.to_owned(),
        ]
    }));
    table::print("classes: limits", &lines);
}
