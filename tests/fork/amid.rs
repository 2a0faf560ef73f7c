//! Forks in the middle of a generator's work: while it seeds, and while it fills a buffer.

use super::linux::{OUTPUT, Twin};
use super::wiped;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::{Entropy, Machine};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// A fork that bypasses the C library and its handlers; whether this is the child, or `None` where the kernel refuses.
pub(crate) fn clone(flags: libc::c_int) -> Option<bool> {
    // SAFETY: without CLONE_VM no memory is shared, so both processes go on as after a fork.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD | flags, 0, 0, 0, 0) };
    (child >= 0).then_some(child == 0)
}

/// This machine's sources, with a fork at one of the calls, as a signal's handler could fork at that moment.
pub(crate) struct Forking(pub(crate) Machine);

/// At which call from now to fork, counted from 1; 0 for never.
static FORK_AT: AtomicU32 = AtomicU32::new(0);
static IN_CHILD: AtomicBool = AtomicBool::new(false);

impl Forking {
    fn fork_if_due(&self, seed: &[u8]) {
        if FORK_AT.load(Ordering::SeqCst) > 0 && FORK_AT.fetch_sub(1, Ordering::SeqCst) == 1 {
            wiped::before_a_fork(seed);
            // SAFETY: this process has one thread.
            let in_child = unsafe { libc::fork() } == 0;
            wiped::after_a_fork(in_child);
            IN_CHILD.store(in_child, Ordering::SeqCst);
        }
    }
}

impl Entropy for Forking {
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
        self.fork_if_due(&[]);
        self.0.os(seed)?;
        self.fork_if_due(seed);
        Ok(())
    }

    fn cpu(&self) -> Option<&'static str> {
        None
    }

    fn word(&mut self) -> Option<u64> {
        None
    }

    fn seconds(&self) -> u64 {
        self.fork_if_due(&[]);
        self.0.seconds()
    }
}

/// Forks before and after a seeding reads the system's entropy, at the end of the seeding, and before bytes are given, in
/// turn.
pub(crate) fn while_seeding(twin: &mut Twin, output: &mut [u8]) -> bool {
    static TURN: AtomicU32 = AtomicU32::new(0);
    fork_while_seeding(twin, output, 1 + TURN.fetch_add(1, Ordering::SeqCst) % 4)
}

/// Forks at one of these four moments, counted from 1.
pub(crate) fn fork_while_seeding(twin: &mut Twin, output: &mut [u8], at: u32) -> bool {
    // A seeding begins with `os` and ends with `seconds`; `fill` asks for the time before it gives.
    FORK_AT.store(at, Ordering::SeqCst);
    twin.generator.reseed().unwrap();
    twin.fill(output);
    assert_eq!(FORK_AT.load(Ordering::SeqCst), 0);
    IN_CHILD.swap(false, Ordering::SeqCst)
}

/// Forks after a generator found its pages intact, and before it gives bytes from them.
pub(crate) fn fork_before_giving(twin: &mut Twin, output: &mut [u8]) -> bool {
    FORK_AT.store(1, Ordering::SeqCst);
    twin.fill(output);
    assert_eq!(FORK_AT.load(Ordering::SeqCst), 0);
    IN_CHILD.swap(false, Ordering::SeqCst)
}

/// The last eight bytes of the buffer that is being filled; null where the handler must not fork.
static LAST: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
const UNTOUCHED: [u8; 8] = [0xa5; 8];

/// Clones if the end of the buffer is not written yet, which means inside the call that fills it.
extern "C" fn on_alarm(_: libc::c_int) {
    let last = LAST.load(Ordering::SeqCst);
    // SAFETY: null, or the last eight bytes of the buffer that this thread is filling.
    if !last.is_null() && unsafe { last.cast::<[u8; 8]>().read_volatile() } == UNTOUCHED {
        LAST.store(std::ptr::null_mut(), Ordering::SeqCst);
        let in_child = clone(0) == Some(true);
        wiped::after_a_fork(in_child);
        IN_CHILD.store(in_child, Ordering::SeqCst);
    }
}

pub(crate) fn while_filling(twin: &mut Twin, output: &mut [u8]) -> bool {
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
            // The first bytes were written before the clone, the last bytes after it.
            let (start, end) = output.split_at_mut(OUTPUT / 2);
            start.copy_from_slice(&buffer[..OUTPUT / 2]);
            end.copy_from_slice(&buffer[buffer.len() - OUTPUT / 2..]);
            return IN_CHILD.swap(false, Ordering::SeqCst);
        }
    }
}
