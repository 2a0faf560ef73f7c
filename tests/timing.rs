//! Data-independent timing: every arm64 kernel runs with PSTATE.DIT set where the CPU has it, and the caller's code does not.
#![cfg(all(target_arch = "aarch64", target_os = "linux"))]
#![allow(unsafe_code, reason = "a register, signals and their contexts")]

mod common;

use common::{cells, turn};
use hardware_aes_gcm::backend::{Aead, Cipher, Cpu, GcmKey, Message, SivKey, XaesKey};
use hardware_aes_gcm::hw::timing::independent;
use hardware_aes_gcm::key::arena::Arena;
use hardware_aes_gcm::lanes::{Block, Bytes, RawKey};
use std::arch::asm;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Bit 24 of PSTATE and of the register DIT, and by chance also of AT_HWCAP, where it says that the CPU has DIT.
const DIT: u64 = 1 << 24;

fn present() -> bool {
    // SAFETY: reads a number from the kernel.
    unsafe { libc::getauxval(libc::AT_HWCAP) & DIT != 0 }
}

fn is_on() -> bool {
    let dit: u64;
    // SAFETY: called where the CPU has the register.
    unsafe { asm!("mrs {}, S3_3_C4_C2_5", out(reg) dit) };
    dit & DIT != 0
}

#[test]
fn dit_is_on_during_the_work_and_restored_after_it() {
    let _turn = turn();
    let shown = std::env::var_os("SHOWN_BIT").is_some();
    assert!(present() || !shown, "checks/emulate/hwcap.c did not show the bit");
    if !present() {
        // Accessing a register that the CPU lacks would end this process.
        assert_eq!(independent(|| 7), 7);
        return;
    }
    assert!(!is_on());
    assert_eq!(independent(|| (is_on(), independent(is_on), is_on())), (true, true, true));
    assert!(!is_on());
    // SAFETY: as in `is_on`.
    unsafe { asm!("msr S3_3_C4_C2_5, {}", in(reg) DIT) };
    assert!(independent(is_on));
    assert!(is_on(), "a caller's own setting stays on");
    // SAFETY: as in `is_on`.
    unsafe { asm!("msr S3_3_C4_C2_5, xzr") };
}

/// How often a signal came while DIT was off, and while it was on.
static SEEN: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

extern "C" fn interrupted(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the context that the kernel passes to a handler with SA_SIGINFO.
    let pstate = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.pstate };
    let [off, on] = &SEEN;
    if pstate & DIT == 0 { off } else { on }.fetch_add(1, Ordering::Relaxed);
}

/// Repeats `work`, interrupted every millisecond, until [`SEEN`] counts fifty signals; returns these counts.
fn sampled(work: impl Fn()) -> [u32; 2] {
    // SAFETY: the handler only uses atomics.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = interrupted as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut()), 0);
    }
    let seen = || SEEN.each_ref().map(|seen| seen.load(Ordering::Relaxed));
    for seen in &SEEN {
        seen.store(0, Ordering::Relaxed);
    }
    // SAFETY: names this thread.
    let worker = unsafe { libc::pthread_self() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while seen().iter().sum::<u32>() < 50 {
                std::thread::sleep(Duration::from_millis(1));
                // SAFETY: the worker lives until this thread ends.
                unsafe { libc::pthread_kill(worker, libc::SIGUSR1) };
            }
        });
        while seen().iter().sum::<u32>() < 50 {
            work();
        }
    });
    seen()
}

const TAG: Block = [2; 16];

fn in_place<'a, const N: usize>(nonce: &'a [u8; N], text: Bytes<'a>) -> Message<'a, N> {
    Message { nonce, aad: &[], source: text, target: text }
}

#[test]
fn every_kernel_runs_with_dit() {
    let _turn = turn();
    runs_with_dit::<GcmKey, 12>();
    runs_with_dit::<XaesKey, 24>();
    runs_with_dit::<SivKey, 12>();
}

fn runs_with_dit<C: Aead<N>, const N: usize>() {
    let kernels: [(&str, fn(&C, Bytes)); 4] = [
        ("seal", |key, text| _ = key.within(|cipher| cipher.seal(in_place(&[1; N], text)))),
        ("open", |key, text| {
            key.within(|cipher| cipher.decrypt_unverified(in_place(&[1; N], text), &TAG));
        }),
        ("authenticate", |key, text| {
            key.within(|cipher| cipher.authenticate(&[1; N], &TAG, &[], text));
        }),
        ("keystream", |key, text| {
            key.within(|cipher| cipher.keystream(&[1; N], &TAG, text, text));
        }),
    ];
    let mut arena = Arena::default();
    for cpu in Cpu::all() {
        let key = C::expand(cpu, RawKey::Aes256(&[3; 32]), |bytes| arena.place(bytes)).unwrap();
        let mut memory = vec![7; 1 << 18];
        let text = cells(&mut memory);
        for (name, run) in &kernels {
            let [off, on] = sampled(|| run(&key, text));
            // A few signals come between two messages.
            let (most, few) = if present() { (on, off) } else { (off, on) };
            assert!(most >= 4 * few, "{name} on {}: off {off}, on {on}", cpu.name());
            println!("{name} on {}: off {off}, on {on}", cpu.name());
        }
    }
}
