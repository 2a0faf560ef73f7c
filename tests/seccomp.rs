//! A kernel that refuses entropy, as a sandbox may have it do. The target of a request is unchanged, the next request
//! asks the kernel again, and no descriptor is read instead.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "a filter of system calls")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{cells, entropy::filled, key, process::in_a_child};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::Machine;
use hardware_aes_gcm::hw::fork;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::key::ledger::Counts;
use hardware_aes_gcm::rng::Generator;

/// Makes `getrandom` fail with `errno` in this thread from now on. Files can still be opened, so that a fallback to
/// /dev/urandom would succeed and be noticed. EINTR is not tried, since the call would be repeated without limit.
fn refuse(errno: i32) {
    let jump = |number: i64, past: u8| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: past,
        jf: 0,
        k: number as u32,
    };
    let then = |code, k| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let mut filter = [
        // The number of the system call is the first word of `struct seccomp_data`.
        then(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
        jump(libc::SYS_getrandom, 1),
        then(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
        then(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | errno as u32),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program outlives the call that copies it.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program, 0, 0), 0);
    }
}

#[test]
fn a_sandbox_without_entropy_is_an_error() {
    for errno in [libc::EPERM, libc::ENOSYS, libc::EIO] {
        for used_before in [false, true] {
            // A thread cannot remove its filter.
            std::thread::spawn(move || refused(errno, used_before)).join().unwrap();
        }
    }
}

fn refused(errno: i32, used_before: bool) {
    let cpu = Cpu::best().unwrap();
    let mut generator = Generator::new(cpu, Machine::new()).unwrap();
    let mut key = key(cpu, &[1; 32], Options::default());
    if used_before {
        let first = filled(&mut generator, 32).unwrap();
        refuse(errno);
        // No seeding is due.
        assert_ne!(filled(&mut generator, 32).unwrap(), first);
        fork::renew();
    } else {
        refuse(errno);
    }
    for _ in 0..2 {
        assert_eq!(filled(&mut generator, 32), Err(Error::Entropy));
        assert_eq!(filled(&mut generator, 5000), Err(Error::Entropy));
        assert_eq!(generator.reseed(), Err(Error::Entropy));
        let mut frame = [7; 60];
        assert_eq!(key.encrypt_in_place(cells(&mut frame), &[]), Err(Error::Entropy));
        assert_eq!(key.allow_encrypt_job(frame.len(), 0), Err(Error::Entropy));
        assert_eq!(
            key.encrypt_job(frame.len(), 0, &mut Arena::default()).err(),
            Some(Error::Entropy)
        );
        assert_eq!(key.counts(), Counts::default());
        assert_eq!(frame, [7; 60]);
    }
    assert_eq!(key.counts().messages, 0);
}

/// A program closes every descriptor, as daemons do, and opens files of its own. Seeding neither opens nor keeps a
/// descriptor, so these files are never read as entropy, whether the kernel gives entropy or refuses it.
#[test]
fn a_file_in_place_of_a_closed_descriptor_is_not_entropy() {
    for refused in [false, true] {
        // Detected before the fork, since another thread may be in the middle of the detection when the fork comes.
        let cpu = Cpu::best().unwrap();
        // The C library's memory is usable in a child.
        let ended = in_a_child(|| after_closing_descriptors(cpu, refused));
        assert_eq!(ended, Ok(DONE), "refused: {refused}; the code says which step failed");
    }
}

/// A code that no other exit has: after a panic, the test's harness would end the child with zero.
const DONE: i32 = 7;

/// [`DONE`], or the number of the step that failed: a child without descriptors cannot print.
fn after_closing_descriptors(cpu: Cpu, refused: bool) -> i32 {
    const FILES: i32 = 10;
    let mut generator = Generator::new(cpu, Machine::new()).unwrap();
    let mut key = key(cpu, &[1; 32], Options::default());
    if refused {
        refuse(libc::ENOSYS);
    }
    let expected = if refused { Err(Error::Entropy) } else { Ok(()) };
    let first = filled(&mut generator, 32).map(drop);
    let mut frame = [7; 60];
    if first != expected || key.encrypt_in_place(cells(&mut frame), &[]) != expected {
        return 1;
    }
    // SAFETY: from here on this process uses no descriptors except those of the files opened below.
    let open: Vec<i32> = unsafe {
        libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0);
        let path = c"/proc/self/exe".as_ptr();
        (0..FILES).map(|_| libc::open(path, libc::O_RDONLY)).collect()
    };
    if !open.iter().copied().eq(0..FILES) {
        return 2;
    }
    fork::renew();
    for _ in 0..2 {
        if generator.reseed() != expected
            || filled(&mut generator, 5000).map(drop) != expected
            || key.encrypt_in_place(cells(&mut frame), &[]) != expected
        {
            return 3;
        }
        fork::renew();
    }
    // SAFETY: asks for the files' positions, and duplicates a descriptor.
    let (read, next) = unsafe {
        let read = open.iter().any(|file| libc::lseek(*file, 0, libc::SEEK_CUR) != 0);
        (read, libc::dup(0))
    };
    if read {
        4
    } else if next != FILES {
        5
    } else {
        DONE
    }
}
