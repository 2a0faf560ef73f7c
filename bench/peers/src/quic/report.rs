//! The tables of QUIC packets.

use super::{Operation, Row};
use crate::peers::Kind;
use crate::setup::Setup;
use crate::{report, table};

/// ns per packet, medians and then minima, and the fastest peer's time divided by ours.
pub fn rows(rows: &[Row], key_bits: usize) {
    let found = |operation: &Operation| rows.iter().any(|row| row.operation == *operation);
    let operations: Vec<Operation> = Operation::ALL.into_iter().filter(found).collect();
    // Every implementation seals.
    let seals = rows.iter().filter(|row| row.operation == Operation::Seal);
    let names: Vec<&str> = seals.map(|row| row.name.as_str()).collect();
    let grid = |cell: &dyn Fn(&Row) -> String| {
        let mut lines = vec![vec![String::new()]];
        lines[0].extend(operations.iter().map(|operation| operation.name().to_owned()));
        lines.extend(names.iter().map(|name| {
            let of = |operation: &Operation| {
                rows.iter().find(|row| row.name == *name && row.operation == *operation)
            };
            let cells =
                operations.iter().map(|operation| of(operation).map_or("-".to_owned(), cell));
            [(*name).to_owned()].into_iter().chain(cells).collect()
        }));
        lines
    };
    let title = format!("QUIC packets of 1200 bytes in runs of 64, AES-{key_bits}");
    table::print(
        &format!("{title}: median ns per packet"),
        &grid(&|row| table::number(row.median)),
    );
    table::print(
        &format!("{title}: minimum ns per packet"),
        &grid(&|row| table::number(row.minimum)),
    );
    let fastest = |operation: Operation| {
        let peers = rows.iter().filter(|row| row.operation == operation && row.kind == Kind::Peer);
        peers.map(|row| row.median).min_by(f64::total_cmp)
    };
    let ratio = |row: &Row| match fastest(row.operation) {
        Some(peer) if row.kind == Kind::Ours => format!("{:.2}x", peer / row.median),
        _ => "-".to_owned(),
    };
    if rows.iter().any(|row| row.kind == Kind::Peer) {
        table::print(&format!("{title}: times as fast as the fastest peer"), &grid(&ratio));
    }
}

/// Set-up of a direction.
pub fn setups(setups: &[Setup], key_bits: usize) {
    report::setups(&format!("keys of one direction of QUIC, AES-{key_bits}"), setups);
}
