//! T45: a kernel that refuses entropy, as a sandbox makes it do. What was to be filled is as it was, and the kernel is
//! asked again; nobody turns to a descriptor instead.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "a filter of system calls")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use common::{cells, entropy::filled, key};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::error::Error;
use hardware_aes_gcm::hw::entropy::Machine;
use hardware_aes_gcm::hw::fork;
use hardware_aes_gcm::key::Options;
use hardware_aes_gcm::rng::Generator;

/// From now on, in this thread, `getrandom` fails with `errno`. Files open as ever: nobody may turn to /dev/urandom, whose
/// descriptor a program that closes what it does not know would give to a file of its own. EINTR is not tried: the call
/// would be made again without end.
fn refuse(errno: i32) {
    let jump = |number: i64, past: u8| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: past,
        jf: 0,
        k: number as u32,
    };
    let then = |code, k| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let mut filter = [
        // The number of the system call is the first word of what a filter is shown.
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
            // A filter is a thread's, for good.
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
        // No seed is due.
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
        assert_eq!(frame, [7; 60]);
    }
    assert_eq!(key.counts().messages, 0);
}

/// A program that closes every descriptor, as daemons do, and opens a file of its own: seeding neither opens nor keeps a
/// descriptor, so the file is never read as entropy, whether the kernel gives entropy or refuses it.
#[test]
fn a_file_in_place_of_a_closed_descriptor_is_not_entropy() {
    for refused in [false, true] {
        // Before the fork, which may come while another thread finds it out.
        let cpu = Cpu::best().unwrap();
        // SAFETY: the child ends in `_exit`, and the C library's memory is usable in a child.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let code = after_closing_descriptors(cpu, refused);
            // SAFETY: ends the child.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: waits for the child.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        let ended = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
        assert_eq!(ended, Some(DONE), "refused: {refused}; the code says which step failed");
    }
}

/// A code that no exit has by itself: after a panic, the test's harness would end the child with zero.
const DONE: i32 = 7;

/// [`DONE`], or the number of the step that failed: a child without descriptors cannot say more.
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
    // SAFETY: nothing of this process uses a descriptor from here on but the files opened below.
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
    // SAFETY: asks where the files stand, and opens one more.
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
