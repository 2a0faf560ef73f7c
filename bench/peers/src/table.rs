//! Aligned text.

use crate::measure::{Operation, Row};

/// Prints `rows` with the first column to the left and the others to the right.
pub fn print(title: &str, rows: &[Vec<String>]) {
    println!("\n{title}\n");
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(String::len).max();
    let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        println!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// A number with one decimal below 100, and in groups of three digits above.
pub fn number(value: f64) -> String {
    match value {
        v if v.is_nan() => "-".to_owned(),
        v if v < 100.0 => format!("{v:.1}"),
        v => {
            let digits = format!("{v:.0}");
            let groups = digits.as_bytes().rchunks(3).rev();
            groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
        }
    }
}

/// 16 B, 4 KiB, 1 MiB.
pub fn size(bytes: usize) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

/// One table for the medians of an operation, one for its minima, one for its throughput.
pub fn messages(rows: &[Row], sizes: &[usize]) {
    for operation in [Operation::Seal, Operation::Open] {
        let of = |row: &&Row| row.operation == operation;
        if !rows.iter().any(|row| of(&row)) {
            continue;
        }
        let mut names: Vec<&str> = Vec::new();
        for row in rows.iter().filter(of) {
            if !names.contains(&row.name.as_str()) {
                names.push(&row.name);
            }
        }
        let grid = |cell: &dyn Fn(&Row) -> String| {
            let mut head = vec![String::new()];
            head.extend(sizes.iter().map(|bytes| size(*bytes)));
            let mut lines = vec![head];
            for name in &names {
                let mut line = vec![(*name).to_owned()];
                line.extend(sizes.iter().map(|bytes| {
                    let row = rows.iter().filter(of).find(|r| r.name == *name && r.bytes == *bytes);
                    row.map_or("-".to_owned(), cell)
                }));
                lines.push(line);
            }
            lines
        };
        let name = operation.name();
        print(&format!("{name}: median ns"), &grid(&|row| number(row.median)));
        print(&format!("{name}: minimum ns"), &grid(&|row| number(row.minimum)));
        let speed = |row: &Row| format!("{:.2}", row.bytes as f64 / row.median);
        print(&format!("{name}: GB/s, by the median"), &grid(&speed));
    }
}
