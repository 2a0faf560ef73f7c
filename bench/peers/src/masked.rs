//! The 128-bit rows: a second run of this program, with wide registers hidden from AWS-LC and OpenSSL.
//!
//! Both libraries read `OPENSSL_ia32cap` when they start. It has pairs of CPUID words with `:` between the pairs; `~` before
//! a pair removes its bits. The first pair stays; the second is leaf 7, EBX low and ECX high.

use crate::measure::{Operation, Row};
use crate::options::Options;
use crate::peers::Kind;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// AVX512F, DQ, IFMA, BW and VL.
const EBX: u64 = 1 << 16 | 1 << 17 | 1 << 21 | 1 << 30 | 1 << 31;

/// VAES and VPCLMULQDQ.
const ECX: u64 = 1 << 9 | 1 << 10;

/// The variable's value. AVX and AVX2 stay, because they do not widen AES rounds or carry-less multiplies.
pub fn mask() -> String {
    format!("~0x0:~{:#x}", ECX << 32 | EBX)
}

/// The rows of the masked process. Every name except ours is marked.
pub fn run(options: &Options) -> Result<Vec<Row>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .args(options.masked_arguments())
        .env("OPENSSL_ia32cap", mask())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("the masked process failed: {}", output.status));
    }
    let rows: Vec<Value> =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    rows.iter().map(|row| parse(row).ok_or(format!("not a row: {row}"))).collect()
}

/// A row, from the field names that [`write`] uses.
fn parse(row: &Value) -> Option<Row> {
    let name = row["name"].as_str()?;
    let ours = row["ours"].as_bool()?;
    Some(Row {
        name: if ours { name.to_owned() } else { format!("{name} (128-bit)") },
        kind: if ours { Kind::Ours } else { Kind::Peer },
        operation: match row["operation"].as_str()? {
            "seal" => Operation::Seal,
            _ => Operation::Open,
        },
        bytes: usize::try_from(row["bytes"].as_u64()?).ok()?,
        median: row["medianNs"].as_f64()?,
        minimum: row["minNs"].as_f64()?,
    })
}

/// The rows, for the process that asked for them.
pub fn write(rows: &[Row]) {
    let row = |row: &Row| {
        json!({
            "name": row.name,
            "ours": row.kind == Kind::Ours,
            "operation": row.operation.name(),
            "bytes": row.bytes,
            "medianNs": row.median,
            "minNs": row.minimum,
        })
    };
    println!("{}", Value::Array(rows.iter().map(row).collect()));
}
