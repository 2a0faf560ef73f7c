//! Sources of randomness: the operating system, and the CPU's own source where the CPU has one.

use super::clock;
use crate::error::Error;
use std::time::Instant;

/// The sources of seeds and the clocks of a generator: this [`Machine`]'s, or fakes in tests.
pub trait Entropy {
    /// Fills `seed` from the operating system. After [`Error::Entropy`], `seed` must not be used.
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error>;
    /// The name of the CPU's source; `None` where this CPU has no such source.
    fn cpu(&self) -> Option<&'static str>;
    /// One try for 64 bits from the CPU's source; `None` where the source has no word ready.
    fn word(&mut self) -> Option<u64>;
    /// The time to the nanosecond, for durations below a millisecond.
    fn now(&self) -> Instant {
        Instant::now()
    }
    /// Whole seconds since a fixed moment; never goes back.
    fn seconds(&self) -> u64 {
        clock::seconds()
    }
}

/// This machine's sources: the system call `getrandom` (`getentropy` on macOS, `ProcessPrng` on
/// Windows), and RDSEED or RNDRRS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine {
    source: Option<Detected>,
}

/// Proof that the CPU has the instruction.
#[derive(Clone, Copy, Debug)]
struct Detected(());

impl Machine {
    /// Detects the CPU's source. A detected source may still fail: where the kernel switches RDSEED
    /// off for an erratum, some CPUs still report it in CPUID.
    pub fn new() -> Self {
        Self { source: detected().then_some(Detected(())) }
    }
}

impl Entropy for Machine {
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
        os(seed)
    }

    fn cpu(&self) -> Option<&'static str> {
        self.source.map(|_| NAME)
    }

    fn word(&mut self) -> Option<u64> {
        self.source.and_then(word)
    }
}

/// Fills `target` from the operating system; [`Error::Entropy`] where the system refuses.
///
/// On Linux this is the bare system call (the crate's backend `linux_raw`). A C library may have a
/// generator of its own, whose state a checkpoint would copy; and a program may close a descriptor
/// of /dev/urandom, whose number one of its files then gets. A call that a signal interrupts is
/// repeated without limit; the kernel allows that only before its generator is first seeded.
///
/// On Windows this is `ProcessPrng`: a generator of the process, which the kernel seeds.
pub fn os(target: &mut [u8]) -> Result<(), Error> {
    #[cfg(feature = "faults")]
    if crate::faults::NO_OS.is_on() {
        return Err(Error::Entropy);
    }
    getrandom::fill(target).map_err(|_| Error::Entropy)
}

// The crate's default on Linux opens /dev/urandom where the kernel refuses the call, and keeps the
// descriptor. Documentation is built without the flags, and Miri has no assembly for the bare call.
#[cfg(all(target_os = "linux", not(any(getrandom_backend = "linux_raw", doc, doctest, miri))))]
compile_error!(
    "Linux builds need the flags `--cfg getrandom_backend=\"linux_raw\"` of .cargo/config.toml: RUSTFLAGS or \
     CARGO_ENCODED_RUSTFLAGS has replaced them and must contain them"
);

#[cfg(target_arch = "x86_64")]
const NAME: &str = "rdseed";
#[cfg(target_arch = "aarch64")]
const NAME: &str = "rndrrs";

#[cfg(target_arch = "x86_64")]
fn detected() -> bool {
    std::arch::is_x86_feature_detected!("rdseed")
}

/// No Mac has FEAT_RNG.
#[cfg(target_arch = "aarch64")]
fn detected() -> bool {
    cfg!(not(target_os = "macos")) && std::arch::is_aarch64_feature_detected!("rand")
}

/// RDSEED in its 64-bit form: on some CPUs the narrower ones report success and zeros
/// (AMD-SB-7055).
#[cfg(target_arch = "x86_64")]
fn word(_: Detected) -> Option<u64> {
    #[target_feature(enable = "rdseed")]
    fn rdseed() -> Option<u64> {
        let mut word = 0;
        let given = core::arch::x86_64::_rdseed64_step(&mut word);
        (given == 1).then_some(word)
    }
    // SAFETY: `Detected` was made after this feature was found.
    unsafe { rdseed() }
}

/// RNDRRS, the register that reseeds before each word (Arm ARM, FEAT_RNG). Flag Z means no word.
#[cfg(target_arch = "aarch64")]
fn word(_: Detected) -> Option<u64> {
    let (word, given): (u64, u64);
    // SAFETY: `Detected` proves FEAT_RNG. Reads a register and changes the flags, as declared.
    unsafe {
        core::arch::asm!(
            "mrs {word}, S3_3_C2_C4_1",
            "cset {given}, ne",
            word = out(reg) word,
            given = out(reg) given,
            options(nomem, nostack),
        );
    }
    (given == 1).then_some(word)
}
