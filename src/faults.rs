//! Switches that break one promise each, for the tests that show that its absence would be noticed; and a cap on the
//! backends that detection finds, for the tests of a lesser CPU. Both exist in builds with the feature `faults` alone,
//! which nothing published has (checks/binary/check.mjs).

use core::sync::atomic::{AtomicBool, Ordering};

/// A switch of the whole process.
#[derive(Debug)]
pub struct Switch {
    /// Its name, for the tests in JavaScript.
    pub name: &'static str,
    on: AtomicBool,
}

impl Switch {
    const fn named(name: &'static str) -> Self {
        Self { name, on: AtomicBool::new(false) }
    }

    /// Turns it on or off.
    pub fn turn(&self, on: bool) {
        self.on.store(on, Ordering::SeqCst);
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::SeqCst)
    }
}

/// Memory of keys is neither wiped nor unmapped.
pub static KEEP_KEYS: Switch = Switch::named("keep-keys");
/// Registers, and the stack below a call, keep what a call leaves in them.
pub static KEEP_REGISTERS: Switch = Switch::named("keep-registers");
/// Pages of keys that are mapped from now on are part of core dumps.
pub static DUMP_KEYS: Switch = Switch::named("dump-keys");
/// Pages of keys that are mapped from now on are not locked.
pub static NO_LOCK: Switch = Switch::named("no-lock");
/// The operating system gives no random bytes.
pub static NO_OS: Switch = Switch::named("no-os");
/// Nobody notices a fork.
pub static BLIND: Switch = Switch::named("blind");
/// Pages of a generator that is made from now on are not wiped on fork.
pub static KEEP_POOL: Switch = Switch::named("keep-pool");

/// Every switch.
pub static ALL: &[&Switch] =
    &[&KEEP_KEYS, &KEEP_REGISTERS, &DUMP_KEYS, &NO_LOCK, &NO_OS, &BLIND, &KEEP_POOL];

/// The environment variable that caps detection: the name of a backend, where no better one is found, or `none`.
pub const CAP: &str = "AESGCM_CAP";
