//! T45: a kernel that refuses entropy, as a sandbox makes it do. What was to be filled is as it was, and it is asked again.
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
/// descriptor a program that closes what it does not know would give to a file of its own.
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
    for errno in [libc::EPERM, libc::ENOSYS, libc::EIO, libc::EINTR] {
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
