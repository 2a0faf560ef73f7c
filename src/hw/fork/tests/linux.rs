//! The detector on Linux: devices that a test writes, children of `fork`.
use super::*;
use std::os::unix::fs::FileExt;

/// A file in place of a device, and a detector that reads it.
fn restorable(name: &str) -> (std::fs::File, Detector) {
    let path = std::env::temp_dir().join(format!("sysgenid-{name}-{}", std::process::id()));
    let mut options = std::fs::File::options();
    let file = options.create(true).truncate(true).read(true).write(true).open(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    file.set_len(4096).unwrap();
    let kind = DEVICES.iter().find(|kind| kind.path == "/dev/sysgenid").unwrap();
    let detector = Detector::new(|| Device::map(kind, &file)).unwrap();
    (file, detector)
}

#[test]
fn a_restored_machine_is_another_generation() {
    let (file, detector) = restorable("one");
    let first = detector.generation();
    assert!(first != UNKNOWN && detector.generation() == first);
    for restored in 1..=5_u32 {
        let before = detector.generation();
        file.write_all_at(&restored.to_ne_bytes(), 0).unwrap();
        let after = detector.generation();
        assert!(after > before, "{restored}");
        assert_eq!(detector.generation(), after);
    }
}

/// Once, a thread with the old number that saw another thread's record of the restore returned it.
#[test]
fn a_restore_noticed_by_another_thread_is_another_generation() {
    const THREADS: u32 = 4;
    let (file, detector) = restorable("many");
    let [restored, done, old] = [(); 3].map(|()| AtomicU32::new(0));
    let before = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for round in 1..=20_000 {
                    while restored.load(Ordering::SeqCst) < round {
                        std::thread::yield_now();
                    }
                    if detector.generation() <= before.load(Ordering::SeqCst) {
                        old.fetch_add(1, Ordering::SeqCst);
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for round in 1..=20_000_u32 {
            before.store(detector.generation(), Ordering::SeqCst);
            file.write_all_at(&round.to_ne_bytes(), 0).unwrap();
            restored.store(round, Ordering::SeqCst);
            while done.load(Ordering::SeqCst) < round * THREADS {
                std::thread::yield_now();
            }
        }
    });
    assert_eq!(old.into_inner(), 0);
}

/// The kernel wipes the page in a child. Before `generation` runs, only the handler writes there.
#[test]
fn a_child_of_fork_has_been_through_the_handler() {
    let detector = detector().unwrap();
    // SAFETY: the child reads an atomic and ends, as the child of a process with threads may.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let renewed = detector.copy.load(Ordering::SeqCst) > 1;
        // SAFETY: ends the child.
        unsafe { libc::_exit(if renewed { 7 } else { 1 }) };
    }
    assert_eq!(status_of(child), 7);
}

/// The status with which a child exits.
fn status_of(child: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: waits for the child.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "{status}");
    libc::WEXITSTATUS(status)
}

/// Once, every call without a page mapped the device for good.
#[test]
fn a_detector_without_a_page_opens_no_device() {
    // SAFETY: the child only makes system calls.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut opened = false;
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the child can map no more.
        let limited = unsafe { libc::setrlimit(libc::RLIMIT_AS, &none) } == 0;
        let made = Detector::new(|| {
            opened = true;
            None
        });
        // SAFETY: ends the child.
        unsafe { libc::_exit(if limited && made.is_none() && !opened { 7 } else { 1 }) };
    }
    assert_eq!(status_of(child), 7);
}

#[test]
fn this_kernel_wipes_pages_on_fork() {
    assert!(Detector::new(|| None).unwrap().wiped);
}
