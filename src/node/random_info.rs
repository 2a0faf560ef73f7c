//! The result of `randomInfo` as JSON, by the names of `RandomInfo` in index.d.ts.
//!
//! JSON: Node-API assigns properties of objects, which would call setters of `Object.prototype`.

use crate::hw::entropy::{Entropy, Machine};
use crate::hw::fork::Means;
use crate::rng::health::Fault;
use crate::rng::report::{Cause, Report, Source};

/// From the report of this thread's generator, if there is one yet, and the means of the process.
pub(super) fn describe(report: Option<Report>, means: Option<Means>) -> String {
    let name = Machine::new().cpu();
    let source = report.map_or_else(Source::of_this_machine, |report| report.source);
    let last_seed = report.and_then(|report| last_seed(report, name));
    format!(
        r#"{{"seedings":{},"lastSeed":{},"cpuSource":{{"name":{},"state":"{}","reason":{},"wordsTested":{}}},"copyDetection":{{"fork":"{}","vm":{}}}}}"#,
        report.map_or(0, |report| report.seedings),
        last_seed.as_deref().unwrap_or("null"),
        quoted(name),
        state(source),
        quoted(reason(source)),
        report.map_or(0, |report| report.words),
        fork(means.as_ref()),
        quoted(means.and_then(|means| means.device)),
    )
}

/// `None` before the first seed.
fn last_seed(report: Report, cpu: Option<&str>) -> Option<String> {
    let cause = cause(report.cause?);
    let used = cpu.filter(|_| report.cpu_used).map_or(String::new(), |cpu| format!(r#","{cpu}""#));
    Some(format!(
        r#"{{"cause":"{cause}","sources":["os"{used}],"secondsAgo":{},"bytesSince":{}}}"#,
        report.seconds, report.bytes,
    ))
}

/// A name of ours, which has no character to escape.
fn quoted(name: Option<&str>) -> String {
    name.map_or_else(|| "null".to_owned(), |name| format!(r#""{name}""#))
}

fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::FirstUse => "first use",
        Cause::Bytes => "bytes",
        Cause::Time => "time",
        Cause::Generation => "copy",
        Cause::Request => "reseed",
    }
}

fn fork(means: Option<&Means>) -> &'static str {
    match means {
        None => "none",
        Some(Means { page: false, .. }) => "process id",
        Some(Means { page: true, .. }) => "wiped page",
    }
}

fn state(source: Source) -> &'static str {
    match source {
        Source::Absent => "absent",
        Source::Untested => "untested",
        Source::Testing => "testing",
        Source::Healthy => "healthy",
        Source::Dropped(_) => "dropped",
    }
}

fn reason(source: Source) -> Option<&'static str> {
    match source {
        Source::Dropped(Fault::Repeated) => Some("repeated"),
        Source::Dropped(Fault::Recurring) => Some("recurring"),
        Source::Dropped(Fault::Stuck) => Some("stuck"),
        Source::Dropped(Fault::Silent) => Some("silent"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANUAL: &str = include_str!("../../index.d.ts");
    const REPORT: Report = Report {
        seedings: 11,
        cause: Some(Cause::Bytes),
        cpu_used: false,
        source: Source::Healthy,
        words: 55,
        bytes: 66,
        seconds: 77,
    };

    #[test]
    fn every_name_is_its_own_and_stands_in_the_manual() {
        let causes =
            [Cause::FirstUse, Cause::Bytes, Cause::Time, Cause::Generation, Cause::Request];
        let sources = [Source::Absent, Source::Untested, Source::Testing, Source::Healthy];
        let faults = [Fault::Repeated, Fault::Recurring, Fault::Stuck, Fault::Silent];
        let means = [false, true].map(|page| Some(Means { page, device: None }));
        let lists: [Vec<&str>; 4] = [
            causes.map(cause).to_vec(),
            sources.into_iter().chain([Source::Dropped(Fault::Stuck)]).map(state).collect(),
            faults.into_iter().filter_map(|fault| reason(Source::Dropped(fault))).collect(),
            means.iter().chain([&None]).map(|means| fork(means.as_ref())).collect(),
        ];
        assert_eq!(lists.each_ref().map(Vec::len), [5, 5, 4, 3]);
        for list in lists {
            for (at, name) in list.iter().enumerate() {
                assert!(MANUAL.contains(&format!("'{name}'")), "{name}");
                assert!(!list.iter().skip(at + 1).any(|other| other == name), "{name} twice");
            }
        }
    }

    #[test]
    fn facts_of_a_report() {
        let means = Means { page: true, device: Some("/dev/sysgenid") };
        let info = describe(Some(REPORT), Some(means));
        assert!(info.starts_with(r#"{"seedings":11,"lastSeed":{"cause":"bytes","sources":["os"],"secondsAgo":77,"bytesSince":66},"#), "{info}");
        assert!(info.contains(r#""state":"healthy","reason":null,"wordsTested":55}"#), "{info}");
        assert!(
            info.ends_with(r#""copyDetection":{"fork":"wiped page","vm":"/dev/sysgenid"}}"#),
            "{info}"
        );
        let used = last_seed(Report { cpu_used: true, ..REPORT }, Some("rdseed"));
        assert!(used.is_some_and(|seed| seed.contains(r#""sources":["os","rdseed"]"#)));
        let before = describe(Some(Report { cause: None, ..REPORT }), None);
        assert!(before.contains(r#""lastSeed":null"#), "no seed yet: {before}");
        assert!(describe(None, None).starts_with(r#"{"seedings":0,"lastSeed":null,"#));
    }
}
