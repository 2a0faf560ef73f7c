//! The tables below those of the messages.

use crate::measure::{Operation, Row};
use crate::peers::Kind;
use crate::roofline::{self, Half, Timed, WIDTHS};
use crate::setup::Setup;
use crate::table;

/// Least percentage of the slower roofline in bulk.
const OF_ROOFLINE: f64 = 80.0;

/// Least percentage of its own bulk throughput that `aesni` has at 1440 bytes.
const OF_BULK: f64 = 90.0;

/// Bytes of a bulk message.
const BULK: usize = 16384;

/// Words as a line.
fn line(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The row of an implementation, operation and size.
fn find<'a>(rows: &'a [Row], name: &str, operation: Operation, bytes: usize) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name && row.operation == operation && row.bytes == bytes)
}

/// Bytes per nanosecond, by the least time.
fn speed(row: &Row) -> f64 {
    row.bytes as f64 / row.minimum
}

/// Every loop, and the fastest of each width.
pub fn rooflines(timed: &[Timed], gigahertz: f64) {
    let mut lines = vec![line(&["", "width", "loop", "KiB", "GB/s", "cycles per 64 bytes", ""])];
    for half in [Half::Keystream, Half::Ghash, Half::Instructions] {
        for (width, _) in WIDTHS {
            let best = roofline::fastest(timed, half, Some(width));
            for one in timed.iter().filter(|one| (one.half, one.width) == (half, width)) {
                let fastest =
                    half != Half::Instructions && best.is_some_and(|best| std::ptr::eq(best, one));
                lines.push(vec![
                    half.name().to_owned(),
                    width.to_owned(),
                    one.name.to_owned(),
                    (one.bytes >> 10).to_string(),
                    format!("{:.2}", one.speed()),
                    format!("{:.1}", 64.0 / one.speed() * gigahertz),
                    if fastest { "fastest" } else { "" }.to_owned(),
                ]);
            }
        }
    }
    table::print(&format!("rooflines, AES-256, by the least time, at {gigahertz:.2} GHz"), &lines);
}

/// Bulk throughput of our backends beside the rooflines of their width and of the CPU.
pub fn bulk(rows: &[Row], timed: &[Timed]) {
    let head =
        ["", "", "size", "GB/s", "slower half", "of it", "of the CPU's", "instructions", "of them"];
    let mut lines = vec![line(&head)];
    let both = |width| {
        let half = |half| roofline::fastest(timed, half, width).map(Timed::speed);
        Some((half(Half::Keystream)?, half(Half::Ghash)?))
    };
    let Some(cpu) = both(None) else { return };
    let percent = |part: f64, whole: f64| format!("{:.0} %", 100.0 * part / whole);
    for (width, backend) in WIDTHS {
        let Some((keystream, ghash)) = both(Some(width)) else { continue };
        let slower = keystream.min(ghash);
        for operation in [Operation::Seal, Operation::Open] {
            for bytes in [BULK, 1 << 20] {
                let Some(row) = find(rows, backend, operation, bytes) else { continue };
                let ceiling = roofline::ceiling(timed, width).unwrap_or(f64::NAN);
                lines.push(vec![
                    backend.to_owned(),
                    operation.name().to_owned(),
                    table::size(bytes),
                    format!("{:.2}", speed(row)),
                    format!("{slower:.2}"),
                    percent(speed(row), slower),
                    percent(speed(row), cpu.0.min(cpu.1)),
                    format!("{ceiling:.2}"),
                    percent(speed(row), ceiling),
                ]);
            }
        }
    }
    table::print(
        &format!(
            "bulk beside the slower half (target {OF_ROOFLINE:.0} %) and beside bare instructions, 3 products"
        ),
        &lines,
    );
}

/// Throughput of a network packet's size beside bulk.
pub fn packets(rows: &[Row]) {
    let mut lines = vec![line(&["", "seal", "open"])];
    for (_, backend) in WIDTHS {
        let percent = |operation| {
            let (packet, bulk) =
                (find(rows, backend, operation, 1440)?, find(rows, backend, operation, BULK)?);
            Some(format!("{:.0} %", 100.0 * speed(packet) / speed(bulk)))
        };
        if let Some(seal) = percent(Operation::Seal) {
            let open = percent(Operation::Open).unwrap_or_default();
            lines.push(vec![backend.to_owned(), seal, open]);
        }
    }
    if lines.len() > 1 {
        let title = format!("1440 bytes against 16 KiB (target {OF_BULK:.0} % on aesni)");
        table::print(&title, &lines);
    }
}

/// The cost of keys.
pub fn setups(title: &str, setups: &[Setup]) {
    let mut lines = vec![line(&["", "median ns", "minimum ns", "bytes of state"])];
    lines.extend(setups.iter().map(|setup| {
        vec![
            setup.name.clone(),
            table::number(setup.median),
            table::number(setup.minimum),
            setup.state.map_or("-".to_owned(), |bytes| bytes.to_string()),
        ]
    }));
    table::print(&format!("{title}: made and dropped, allocation included"), &lines);
}

/// Shows that hiding instructions made the libraries slower, at the bulk size or else the largest.
pub fn mask(rows: &[Row], masked: &[Row], value: &str) {
    let mut lines = vec![line(&["", "size", "free ns", "masked ns", ""])];
    let sizes = masked.iter().map(|row| row.bytes);
    let Some(bytes) = sizes.clone().find(|bytes| *bytes == BULK).or(sizes.max()) else { return };
    let seals = masked.iter().filter(|row| row.operation == Operation::Seal && row.bytes == bytes);
    for row in seals.filter(|row| row.kind == Kind::Peer) {
        let name = row.name.trim_end_matches(" (128-bit)");
        let Some(free) = find(rows, name, Operation::Seal, bytes) else { continue };
        lines.push(vec![
            name.to_owned(),
            table::size(bytes),
            table::number(free.median),
            table::number(row.median),
            format!("{:.2}x", row.median / free.median),
        ]);
    }
    table::print(&format!("the mask, OPENSSL_ia32cap={value}"), &lines);
}
