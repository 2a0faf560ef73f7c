//! Forks: a parent, its child and its grandchild never give an equal output or nonce, whichever way they came about.
//!
//! Not a test among threads but a program of its own, since it forks. In a child it switches fork detection off, where
//! every way of forking must be seen to repeat outputs: otherwise it would prove nothing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::indexing_slicing, reason = "an index out of range fails the test")]
#![allow(unsafe_code, reason = "fork, clone and signals")]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

/// Elsewhere there is no raw clone, and no machine to run it on.
#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use hardware_aes_gcm::arena::Arena;
    use hardware_aes_gcm::backend::Cpu;
    use hardware_aes_gcm::error::Error;
    use hardware_aes_gcm::faults;
    use hardware_aes_gcm::hw::entropy::{Entropy, Machine};
    use hardware_aes_gcm::hw::fork::{means, renew};
    use hardware_aes_gcm::key::{Key, Options};
    use hardware_aes_gcm::rng::Generator;
    use hardware_aes_gcm::secret::SecretKey;
    use std::cell::Cell;
    use std::collections::HashSet;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::FromRawFd;
    use std::process::exit;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

    /// Forks of each way: a thousand and more in all.
    const TRIES: usize = 260;
    /// What one process gives after a fork, nonces aside.
    const OUTPUT: usize = 4096;
    const NONCES: usize = 4;

    /// A way to come to be two. It fills `output` and gives whether this is the child.
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

    /// The child, and its own child in one more, have the process id 1 both.
    const NAMESPACE: &str = "clone into a namespace of process ids";

    /// Whether this process may make one. On a machine that tests for everybody, it must be able to.
    fn namespaces() -> bool {
        // SAFETY: asks a number of the system.
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
        let namespaces = namespaces();
        for (name, way) in WAYS {
            if name == NAMESPACE && !namespaces {
                println!("{name}: root's alone, and no emulator's");
                continue;
            }
            let blind = equal_outputs_when_blind(way, 10);
            assert!(
                blind.0 > 0 && blind.1 > 0,
                "{name}, blind: {blind:?} outputs and nonces equal"
            );
            assert_eq!(equal_outputs(way, TRIES), (0, 0), "{name}");
            let (outputs, nonces) = blind;
            println!(
                "{name}: {TRIES} times, nothing equal; blind, {outputs} outputs, {nonces} nonces"
            );
        }
        // T50: a machine restored twice where nothing tells, after which both ask, as `reseed()` does.
        let asked = |twin: &mut Twin, output: &mut [u8]| {
            let child = clone(0).unwrap();
            renew();
            twin.fill(output);
            child
        };
        assert_eq!(equal_outputs_when_blind(asked, TRIES), (0, 0), "blind, and asked");
        println!("clone, then another generation asked for: {TRIES} times, nothing equal, blind");
    }

    /// The same in a child in which fork detection is off. Not a new program: an emulator cannot start one.
    fn equal_outputs_when_blind(way: Way, tries: usize) -> (usize, usize) {
        let (mut from, mut to) = pipe();
        // SAFETY: this process has one thread.
        if unsafe { libc::fork() } == 0 {
            faults::BLIND.turn(true);
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

    /// What every process of a trial has.
    struct Twin {
        generator: Generator<Forking>,
        key: Key,
    }

    impl Twin {
        fn new() -> Self {
            let cpu = Cpu::best().unwrap();
            let mut bytes = [7; 32];
            let key = SecretKey::copy(Cell::from_mut(&mut bytes[..]).as_slice_of_cells()).unwrap();
            let key = Key::new(cpu, &key, Options::default(), &mut Arena::default()).unwrap();
            Self { generator: Generator::new(cpu, Forking(Machine::new())).unwrap(), key }
        }

        fn fill(&mut self, output: &mut [u8]) {
            self.generator.fill(Cell::from_mut(output).as_slice_of_cells()).unwrap();
        }

        /// `output`, and nonces after it.
        fn write_to(&mut self, pipe: &mut File, output: &[u8]) {
            pipe.write_all(output).unwrap();
            for _ in 0..NONCES {
                let mut frame = [0; 28];
                let cells = Cell::from_mut(&mut frame[..]).as_slice_of_cells();
                self.key.encrypt_in_place(cells, &[]).unwrap();
                pipe.write_all(&frame[..12]).unwrap();
            }
        }
    }

    /// How many outputs of 16 bytes, and how many nonces, came more than once in so many trials.
    fn equal_outputs(way: Way, tries: usize) -> (usize, usize) {
        let (mut outputs, mut nonces, mut equal) = (HashSet::new(), HashSet::new(), (0, 0));
        let mut twin = Twin::new();
        twin.fill(&mut [0; 100]);
        let mut before = Vec::new();
        for _ in 0..tries {
            let (mut from, mut to) = pipe();
            let mut output = [0; OUTPUT];
            // A child and its own child write into the pipe and end; what is read ends with the last of them.
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
        // SAFETY: `ends` has room for two descriptors, and they are nobody's yet.
        unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
        }
    }

    fn wait() {
        let mut status = 0;
        // SAFETY: waits for the one child there is.
        let ended = unsafe { libc::wait(&mut status) };
        assert!(ended > 0 && status == 0, "a child failed: {status}");
    }

    /// A fork past the C library and its handlers; whether this is the child. None where it is refused.
    fn clone(flags: libc::c_int) -> Option<bool> {
        // SAFETY: no memory is shared (no CLONE_VM), so both go on as after a fork.
        let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD | flags, 0, 0, 0, 0) };
        (child >= 0).then_some(child == 0)
    }

    /// The machine, which forks when it is asked for the time, as a signal in that moment could.
    struct Forking(Machine);

    static FORK_AT: AtomicU32 = AtomicU32::new(0);
    static IN_CHILD: AtomicBool = AtomicBool::new(false);

    impl Forking {
        fn here(&self) {
            if FORK_AT.load(Ordering::SeqCst) > 0 && FORK_AT.fetch_sub(1, Ordering::SeqCst) == 1 {
                // SAFETY: this process has one thread.
                IN_CHILD.store(unsafe { libc::fork() } == 0, Ordering::SeqCst);
            }
        }
    }

    impl Entropy for Forking {
        fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
            self.here();
            self.0.os(seed)?;
            self.here();
            Ok(())
        }

        fn cpu(&self) -> Option<&'static str> {
            None
        }

        fn word(&mut self) -> Option<u64> {
            None
        }

        fn seconds(&self) -> u64 {
            self.here();
            self.0.seconds()
        }
    }

    /// Forks in the middle of a seeding: before and after the system's entropy is read, and at its end; or right after it,
    /// before bytes are given.
    fn while_seeding(twin: &mut Twin, output: &mut [u8]) -> bool {
        static TURN: AtomicU32 = AtomicU32::new(0);
        let turn = TURN.fetch_add(1, Ordering::SeqCst) % 4;
        // A seeding begins with `os` and ends with `seconds`; `fill` asks for the time before it gives.
        FORK_AT.store(1 + turn, Ordering::SeqCst);
        twin.generator.reseed().unwrap();
        twin.fill(output);
        assert_eq!(FORK_AT.load(Ordering::SeqCst), 0);
        IN_CHILD.swap(false, Ordering::SeqCst)
    }

    /// The last byte of a buffer that is being filled.
    static LAST: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
    const UNTOUCHED: [u8; 8] = [0xa5; 8];

    /// Clones where the buffer's end is not written yet: inside the call that fills it.
    extern "C" fn on_alarm(_: libc::c_int) {
        let last = LAST.load(Ordering::SeqCst);
        // SAFETY: null, or the last eight bytes of the buffer that this thread is filling.
        if !last.is_null() && unsafe { last.cast::<[u8; 8]>().read_volatile() } == UNTOUCHED {
            LAST.store(std::ptr::null_mut(), Ordering::SeqCst);
            IN_CHILD.store(clone(0) == Some(true), Ordering::SeqCst);
        }
    }

    fn while_filling(twin: &mut Twin, output: &mut [u8]) -> bool {
        let handler = on_alarm as extern "C" fn(libc::c_int);
        // SAFETY: the handler reads and writes atomics and makes a system call.
        unsafe { libc::signal(libc::SIGALRM, handler as libc::sighandler_t) };
        let mut buffer = vec![0; 1 << 18];
        loop {
            buffer.fill(UNTOUCHED[0]);
            let end = buffer.len() - 8;
            LAST.store(buffer[end..].as_mut_ptr(), Ordering::SeqCst);
            let once = libc::timeval { tv_sec: 0, tv_usec: 1 };
            let never = libc::timeval { tv_sec: 0, tv_usec: 0 };
            let timer = libc::itimerval { it_interval: never, it_value: once };
            // SAFETY: starts this process's timer.
            unsafe { libc::syscall(libc::SYS_setitimer, libc::ITIMER_REAL, &timer, 0) };
            twin.fill(&mut buffer);
            if LAST.swap(std::ptr::null_mut(), Ordering::SeqCst).is_null() {
                // Its first and its last bytes: written before and after the clone.
                let (start, end) = output.split_at_mut(OUTPUT / 2);
                start.copy_from_slice(&buffer[..OUTPUT / 2]);
                end.copy_from_slice(&buffer[buffer.len() - OUTPUT / 2..]);
                return IN_CHILD.swap(false, Ordering::SeqCst);
            }
        }
    }
}
