//! Ratios of the fastest peer's time to ours, and their least values.

use crate::measure::{Operation, Row};
use crate::peers::Kind;
use crate::table;

/// Sizes and the least ratio for each, of backends with wide registers.
const WIDE: &[(usize, f64)] = &[
    (16, 3.5),
    (64, 2.7),
    (256, 2.0),
    (1024, 2.1),
    (1440, 1.9),
    (4096, 1.6),
    (16384, 1.3),
    (65536, 1.25),
    (1 << 20, 1.25),
    (16 << 20, 1.25),
];

/// The same for `aesni`, on CPUs without a better backend. In bulk every implementation reaches the limit of the CPU, so
/// `walls` judges bulk. Cascade Lake had 2.0x, 1.7x and 1.15x at 16, 64 and 1024 bytes.
const NARROW: &[(usize, f64)] =
    &[(16, 1.8), (64, 1.5), (256, 1.2), (1024, 1.1), (1440, 1.05), (4096, 1.0)];

/// The least ratios of a backend.
fn required(backend: &str) -> &'static [(usize, f64)] {
    if backend == "aesni" { NARROW } else { WIDE }
}

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

/// The fastest peer's median divided by that of `ours`, for every size and operation that both have.
pub fn ratios(rows: &[Row], ours: &str, required: bool) -> Vec<Ratio> {
    let ratio = |own: &Row| {
        let here = |row: &&Row| (row.operation, row.bytes) == (own.operation, own.bytes);
        let peers = rows.iter().filter(here).filter(|row| row.kind == Kind::Peer);
        let peer = peers.min_by(|a, b| a.median.total_cmp(&b.median))?;
        let mut marks = self::required(ours).iter();
        let least = marks.find(|(bytes, _)| *bytes == own.bytes).map(|(_, least)| *least);
        Some(Ratio {
            operation: own.operation,
            bytes: own.bytes,
            ours: own.name.clone(),
            peer: peer.name.clone(),
            ratio: peer.median / own.median,
            required: least.filter(|_| required),
        })
    };
    rows.iter().filter(|row| row.name == ours).filter_map(ratio).collect()
}

/// One line for each.
pub fn print(title: &str, ratios: &[Ratio]) {
    let head = ["", "size", "ours", "fastest peer", "ratio", "required", ""];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(ratios.iter().map(|ratio| {
        let verdict = match ratio.required {
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
