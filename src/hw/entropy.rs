//! Where randomness comes from: the operating system, and the CPU's own source where it has one.

use super::clock;
use crate::error::Error;
use std::time::Instant;

/// What a generator wants of the world: sources of seeds, and the time. This machine is [`Machine`]; tests have others.
pub trait Entropy {
    /// Fills `seed` from the operating system, or gives [`Error::Entropy`] and whatever is then in `seed` is not used.
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error>;
    /// The name of the CPU's source; none where this CPU has none.
    fn cpu(&self) -> Option<&'static str>;
    /// One try for 64 bits from the CPU's source; none where it has nothing to give right now.
    fn word(&mut self) -> Option<u64>;
    /// The time to the nanosecond, for what may take but part of a millisecond.
    fn now(&self) -> Instant {
        Instant::now()
    }
    /// Whole seconds since some moment; never goes back.
    fn seconds(&self) -> u64 {
        clock::seconds()
    }
}

/// This machine's sources: the system call `getrandom` (`getentropy` on macOS), and RDSEED or RNDRRS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine {
    /// Proof that the CPU has the instruction.
    has: Option<Has>,
}

#[derive(Clone, Copy, Debug)]
struct Has(());

impl Machine {
    /// Finds out what this CPU has. That a source is there does not mean that it works: there are CPUs whose RDSEED
    /// was switched off by the kernel for an erratum, and is announced to programs all the same.
    pub fn new() -> Self {
        Self { has: detected().then_some(Has(())) }
    }
}

impl Entropy for Machine {
    fn os(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
        os(seed)
    }

    fn cpu(&self) -> Option<&'static str> {
        self.has.map(|_| NAME)
    }

    fn word(&mut self) -> Option<u64> {
        self.has.and_then(word)
    }
}

/// Fills `target` from the operating system; [`Error::Entropy`] where it gives nothing.
///
/// On Linux this is the bare system call (the crate's backend `linux_raw`): no C library, whose own state a checkpoint
/// would copy, and no descriptor of /dev/urandom, which a program may close and give to a file. A call that a signal
/// interrupts is made again without end; the kernel lets that happen only before its generator is first seeded.
pub fn os(target: &mut [u8]) -> Result<(), Error> {
    #[cfg(feature = "faults")]
    if crate::faults::NO_OS.is_on() {
        return Err(Error::Entropy);
    }
    getrandom::fill(target).map_err(|_| Error::Entropy)
}

// The crate's default on Linux turns to /dev/urandom where the kernel refuses the call, and keeps the descriptor.
// Documentation is made without the flags.
#[cfg(all(target_os = "linux", not(getrandom_backend = "linux_raw"), not(any(doc, doctest))))]
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

/// No Mac has it.
#[cfg(target_arch = "aarch64")]
fn detected() -> bool {
    cfg!(not(target_os = "macos")) && std::arch::is_aarch64_feature_detected!("rand")
}

/// The 64-bit form alone: on some CPUs the narrower ones report success and give zeros (AMD-SB-7055).
#[cfg(target_arch = "x86_64")]
fn word(_: Has) -> Option<u64> {
    #[target_feature(enable = "rdseed")]
    fn rdseed() -> Option<u64> {
        let mut word = 0;
        let given = core::arch::x86_64::_rdseed64_step(&mut word);
        (given == 1).then_some(word)
    }
    // SAFETY: `Has` was made after this feature was found.
    unsafe { rdseed() }
}

/// RNDRRS, the register that reseeds before it gives (Arm ARM, FEAT_RNG): the flags say Z where it had nothing.
#[cfg(target_arch = "aarch64")]
fn word(_: Has) -> Option<u64> {
    let (word, given): (u64, u64);
    // SAFETY: `Has` was made after FEAT_RNG was found. The register is read, and the flags are declared changed.
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
