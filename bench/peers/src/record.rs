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
use serde_json::{Map, Value, json};
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

/// Nanoseconds in hundredths: smaller differences are noise.
fn ns(time: f64) -> f64 {
    (time * 100.0).round() / 100.0
}

/// Lists of figures by name, each in the order of the measurement.
fn by_name(figures: impl Iterator<Item = (String, Value)>) -> Value {
    let mut lists = Map::<String, Value>::new();
    for (name, figure) in figures {
        if let Value::Array(list) = lists.entry(name).or_insert_with(|| json!([])) {
            list.push(figure);
        }
    }
    lists.into()
}

fn messages(rows: &[Row]) -> Value {
    by_name(rows.iter().map(|row| {
        let figure = json!([row.bytes, ns(row.median), ns(row.minimum)]);
        (format!("{}, {}", row.name, row.operation.name()), figure)
    }))
}

/// Text with an object's members on lines of their own, and each list on one.
fn lines(value: &Value, indent: usize) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let line = |(name, value): (&String, &Value)| {
                format!("{:indent$}  {name:?}: {}", "", lines(value, indent + 2))
            };
            let members: Vec<String> = members.iter().map(line).collect();
            format!("{{\n{}\n{:indent$}}}", members.join(",\n"), "")
        }
        other => other.to_string(),
    }
}

/// The record, as text. What `--check` judges is computed from these figures.
pub fn text(record: &Record, key_bits: usize) -> String {
    let versions: Map<String, Value> =
        peers::versions().into_iter().map(|(name, version)| (name, version.into())).collect();
    let portable = record.portable.iter();
    let portable = portable.map(|(bytes, median)| json!([bytes, ns(*median)]));
    let loops = record.timed.iter().map(|timed| {
        let name = format!("{}, {}, {}", timed.half.name(), timed.width, timed.name);
        (name, json!([timed.bytes, ns(timed.median), ns(timed.minimum)]))
    });
    let setup = |setup: &Setup| json!([ns(setup.median), ns(setup.minimum), setup.state]);
    let setups = record.setups.iter().map(|one| (one.name.clone(), setup(one)));
    let packets = record.quic.rows.iter().map(|row| {
        let name = format!("AES-{}, {}, {}", row.key_bits, row.name, row.operation.name());
        (name, json!([ns(row.median), ns(row.minimum)]))
    });
    let directions = record.quic.setups.iter();
    let directions =
        directions.map(|(bits, one)| (format!("AES-{bits}, {}", one.name), setup(one)));
    let shares = record.shares.rows.iter().map(|row| {
        let name = format!("{}, {}", row.name, row.operation.name());
        (name, json!([ns(row.median), ns(row.minimum)]))
    });
    let record = json!({
        "cpu": cpu(),
        "gigahertz": record.gigahertz,
        "date": date(),
        "keyBits": key_bits,
        "versions": versions,
        "figures": "[bytes of a message, median ns, least ns], or [median ns, least ns, bytes of a key]",
        "messages": messages(&record.rows),
        "portable multiply, ghash": portable.collect::<Vec<_>>(),
        "messages, wide registers hidden": messages(&record.masked),
        "rooflines": by_name(loops),
        "key set-up": by_name(setups),
        "QUIC packets": by_name(packets),
        "QUIC set-up": by_name(directions),
        "shares": by_name(shares),
        "AES-GCM beside other classes": messages(&record.classes.gcm),
        "XAES-256-GCM": messages(&record.classes.xaes),
        "AES-GCM-SIV": messages(&record.classes.siv),
    });
    format!("{}\n", lines(&record, 0))
}
