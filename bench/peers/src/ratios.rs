//! Ratios of the fastest peer's time to ours, and their least values.

use crate::measure::{Operation, Row};
use crate::peers::Kind;
use crate::table;

/// Sizes and the least ratio for each. Above them every implementation comes near the limit of the CPU: `walls` judges bulk.
type Marks = &'static [(usize, f64)];

/// Backends with wide registers, and the fastest library.
const WIDE: Marks =
    &[(16, 3.5), (64, 2.7), (256, 2.0), (1024, 2.1), (1440, 1.9), (4096, 1.6), (16384, 1.3)];

/// `vaes512` and the fastest of all peers, bare functions included.
const FIRST: Marks =
    &[(16, 1.1), (64, 1.1), (256, 1.1), (1024, 1.0), (1440, 1.0), (4096, 1.0), (16384, 1.0)];

/// `aesni` and the fastest library, on CPUs without a better backend. Cascade Lake had 2.0x, 1.7x and 1.15x at 16, 64 and 1024
/// bytes.
const NARROW: Marks = &[(16, 1.8), (64, 1.5), (256, 1.2), (1024, 1.1), (1440, 1.05), (4096, 1.0)];

/// The least ratios of a backend to the fastest peer of some kinds.
fn required(backend: &str, kinds: &[Kind]) -> Marks {
    match (backend, kinds.contains(&Kind::Bare)) {
        ("aesni", false) => NARROW,
        (_, false) => WIDE,
        ("vaes512", true) => FIRST,
        (_, true) => &[],
    }
}

/// The kinds of the libraries.
pub const LIBRARIES: &[Kind] = &[Kind::Peer];
/// The kinds of all peers.
pub const PEERS: &[Kind] = &[Kind::Peer, Kind::Bare];

/// One size and operation.
pub struct Ratio {
    pub operation: Operation,
    pub bytes: usize,
    pub ours: String,
    pub peer: String,
    pub ratio: f64,
    pub required: Option<f64>,
}

impl Ratio {
    pub fn missed(&self) -> bool {
        self.required.is_some_and(|required| self.ratio < required)
    }
}

/// The least time of the fastest peer of `kinds` divided by that of `ours`, for every size and operation that both have. Least
/// times, because a virtual CPU may change its speed within a run.
pub fn ratios(rows: &[Row], ours: &str, kinds: &[Kind]) -> Vec<Ratio> {
    let ratio = |own: &Row| {
        let here = |row: &&Row| (row.operation, row.bytes) == (own.operation, own.bytes);
        let peers = rows.iter().filter(here).filter(|row| kinds.contains(&row.kind));
        let peer = peers.min_by(|a, b| a.minimum.total_cmp(&b.minimum))?;
        let mut marks = required(ours, kinds).iter();
        Some(Ratio {
            operation: own.operation,
            bytes: own.bytes,
            ours: own.name.clone(),
            peer: peer.name.clone(),
            ratio: peer.minimum / own.minimum,
            required: marks.find(|(bytes, _)| *bytes == own.bytes).map(|(_, least)| *least),
        })
    };
    rows.iter().filter(|row| row.name == ours).filter_map(ratio).collect()
}

/// One line for each, if there is any.
pub fn print(title: &str, ratios: &[Ratio]) {
    if ratios.is_empty() {
        return;
    }
    let head = ["", "size", "ours", "fastest peer", "ratio", "required", ""];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(ratios.iter().map(|ratio| {
        let verdict = match ratio.required {
            None if ratio.ratio < 1.0 => "behind",
            None => "",
            Some(_) if ratio.missed() => "MISSED",
            Some(_) => "PASS",
        };
        vec![
            ratio.operation.name().to_owned(),
            table::size(ratio.bytes),
            ratio.ours.clone(),
            ratio.peer.clone(),
            format!("{:.2}x", ratio.ratio),
            ratio.required.map_or(String::new(), |required| format!("{required:.2}x")),
            verdict.to_owned(),
        ]
    }));
    table::print(title, &lines);
}
