//! The detector on every system: threads that race, another process id.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
use super::*;

#[cfg(target_os = "linux")]
mod linux;

#[test]
fn copies_started_by_many_threads_only_count_up() {
    let detector = Detector::new(|| None).unwrap();
    let first = detector.generation();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    let before = detector.generation();
                    assert!(detector.start_copy() << REQUEST_BITS > before);
                }
            });
        }
    });
    assert_eq!(detector.generation(), first + (4000 << REQUEST_BITS));
    // As a child finds the page.
    detector.copy.store(0, Ordering::Release);
    let child = detector.generation();
    assert_eq!(child, first + (4001 << REQUEST_BITS));
    assert_eq!(detector.generation(), child);
    assert!(copied(first, child));
    // As `renew` does.
    detector.requests.fetch_add(1, Ordering::AcqRel);
    assert_eq!(detector.generation(), child + 1);
    assert!(!copied(child, child + 1));
}

#[test]
fn another_process_id_is_another_generation() {
    let detector = Detector { wiped: false, ..Detector::new(|| None).unwrap() };
    let first = detector.generation();
    assert_eq!(detector.generation(), first);
    detector.process.store(system::process_id() + 1, Ordering::Release);
    let child = detector.generation();
    assert!(child > first);
    assert_eq!(detector.generation(), child);
}

/// `randomInfo` reports this: forks are noticed by the process id, restored machines are not.
#[cfg(windows)]
#[test]
fn windows_wipes_no_page_and_has_no_device() {
    assert_eq!(means(), Some(Means { page: false, device: None }));
    assert!(generation() != UNKNOWN);
}
