//! Forks: a parent, its child and its grandchild never give an equal output or nonce, by any way of forking.
//!
//! A program of its own, since tests in threads cannot fork safely. As a control, every way of forking is also tried in a
//! child that does not notice forks, where it must repeat nonces; and where the generator's pages are not wiped either,
//! it must repeat outputs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]
#![allow(unsafe_code, reason = "fork, clone and signals")]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

/// Other systems have no raw clone.
#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod amid;
#[cfg(target_os = "linux")]
#[path = "../common/mod.rs"]
mod common;
#[cfg(target_os = "linux")]
mod wiped;

#[cfg(target_os = "linux")]
mod linux {
    use super::amid::{Forking, clone, while_filling, while_seeding};
    use super::common::process::end_of_child;
    use super::common::{cells, secret};
    use super::wiped;
    use hardware_aes_gcm::backend::Cpu;
    use hardware_aes_gcm::faults;
    use hardware_aes_gcm::hw::entropy::Machine;
    use hardware_aes_gcm::hw::fork::{means, renew};
    use hardware_aes_gcm::key::arena::Arena;
    use hardware_aes_gcm::key::{Key, Options};
    use hardware_aes_gcm::rng::Generator;
    use hardware_aes_gcm::rng::shared::SharedGenerator;
    use std::collections::HashSet;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::FromRawFd;
    use std::process::exit;

    /// Forks by each way, more than a thousand in all.
    const TRIES: usize = 260;
    /// Random bytes that one process gives after a fork.
    pub(crate) const OUTPUT: usize = 4096;
    const NONCES: usize = 4;

    /// A way to fork. It fills `output` and returns whether this is the child.
    type Way = fn(&mut Twin, &mut [u8]) -> bool;

    const WAYS: [(&str, Way); 5] = [
        ("fork", |twin, output| {
            // SAFETY: this process has one thread.
            let child = unsafe { libc::fork() } == 0;
            twin.fill(output);
            child
        }),
        ("clone", |twin, output| {
            let child = clone(0).unwrap();
            twin.fill(output);
            child
        }),
        ("fork while a generator seeds", while_seeding),
        ("clone while a generator fills", while_filling),
        (NAMESPACE, |twin, output| {
            let child = clone(libc::CLONE_NEWPID).unwrap();
            twin.fill(output);
            child
        }),
    ];

    /// Child and grandchild, each in a namespace of its own, both have the process id 1.
    const NAMESPACE: &str = "clone into a namespace of process ids";

    /// Whether this process may make a namespace of process ids. On CI, root must be able to.
    fn namespaces() -> bool {
        // SAFETY: reads a number from the system.
        if unsafe { libc::geteuid() } != 0 || !means().unwrap().page {
            return false;
        }
        let made = clone(libc::CLONE_NEWPID);
        match made {
            Some(true) => exit(0),
            Some(false) => wait(),
            None => assert!(std::env::var_os("CI").is_none(), "needs CAP_SYS_ADMIN"),
        }
        made.is_some()
    }

    pub(crate) fn main() {
        let wipes = means().unwrap().page;
        let ignored = std::env::var_os("ADVICE_IS_IGNORED").is_some();
        assert_ne!(wipes, ignored, "a kernel must wipe pages on fork, and an emulator must not");
        if wipes {
            wiped::a_child_has_none_of_its_parents_future_bytes();
            wiped::a_request_across_a_seeds_end_gives_no_zeros();
        }
        let namespaces = namespaces();
        for (name, way) in WAYS {
            if name == NAMESPACE && !namespaces {
                println!("{name}: skipped, since it needs root, and a kernel that is not emulated");
                continue;
            }
            let kept = equal_outputs_when_blind(way, 10, true);
            assert!(kept.0 > 0 && kept.1 > 0, "{name}, blind, pages kept: {kept:?} equal");
            // Where the kernel wipes pages, this alone keeps the outputs distinct.
            let blind = equal_outputs_when_blind(way, 10, false);
            assert!((blind.0 == 0) == wipes && blind.1 > 0, "{name}, blind: {blind:?} equal");
            assert_eq!(equal_outputs(way, TRIES), (0, 0), "{name}");
            println!(
                "{name}: {TRIES} times, all distinct; equal when blind, {} nonces; pages kept, {} outputs",
                blind.1, kept.0
            );
        }
        // A machine restored twice without a device that tells; then both copies call `reseed()`.
        let asked = |twin: &mut Twin, output: &mut [u8]| {
            let child = clone(0).unwrap();
            renew();
            twin.fill(output);
            child
        };
        assert_eq!(equal_outputs_when_blind(asked, TRIES, true), (0, 0), "blind, after `reseed()`");
        println!("clone, then `reseed()`: {TRIES} times, all distinct, though blind");
    }

    /// [`equal_outputs`] in a child that does not notice forks, and keeps its generators' pages if `keep`. A child, since an
    /// emulator cannot start a new program.
    fn equal_outputs_when_blind(way: Way, tries: usize, keep: bool) -> (usize, usize) {
        let (mut from, mut to) = pipe();
        // SAFETY: this process has one thread.
        if unsafe { libc::fork() } == 0 {
            faults::BLIND.turn(true);
            faults::KEEP_POOL.turn(keep);
            let equal = equal_outputs(way, tries);
            write!(to, "{} {}", equal.0, equal.1).unwrap();
            exit(0);
        }
        drop(to);
        let mut told = String::new();
        from.read_to_string(&mut told).unwrap();
        wait();
        let (outputs, nonces) = told.split_once(' ').unwrap();
        (outputs.parse().unwrap(), nonces.parse().unwrap())
    }

    /// The generator and the key that the processes of a trial start with.
    pub(crate) struct Twin {
        pub(crate) generator: Generator<Forking>,
        key: Key,
    }

    impl Twin {
        pub(crate) fn new() -> Self {
            let cpu = Cpu::best().unwrap();
            let (mut arena, salts) = (Arena::default(), SharedGenerator::default());
            let key =
                Key::new(cpu, &secret(&[7; 32]), Options::default(), &mut arena, &salts).unwrap();
            Self { generator: Generator::new(cpu, Forking(Machine::new())).unwrap(), key }
        }

        pub(crate) fn fill(&mut self, output: &mut [u8]) {
            self.generator.fill(cells(output)).unwrap();
        }

        /// Writes `output`, and nonces after it.
        fn write_to(&mut self, pipe: &mut File, output: &[u8]) {
            pipe.write_all(output).unwrap();
            for _ in 0..NONCES {
                let mut frame = [0; 28];
                self.key.encrypt_in_place(cells(&mut frame), &[]).unwrap();
                pipe.write_all(&frame[..12]).unwrap();
            }
        }
    }

    /// How many outputs of 16 bytes, and how many nonces, came more than once in `tries` trials.
    fn equal_outputs(way: Way, tries: usize) -> (usize, usize) {
        let (mut outputs, mut nonces, mut equal) = (HashSet::new(), HashSet::new(), (0, 0));
        let mut twin = Twin::new();
        twin.fill(&mut [0; 100]);
        let mut before = Vec::new();
        for _ in 0..tries {
            let (mut from, mut to) = pipe();
            let mut output = [0; OUTPUT];
            // The child and the grandchild write to the pipe and end; its end of file comes with the last of them.
            let generations = usize::from(way(&mut twin, &mut output)) + 1;
            if generations == 2 {
                drop(from);
                let mut own = [0; OUTPUT];
                let grandchild = way(&mut twin, &mut own);
                if !grandchild {
                    twin.write_to(&mut to, &output);
                    drop(to);
                    wait();
                    exit(0);
                }
                twin.write_to(&mut to, &own);
                exit(0);
            }
            before.clear();
            {
                let (mut from, mut to) = pipe();
                twin.write_to(&mut to, &output);
                drop(to);
                from.read_to_end(&mut before).unwrap();
            }
            drop(to);
            let mut others = Vec::new();
            from.read_to_end(&mut others).unwrap();
            wait();
            let each = OUTPUT + 12 * NONCES;
            assert_eq!(others.len(), 2 * each, "a child and a grandchild");
            for process in [&before[..], &others[..each], &others[each..]] {
                let (output, salted) = process.split_at(OUTPUT);
                let blocks = output.as_chunks::<16>().0;
                equal.0 += blocks.iter().filter(|block| !outputs.insert(**block)).count();
                let salted = salted.as_chunks::<12>().0;
                equal.1 += salted.iter().filter(|nonce| !nonces.insert(**nonce)).count();
            }
        }
        equal
    }

    fn pipe() -> (File, File) {
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for two descriptors, which this process does not use otherwise.
        unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
        }
    }

    fn wait() {
        assert_eq!(end_of_child(), Ok(0), "a child failed");
    }
}
