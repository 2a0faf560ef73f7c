//! The tables of shares.

use super::marks::Mark;
use super::{Operation, Row};
use crate::table;

/// ns per call, medians and then minima: a line for each operation, a column for each backend.
pub fn rows(rows: &[Row]) {
    let mut operations: Vec<Operation> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !operations.contains(&row.operation) {
            operations.push(row.operation);
        }
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    let grid = |figure: &dyn Fn(&Row) -> f64| {
        let mut lines = vec![vec![String::new()]];
        lines[0].extend(names.iter().map(|name| (*name).to_owned()));
        lines.extend(operations.iter().map(|operation| {
            let cells = names.iter().map(|name| {
                let row = rows.iter().find(|r| r.name == *name && r.operation == *operation);
                row.map_or("-".to_owned(), |row| table::number(figure(row)))
            });
            [operation.name()].into_iter().chain(cells).collect()
        }));
        lines
    };
    table::print("shares of a key of 32 bytes: median ns", &grid(&|row| row.median));
    table::print("shares of a key of 32 bytes: minimum ns", &grid(&|row| row.minimum));
}

/// One line for each.
pub fn marks(marks: &[Mark]) {
    let mut lines = vec![["", "", "found ns", "at most", ""].map(str::to_owned).to_vec()];
    lines.extend(marks.iter().map(|mark| {
        vec![
            mark.backend.to_owned(),
            mark.operation.name(),
            table::number(mark.found),
            table::number(mark.most),
            if mark.missed() { "MISSED" } else { "PASS" }.to_owned(),
        ]
    }));
    table::print("shares: limits", &lines);
}
