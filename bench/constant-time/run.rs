//! The command line, the list of cases, and the verdict.

use crate::common::Random;
use crate::welch::{Case, Measured, measure};
use crate::{messages, others};
use hardware_aes_gcm::backend::{Cpu, GcmKey, SivKey, XaesKey};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Above this, times differ beyond doubt; a control must come out above it.
const CERTAIN: f64 = 10.0;
/// Above this, the case is measured again with other inputs.
const SUSPECT: f64 = 4.5;
/// Measurements of a case that may exceed [`SUSPECT`] before it fails.
const TRIES: usize = 3;

struct Options {
    measurements: usize,
    only: String,
}

/// The options, or what to print and the exit code.
fn options(mut args: impl Iterator<Item = String>) -> Result<Options, (String, u8)> {
    let refuse = |reason: String| (format!("{reason}: --help tells what constant-time takes."), 2);
    let mut options = Options { measurements: 1_000_000, only: String::new() };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bench" => {} // from `cargo bench`
            "--quick" => options.measurements = 100_000,
            "--only" => {
                options.only =
                    args.next().ok_or_else(|| refuse("--only needs a text".to_owned()))?;
            }
            "--help" | "-h" => {
                let comment = include_str!("main.rs").lines().map_while(|l| l.strip_prefix("//!"));
                return Err((
                    comment.map(|l| l.trim_start_matches(' ')).collect::<Vec<_>>().join("\n"),
                    0,
                ));
            }
            _ => return Err(refuse(format!("Unknown option '{arg}'"))),
        }
    }
    Ok(options)
}

struct Run {
    options: Options,
    random: Random,
    measured: Vec<Measured>,
    failed: Vec<String>,
}

impl Run {
    fn cases<T>(&mut self, cases: Vec<Case<T>>) {
        let only = self.options.only.clone();
        for mut case in cases.into_iter().filter(|case| case.name.contains(&only)) {
            for left in (0..TRIES).rev() {
                let measured = self.measure(&mut case);
                let worst = measured.worst;
                self.measured.push(measured);
                if worst <= SUSPECT {
                    break;
                }
                if worst > CERTAIN || left == 0 {
                    self.failed.push(format!("{}: |t| {worst:.2}", case.name));
                    break;
                }
            }
        }
    }

    fn controls<T>(&mut self, cases: Vec<Case<T>>) {
        for mut case in cases {
            let Measured { worst, name, .. } = self.measure(&mut case);
            if worst <= CERTAIN {
                self.failed
                    .push(format!("{name}: |t| {worst:.2}, though its time depends on a secret"));
            }
        }
    }

    fn measure<T>(&mut self, case: &mut Case<T>) -> Measured {
        let measured = measure(case, self.options.measurements, self.random.next() | 1);
        println!("{:82} {:6.0} cycles  |t| {:8.2}", measured.name, measured.cycles, measured.worst);
        measured
    }
}

pub(crate) fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err((text, code)) => {
            if code == 0 {
                println!("{text}")
            } else {
                eprintln!("{text}")
            }
            return ExitCode::from(code);
        }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_nanos() as u64);
    println!(
        "{} measurements of each case, in both classes together; seed {now}",
        options.measurements
    );
    let mut run =
        Run { options, random: Random(now | 1), measured: Vec::new(), failed: Vec::new() };
    for cpu in Cpu::all() {
        run.cases(messages::cases::<GcmKey, 12>(cpu, "AES-GCM"));
        run.cases(messages::cases::<XaesKey, 24>(cpu, "XAES"));
        run.cases(messages::cases::<SivKey, 12>(cpu, "SIV"));
        run.cases(others::packets(cpu));
        run.cases(others::shares(cpu));
    }
    run.cases(others::comparison());
    run.controls(others::controls());

    let worst = run.measured.iter().max_by(|a, b| a.worst.total_cmp(&b.worst));
    let Some(Measured { name, worst, measurements, .. }) = worst else {
        eprintln!("constant-time: no case has this text in its name.");
        return ExitCode::from(2);
    };
    println!(
        "{} times {measurements} measurements: |t| at most {worst:.2} ({name})",
        run.measured.len()
    );
    run.failed.iter().for_each(|failed| eprintln!("FAILED  {failed}"));
    if run.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
