//! The result of `randomInfo`, by the names of `RandomInfo` in index.d.ts.

use crate::hw::entropy::{Entropy, Machine};
use crate::hw::fork::Means;
use crate::rng::health::Fault;
use crate::rng::report::{Cause, Report, Source};
use napi_derive::napi;

/// `null` for every `None`.
#[napi(object, object_from_js = false, use_nullable = true)]
pub(crate) struct RandomInfo {
    pub seedings: f64,
    pub last_seed: Option<LastSeed>,
    pub cpu_source: CpuSource,
    pub copy_detection: CopyDetection,
}

#[napi(object, object_from_js = false)]
pub(crate) struct LastSeed {
    pub cause: &'static str,
    pub sources: Vec<&'static str>,
    pub seconds_ago: f64,
    pub bytes_since: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub(crate) struct CpuSource {
    pub name: Option<&'static str>,
    pub state: &'static str,
    pub reason: Option<&'static str>,
    pub words_tested: f64,
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub(crate) struct CopyDetection {
    pub fork: &'static str,
    pub vm: Option<&'static str>,
}

impl RandomInfo {
    /// From the report of this thread's generator, if there is one yet, and the means of the process.
    pub(super) fn of(report: Option<Report>, means: Option<Means>) -> Self {
        let name = Machine::new().cpu();
        let source = report.map_or_else(Source::of_this_machine, |report| report.source);
        Self {
            seedings: report.map_or(0.0, |report| report.seedings as f64),
            last_seed: report.and_then(|report| LastSeed::of(report, name)),
            cpu_source: CpuSource {
                name,
                state: state(source),
                reason: reason(source),
                words_tested: report.map_or(0.0, |report| report.words as f64),
            },
            copy_detection: CopyDetection {
                fork: match &means {
                    None => "none",
                    Some(Means { page: false, .. }) => "process id",
                    Some(Means { page: true, .. }) => "wiped page",
                },
                vm: means.and_then(|means| means.device),
            },
        }
    }
}

impl LastSeed {
    /// `None` before the first seed.
    fn of(report: Report, cpu: Option<&'static str>) -> Option<Self> {
        let cause = match report.cause? {
            Cause::FirstUse => "first use",
            Cause::Bytes => "bytes",
            Cause::Time => "time",
            Cause::Generation => "copy",
            Cause::Request => "reseed",
        };
        let used = cpu.filter(|_| report.cpu_used);
        Some(Self {
            cause,
            sources: [Some("os"), used].into_iter().flatten().collect(),
            seconds_ago: report.seconds as f64,
            bytes_since: report.bytes as f64,
        })
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
        let faults = [Fault::Repeated, Fault::Recurring, Fault::Stuck, Fault::Silent];
        let causes =
            [Cause::FirstUse, Cause::Bytes, Cause::Time, Cause::Generation, Cause::Request];
        let sources = [Source::Absent, Source::Untested, Source::Testing, Source::Healthy];
        let means = [false, true].map(|page| Some(Means { page, device: None }));
        let fork = |means| RandomInfo::of(None, means).copy_detection.fork;
        let lists: [Vec<&str>; 4] = [
            causes
                .into_iter()
                .filter_map(|cause| LastSeed::of(Report { cause: Some(cause), ..REPORT }, None))
                .map(|seed| seed.cause)
                .collect(),
            sources.into_iter().chain([Source::Dropped(Fault::Stuck)]).map(state).collect(),
            faults.into_iter().filter_map(|fault| reason(Source::Dropped(fault))).collect(),
            means.into_iter().chain([None]).map(fork).collect(),
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
        let info = RandomInfo::of(Some(REPORT), Some(means));
        assert_eq!((info.seedings, info.cpu_source.words_tested), (11.0, 55.0));
        let facts = info.last_seed.map(|seed| (seed.seconds_ago, seed.bytes_since, seed.sources));
        assert_eq!(facts, Some((77.0, 66.0, vec!["os"])));
        assert_eq!(info.copy_detection.vm, Some("/dev/sysgenid"));
        let used = LastSeed::of(Report { cpu_used: true, ..REPORT }, Some("rdseed"));
        assert_eq!(used.map(|seed| seed.sources), Some(vec!["os", "rdseed"]));
        let before = RandomInfo::of(Some(Report { cause: None, ..REPORT }), None);
        assert!(before.last_seed.is_none(), "no seed yet");
        assert_eq!(RandomInfo::of(None, None).seedings, 0.0);
    }
}
