//! The record that `--json` writes.

use crate::classes;
use crate::measure::Row;
use crate::peers;
use crate::quic;
use crate::ratios::Ratio;
use crate::roofline::Timed;
use crate::setup::Setup;
use crate::shares;
use crate::walls::Wall;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// All results of a run.
#[derive(Default)]
pub struct Record {
    pub rows: Vec<Row>,
    pub masked: Vec<Row>,
    pub portable: Vec<(usize, f64)>,
    pub timed: Vec<Timed>,
    pub setups: Vec<Setup>,
    pub ratios: Vec<Ratio>,
    pub libraries: Vec<Ratio>,
    pub narrow: Vec<Ratio>,
    pub walls: Vec<Wall>,
    pub quic: quic::Results,
    pub shares: shares::Results,
    pub classes: classes::Results,
    pub gigahertz: f64,
}

/// The CPU's model, family and number from /proc/cpuinfo.
pub fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().map(str::trim) == Some(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let number = |name| field(name).unwrap_or_else(|| "?".to_owned());
    let model = field("model name").unwrap_or_else(|| "an unknown CPU".to_owned());
    format!("{model}, family {}, model {}", number("cpu family"), number("model"))
}

/// Today in UTC, as YYYY-MM-DD (days to civil, from 1970 on).
pub fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
    let (mut days, mut year) = (seconds / 86400, 1970);
    let leap = |year: u64| {
        u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)))
    };
    while days >= 365 + leap(year) {
        days -= 365 + leap(year);
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

fn row(row: &Row) -> Value {
    json!({
        "name": row.name,
        "operation": row.operation.name(),
        "bytes": row.bytes,
        "medianNs": row.median,
        "minNs": row.minimum,
    })
}

fn ratio(ratio: &Ratio) -> Value {
    json!({
        "operation": ratio.operation.name(),
        "bytes": ratio.bytes,
        "ours": ratio.ours,
        "peer": ratio.peer,
        "ratio": ratio.ratio,
        "required": ratio.required,
    })
}

fn wall(wall: &Wall) -> Value {
    json!({
        "name": wall.backend,
        "operation": wall.operation.name(),
        "bytes": wall.bytes,
        "part": wall.part,
        "asked": wall.asked,
    })
}

/// The record, as text.
pub fn text(record: &Record, key_bits: usize) -> String {
    let versions: serde_json::Map<String, Value> =
        peers::versions().into_iter().map(|(name, version)| (name, version.into())).collect();
    let portable = record.portable.iter().map(|(bytes, median)| {
        json!({ "name": "portable multiply", "operation": "ghash", "bytes": bytes, "medianNs": median })
    });
    let roofline = |timed: &Timed| {
        json!({
            "half": timed.half.name(),
            "width": timed.width,
            "loop": timed.name,
            "bytes": timed.bytes,
            "medianNs": timed.median,
            "minNs": timed.minimum,
        })
    };
    let setup = |setup: &Setup| {
        json!({
            "name": setup.name,
            "medianNs": setup.median,
            "minNs": setup.minimum,
            "stateBytes": setup.state,
        })
    };
    let packet = |row: &quic::Row| {
        json!({
            "keyBits": row.key_bits,
            "name": row.name,
            "operation": row.operation.name(),
            "medianNs": row.median,
            "minNs": row.minimum,
        })
    };
    let direction = |(key_bits, setup): &(usize, Setup)| {
        json!({
            "keyBits": key_bits,
            "name": setup.name,
            "medianNs": setup.median,
            "minNs": setup.minimum,
            "stateBytes": setup.state,
        })
    };
    let mark = |mark: &quic::marks::Mark| {
        json!({
            "keyBits": mark.key_bits,
            "name": mark.backend,
            "what": mark.what,
            "found": mark.found,
            "most": mark.most,
        })
    };
    let share = |row: &shares::Row| {
        json!({
            "name": row.name,
            "operation": row.operation.name(),
            "medianNs": row.median,
            "minNs": row.minimum,
        })
    };
    let record = json!({
        "cpu": cpu(),
        "gigahertz": record.gigahertz,
        "date": date(),
        "keyBits": key_bits,
        "versions": versions,
        "rows": record.rows.iter().map(row).chain(portable).collect::<Vec<_>>(),
        "rowsMasked": record.masked.iter().map(row).collect::<Vec<_>>(),
        "rooflines": record.timed.iter().map(roofline).collect::<Vec<_>>(),
        "keySetup": record.setups.iter().map(setup).collect::<Vec<_>>(),
        "ratios": record.ratios.iter().map(ratio).collect::<Vec<_>>(),
        "ratiosLibraries": record.libraries.iter().map(ratio).collect::<Vec<_>>(),
        "walls": record.walls.iter().map(wall).collect::<Vec<_>>(),
        "quic": {
            "rows": record.quic.rows.iter().map(packet).collect::<Vec<_>>(),
            "setUp": record.quic.setups.iter().map(direction).collect::<Vec<_>>(),
            "marks": record.quic.marks.iter().map(mark).collect::<Vec<_>>(),
        },
        "shares": record.shares.rows.iter().map(share).collect::<Vec<_>>(),
        "classes": {
            "gcm": record.classes.gcm.iter().map(row).collect::<Vec<_>>(),
            "xaes": record.classes.xaes.iter().map(row).collect::<Vec<_>>(),
            "siv": record.classes.siv.iter().map(row).collect::<Vec<_>>(),
        },
        "ratiosMasked": record.narrow.iter().map(ratio).collect::<Vec<_>>(),
    });
    format!("{record:#}\n")
}
