//! hardware-aes-gcm against other implementations of AES-GCM, in one process and in turns.

mod aead;
mod agree;
mod classes;
mod clock;
mod masked;
mod measure;
mod messages;
mod model;
mod options;
mod peers;
mod portable;
mod quic;
mod ratios;
mod record;
mod report;
mod roofline;
mod setup;
mod shares;
mod subject;
mod table;
mod walls;

use clock::Clock;
use options::Options;
use peers::Entrant;
use record::Record;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().skip(1).any(|argument| argument == "--help") {
        println!("{}", options::HELP);
        return ExitCode::SUCCESS;
    }
    match Options::parse(std::env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}

/// Any key of the length asked for.
fn key(options: &Options) -> Vec<u8> {
    (0..options.key_bytes as u8).map(|i| i * 5 + 3).collect()
}

/// Runs the measurements that the options name. `false` if `--check` found a missed mark.
fn run(options: &Options) -> Result<bool, String> {
    let (clock, key) = (Clock::new(), key(options));
    let mut entrants = peers::ours(&key);
    let best = entrants.first().map(|entrant| entrant.name.clone());
    let best = best.ok_or("this CPU has no AES or no carry-less multiply")?;
    if options.masked {
        entrants.retain(|entrant| entrant.name == "aesni");
        entrants.extend(peers::maskable(&key));
        masked::write(&messages(options, &clock, &mut entrants, &key));
        return Ok(true);
    }
    println!("{}, {}, AES-{}", record::cpu(), record::date(), options.key_bytes * 8);
    let mut record = Record { gigahertz: roofline::gigahertz(&clock), ..Record::default() };
    if !options.ours {
        let version = |(name, version): (String, String)| format!("{name} {version}");
        println!("{}", peers::versions().into_iter().map(version).collect::<Vec<_>>().join(", "));
        peers::absent().iter().for_each(|absent| println!("without {absent}"));
        entrants.extend(peers::others(&key));
    }
    let part = options.quic || options.shares || options.classes;
    let some = options.ours || options.rows.is_some();
    let whole = !some && !options.rooflines && !options.setup && !part;
    if let Some(rows) = &options.rows {
        entrants.retain(|entrant| rows.contains(&entrant.name));
    }
    if whole || (some && !part) {
        record.rows = messages(options, &clock, &mut entrants, &key);
        table::messages(&record.rows, &options.sizes);
        report::packets(&record.rows);
        record.ratios = ratios::ratios(&record.rows, &best, ratios::PEERS);
        ratios::print("the best backend and the fastest peer", &record.ratios);
    }
    if whole {
        record.portable = portable::measure(options, &clock);
        portable::print(&record.portable);
        record.masked = masked::run(options)?;
        table::messages(&record.masked, &options.sizes);
        report::mask(&record.rows, &record.masked, &masked::mask());
        record.libraries = ratios::ratios(&record.rows, &best, ratios::LIBRARIES);
        record.narrow = ratios::ratios(&record.masked, "aesni", ratios::LIBRARIES);
        ratios::print("the best backend and the fastest library", &record.libraries);
        ratios::print("aesni and the fastest peer of 128 bits", &record.narrow);
    }
    if whole || options.rooflines {
        record.timed = roofline::measure(options, &clock);
        report::rooflines(&record.timed, record.gigahertz);
        report::bulk(&record.rows, &record.timed);
        record.walls = walls::walls(&record.rows, &record.timed);
        walls::print(&record.walls);
    }
    if whole || options.setup {
        record.setups = setup::measure(options, &clock, &entrants, &key);
        report::setups("key set-up", &record.setups);
    }
    if whole || options.quic {
        record.quic = quic::run(options, &clock);
    }
    if whole || options.shares {
        record.shares = shares::run(options, &clock);
    }
    if whole || options.classes {
        record.classes = classes::run(options, &clock, &key);
    }
    if let Some(path) = &options.json {
        let text = record::text(&record, options.key_bytes * 8);
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let ratios = record.ratios.iter().chain(&record.libraries).chain(&record.narrow);
    let missed = ratios.into_iter().any(ratios::Ratio::missed)
        || record.walls.iter().any(walls::Wall::missed)
        || record.quic.marks.iter().any(quic::marks::Mark::missed)
        || record.shares.marks.iter().any(shares::marks::Mark::missed)
        || record.classes.marks.iter().any(classes::Mark::missed);
    Ok(!options.check || !missed)
}

/// Measures sealing and opening, after a check that all entrants agree.
fn messages(
    options: &Options,
    clock: &Clock,
    entrants: &mut [Entrant],
    key: &[u8],
) -> Vec<measure::Row> {
    agree::agree(&options.sizes, entrants);
    let mut sealer = peers::ours(key).remove(0);
    measure::measure(options, clock, entrants, &mut *sealer.subject)
}
