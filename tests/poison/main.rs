//! Keys, texts, secrets and shares as undefined memory, for valgrind's memcheck, which reports every branch and every address that depends
//! on such memory. checks/valgrind runs this program under valgrind. By itself it only checks the results.
//!
//! Memcheck does not see the time of an instruction: divisions and the like are for a reader of the machine code.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[path = "../common/mod.rs"]
mod common;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod cases;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod keys;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod memcheck;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod messages;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod packets;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod planted;

/// The requests are written for x86-64.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn main() {}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn main() {
    let expected = std::env::args().any(|argument| argument == "--under-valgrind");
    assert_eq!(
        memcheck::is_running(),
        expected,
        "whether valgrind runs this, and whether it should"
    );
    let cpu = hardware_aes_gcm::backend::Cpu::best().unwrap();
    // Valgrind knows no VAES and no AVX-512: it shows a CPU that has the narrowest backend alone.
    let backends = hardware_aes_gcm::backend::Cpu::all().count();
    assert!(!expected || backends == 1, "valgrind runs {}", cpu.name());
    assert_eq!(memcheck::reports(), 0, "before anything is poisoned");

    if !expected {
        println!("valgrind does not run: results only");
    }
    let report = |name: &str, found| {
        if expected {
            println!("{name}: {found} reports");
        }
    };
    let mut leaks = Vec::new();
    for (name, case) in cases::ALL {
        let before = memcheck::reports();
        case(cpu);
        let found = memcheck::reports() - before;
        report(name, found);
        leaks.extend((found > 0).then_some(name));
    }
    println!("verdicts: {}", memcheck::verdicts());
    for (name, leak) in planted::ALL {
        let before = memcheck::reports();
        leak();
        let found = memcheck::reports() - before;
        report(&format!("planted: {name}"), found);
        assert!(!expected || found > 0, "planted: {name}, and it was not reported");
    }
    assert!(leaks.is_empty(), "time depends on secrets: {leaks:?}");
}
