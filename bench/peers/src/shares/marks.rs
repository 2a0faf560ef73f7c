//! The most time that ten shares of ten may take.

use super::{Operation, Row, Size};

const TEN: Size = Size { threshold: 10, count: 10 };

/// The most ns to split a key, and to combine its shares, on backends with wide registers.
const WIDE: [(Operation, f64); 2] =
    [(Operation::Split(TEN), 3_000.0), (Operation::Combine(TEN), 20_000.0)];

/// One figure and its limit.
pub struct Mark {
    pub backend: &'static str,
    pub operation: Operation,
    pub found: f64,
    pub most: f64,
}

impl Mark {
    pub fn missed(&self) -> bool {
        self.found > self.most
    }
}

/// The marks of all backends but the narrow one.
pub fn marks(rows: &[Row]) -> Vec<Mark> {
    let wide = rows.iter().filter(|row| row.name != "aesni");
    let mark = |row: &Row| {
        let (_, most) = WIDE.into_iter().find(|(operation, _)| *operation == row.operation)?;
        Some(Mark { backend: row.name, operation: row.operation, found: row.median, most })
    };
    wide.filter_map(mark).collect()
}
