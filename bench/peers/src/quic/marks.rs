//! How much a packet may take, beside the core's own plain seal of as many bytes, and in ns.

use super::{Operation, Row};
use crate::peers::Kind;
use crate::table;

/// The most time of a packet in a run, divided by that of a plain seal of 1200 bytes.
const MOST_OF_PLAIN: f64 = 1.25;

/// The most ns of a packet, and of its mask, on `vaes512` of the reference machine.
const MOST_NS: (f64, f64) = (90.0, 8.0);

/// One figure and its limit.
pub struct Mark {
    pub key_bits: usize,
    pub backend: String,
    pub what: &'static str,
    pub found: f64,
    pub most: f64,
    /// Whether the limit holds for every machine.
    pub everywhere: bool,
}

impl Mark {
    /// Whether a limit that holds for every machine is missed.
    pub fn missed(&self) -> bool {
        self.everywhere && self.found > self.most
    }
}

/// The marks of our backends, from rows of one key size.
pub fn marks(rows: &[Row]) -> Vec<Mark> {
    let ours = |row: &&Row| row.kind == Kind::Ours && row.operation == Operation::Plain;
    let each = rows.iter().filter(ours).flat_map(|plain| {
        let median = |operation| {
            let found =
                rows.iter().find(|row| row.name == plain.name && row.operation == operation);
            found.map_or(f64::NAN, |row| row.median)
        };
        let mark = |what, found, most, everywhere| Mark {
            key_bits: plain.key_bits,
            backend: plain.name.clone(),
            what,
            found,
            most,
            everywhere,
        };
        let (seal, open) = (median(Operation::Seal), median(Operation::Open));
        let mut all = vec![
            mark("seal / plain seal", seal / plain.median, MOST_OF_PLAIN, true),
            mark("open / plain seal", open / plain.median, MOST_OF_PLAIN, true),
        ];
        if plain.name == "vaes512" {
            let (packet, share) = MOST_NS;
            all.push(mark("seal, ns", seal, packet, false));
            all.push(mark("mask in a seal, ns", seal - median(Operation::Unmasked), share, false));
        }
        all.retain(|mark| !mark.found.is_nan());
        all
    });
    each.collect()
}

/// One line for each.
pub fn print(marks: &[Mark]) {
    let mut lines = vec![["", "AES", "", "found", "at most", ""].map(str::to_owned).to_vec()];
    lines.extend(marks.iter().map(|mark| {
        let verdict = match (mark.everywhere, mark.found <= mark.most) {
            (true, true) => "PASS",
            (true, false) => "MISSED",
            (false, true) => "reached (reference machine)",
            (false, false) => "not reached (reference machine)",
        };
        vec![
            mark.backend.clone(),
            mark.key_bits.to_string(),
            mark.what.to_owned(),
            format!("{:.2}", mark.found),
            format!("{:.2}", mark.most),
            verdict.to_owned(),
        ]
    }));
    table::print("QUIC packets: limits", &lines);
}
