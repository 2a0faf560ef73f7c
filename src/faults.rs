//! Switches that break one promise each, so that a test can show that it notices the breach; and a
//! cap on the backends that detection finds, to test as on a CPU with fewer features. Both exist
//! only in builds with the feature `faults`, which are never published (checks/binary/check.mjs).

use core::sync::atomic::{AtomicBool, Ordering};

/// A switch that acts on the whole process.
#[derive(Debug)]
pub struct Switch {
    /// The name that tests in JavaScript use.
    pub name: &'static str,
    on: AtomicBool,
}

impl Switch {
    const fn named(name: &'static str) -> Self {
        Self { name, on: AtomicBool::new(false) }
    }

    /// Turns the switch on or off.
    pub fn turn(&self, on: bool) {
        self.on.store(on, Ordering::SeqCst);
    }

    /// Whether the switch is on.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::SeqCst)
    }
}

/// Memory of keys is neither wiped nor unmapped.
pub static KEEP_KEYS: Switch = Switch::named("keep-keys");
/// Registers and the stack below a call are not cleared after the call.
pub static KEEP_REGISTERS: Switch = Switch::named("keep-registers");
/// Pages of keys that are mapped from now on are part of core dumps.
pub static DUMP_KEYS: Switch = Switch::named("dump-keys");
/// Pages of keys that are mapped from now on are not locked.
pub static NO_LOCK: Switch = Switch::named("no-lock");
/// The operating system returns no random bytes.
pub static NO_OS: Switch = Switch::named("no-os");
/// Forks are not noticed.
pub static BLIND: Switch = Switch::named("blind");
/// Pages of generators that are made from now on are not wiped on fork.
pub static KEEP_POOL: Switch = Switch::named("keep-pool");

/// Every switch.
pub static ALL: &[&Switch] =
    &[&KEEP_KEYS, &KEEP_REGISTERS, &DUMP_KEYS, &NO_LOCK, &NO_OS, &BLIND, &KEEP_POOL];

/// The environment variable that caps detection: the best backend that may be found, or `none`.
pub const CAP: &str = "AESGCM_CAP";
