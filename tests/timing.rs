//! Data-independent timing: every arm64 kernel runs with PSTATE.DIT where the CPU has it, and no caller's code does.
#![cfg(all(target_arch = "aarch64", target_os = "linux"))]
#![allow(unsafe_code, reason = "a register, signals and what they interrupt")]

mod common;

use common::{cells, expanded};
use hardware_aes_gcm::backend::{Cpu, Expanded, Message};
use hardware_aes_gcm::hw::timing::independent;
use hardware_aes_gcm::lanes::Bytes;
use hardware_aes_gcm::lanes::RawKey;
use std::arch::asm;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Bit 24 of PSTATE, of the register DIT, and, as it happens, of what the kernel tells of the CPU.
const DIT: u64 = 1 << 24;

/// One at a time: time is the whole process's.
static TURN: Mutex<()> = Mutex::new(());

fn present() -> bool {
    // SAFETY: asks a number of the kernel's.
    unsafe { libc::getauxval(libc::AT_HWCAP) & DIT != 0 }
}

fn is_on() -> bool {
    let dit: u64;
    // SAFETY: called where the CPU has the register.
    unsafe { asm!("mrs {}, S3_3_C4_C2_5", out(reg) dit) };
    dit & DIT != 0
}

#[test]
fn it_is_on_inside_and_as_it_was_outside() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let shown = std::env::var_os("SHOWN_BIT").is_some();
    assert!(present() || !shown, "checks/emulate/hwcap.c did not show it");
    if !present() {
        // Where the register is not, touching it would end this.
        assert_eq!(independent(|| 7), 7);
        return;
    }
    assert!(!is_on());
    assert_eq!(independent(|| (is_on(), independent(is_on), is_on())), (true, true, true));
    assert!(!is_on());
    // SAFETY: as in `is_on`.
    unsafe { asm!("msr S3_3_C4_C2_5, {}", in(reg) DIT) };
    assert!(independent(is_on));
    assert!(is_on(), "a caller who had it on keeps it");
    // SAFETY: as in `is_on`.
    unsafe { asm!("msr S3_3_C4_C2_5, xzr") };
}

/// How often a signal came while it was off, and while it was on.
static SEEN: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

extern "C" fn interrupted(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: what the kernel gives a handler that asks for it.
    let pstate = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.pstate };
    let [off, on] = &SEEN;
    if pstate & DIT == 0 { off } else { on }.fetch_add(1, Ordering::Relaxed);
}

/// Runs `work` again and again, interrupted every millisecond, and gives what was seen.
fn sampled(work: impl Fn()) -> [u32; 2] {
    // SAFETY: the handler touches atomics alone.
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
    // SAFETY: asks which thread this is.
    let worker = unsafe { libc::pthread_self() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while seen().iter().sum::<u32>() < 50 {
                std::thread::sleep(Duration::from_millis(1));
                // SAFETY: that thread waits for this one.
                unsafe { libc::pthread_kill(worker, libc::SIGUSR1) };
            }
        });
        while seen().iter().sum::<u32>() < 50 {
            work();
        }
    });
    seen()
}

const NONCE: [u8; 12] = [1; 12];

fn in_place(text: Bytes) -> Message {
    Message { nonce: &NONCE, aad: &[], source: text, target: text }
}

#[test]
fn every_kernel_runs_with_it() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let kernels: [(&str, fn(&Expanded, Bytes)); 4] = [
        ("seal", |key, text| _ = key.within(|gcm| gcm.seal(in_place(text)))),
        ("open", |key, text| _ = key.within(|gcm| gcm.open(in_place(text)))),
        ("authenticate", |key, text| _ = key.within(|gcm| gcm.authenticate(&NONCE, &[], text))),
        ("keystream", |key, text| key.within(|gcm| gcm.keystream(&NONCE, text, text))),
    ];
    for cpu in Cpu::all() {
        let key = expanded(cpu, RawKey::Aes256(&[3; 32]));
        let mut memory = vec![7; 1 << 18];
        let text = cells(&mut memory);
        for (name, run) in &kernels {
            let [off, on] = sampled(|| run(&key, text));
            // Now and then one comes between two messages.
            let (most, few) = if present() { (on, off) } else { (off, on) };
            assert!(most >= 4 * few, "{name} on {}: off {off}, on {on}", cpu.name());
            println!("{name} on {}: off {off}, on {on}", cpu.name());
        }
    }
}
