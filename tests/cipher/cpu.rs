//! The backends that must run here, by the operating system's account of the CPU: if detection stopped finding a backend,
//! other tests would silently skip it.

use hardware_aes_gcm::backend::{Cpu, NAMES};
#[cfg(any(target_os = "linux", windows))]
use hardware_aes_gcm::rng::report::Source;

/// The expectations of a backend: a row of backends.txt.
struct Expected {
    name: &'static str,
    state_bytes: usize,
    #[cfg_attr(target_os = "macos", expect(dead_code, reason = "no list to compare with"))]
    needs: Vec<&'static str>,
}

/// The backends of this architecture, best first.
fn expected() -> impl Iterator<Item = Expected> {
    let rows = include_str!("backends.txt").lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| row.split_whitespace().collect::<Vec<_>>())
        .filter(|row| row[0] == std::env::consts::ARCH)
        .map(|row| Expected {
            name: row[1],
            state_bytes: row[2].parse().unwrap(),
            needs: row[3..].to_vec(),
        })
}

#[cfg(any(target_os = "linux", windows))]
#[test]
fn every_backend_the_kernel_has_flags_for_is_offered_up_to_the_cap() {
    let flags = kernel_flags();
    assert!(!flags.is_empty(), "the kernel reports no feature of this CPU");
    let up_to_the_cap = expected().skip_while(|row| cap().is_some_and(|cap| cap != row.name));
    let expected: Vec<_> = up_to_the_cap
        .filter(|row| row.needs.iter().all(|need| flags.iter().any(|flag| flag == need)))
        .map(|row| row.name)
        .collect();
    assert_eq!(
        Cpu::all().map(Cpu::name).collect::<Vec<_>>(),
        expected,
        "under the cap {:?}",
        cap()
    );
    println!("{expected:?} must run, and do");
}

/// The best backend that detection may find (src/faults.rs). A build that ignores the cap fails the test above.
#[cfg(any(target_os = "linux", windows))]
fn cap() -> Option<String> {
    std::env::var("AESGCM_CAP").ok()
}

/// The CPU's features, by their names in /proc/cpuinfo.
#[cfg(target_os = "linux")]
fn kernel_flags() -> Vec<String> {
    let heading = if cfg!(target_arch = "x86_64") { "flags" } else { "Features" };
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let line = info.lines().find_map(|line| {
        let (name, flags) = line.split_once(':')?;
        (name.trim() == heading).then_some(flags)
    });
    match line {
        Some(flags) => flags.split_whitespace().map(str::to_owned).collect(),
        None if cfg!(target_arch = "aarch64") => capabilities(),
        None => Vec::new(),
    }
}

/// The CPU's features by CPUID, under the same names: Windows has no list of them. Wide registers count where Windows keeps
/// them for each thread, which the register XCR0 tells.
#[cfg(windows)]
#[expect(unsafe_code, reason = "a register")]
fn kernel_flags() -> Vec<String> {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: CPUID's bit of XSAVE in use is set.
        unsafe { _xgetbv(0) }
    }
    let (basic, more) = (__cpuid(1), __cpuid_count(7, 0));
    // SAFETY: as the bit says.
    let kept = if basic.ecx >> 27 & 1 == 1 { unsafe { xcr0() } } else { 0 };
    let rows = [
        (basic.ecx, 1, 0, "pclmulqdq"),
        (basic.ecx, 9, 0, "ssse3"),
        (basic.ecx, 19, 0, "sse4_1"),
        (basic.ecx, 25, 0, "aes"),
        (basic.ecx, 28, 0x06, "avx"),
        (more.ebx, 5, 0x06, "avx2"),
        (more.ecx, 9, 0x06, "vaes"),
        (more.ecx, 10, 0x06, "vpclmulqdq"),
        (more.ebx, 16, 0xe6, "avx512f"),
        (more.ebx, 30, 0xe6, "avx512bw"),
        (more.ebx, 31, 0xe6, "avx512vl"),
    ];
    let has = |(word, bit, state, _): &(u32, u32, u64, &str)| {
        word >> bit & 1 == 1 && kept & state == *state
    };
    rows.iter().filter(|row| has(row)).map(|row| row.3.to_owned()).collect()
}

/// The CPU's features from the auxiliary vector, since under qemu's user emulation /proc/cpuinfo describes the host.
/// AT_HWCAP is 16, with AES in bit 3 and PMULL in bit 4; AT_HWCAP2 is 26, with RNG in bit 16 (Linux,
/// arch/arm64/include/uapi/asm/hwcap.h).
#[cfg(target_os = "linux")]
fn capabilities() -> Vec<String> {
    let vector = std::fs::read("/proc/self/auxv").unwrap();
    let words = vector.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word));
    let words: Vec<u64> = words.collect();
    let bits = |kind| words.as_chunks().0.iter().find(|[other, _]| *other == kind).map(|[_, b]| *b);
    [(16, 3, "aes"), (16, 4, "pmull"), (26, 16, "rng")]
        .into_iter()
        .filter(|(kind, bit, _)| bits(*kind).is_some_and(|bits| bits >> bit & 1 == 1))
        .map(|(_, _, name)| name.to_owned())
        .collect()
}

#[cfg(any(target_os = "linux", windows))]
#[test]
fn the_cpus_source_of_entropy_is_found_where_it_exists() {
    let expected = if has_source() { Source::Untested } else { Source::Absent };
    assert_eq!(Source::of_this_machine(), expected);
    println!("{expected:?}");
}

/// CPUID leaf 7, EBX bit 18: RDSEED. /proc/cpuinfo does not list RDSEED where the kernel distrusts it.
#[cfg(all(any(target_os = "linux", windows), target_arch = "x86_64"))]
fn has_source() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx >> 18 & 1 == 1
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
fn has_source() -> bool {
    capabilities().iter().any(|name| name == "rng")
}

#[test]
fn names_lead_back_to_their_backends() {
    let names: Vec<_> = Cpu::all().map(Cpu::name).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(NAMES.contains(name), "{name} is not in the list");
        assert!(!names[..i].contains(name), "{name} is offered twice");
        assert_eq!(Cpu::named(name).map(Cpu::name), Some(*name));
    }
    assert_eq!(Cpu::best().map(Cpu::name), names.first().copied());
    assert!(Cpu::named("software").is_none());
}

#[test]
fn a_key_takes_no_more_memory_than_documented() {
    // docs/architecture.md: fifteen round keys; for each block of a group and one more, a power and its halves.
    for cpu in Cpu::all() {
        let documented = expected().find(|row| row.name == cpu.name()).unwrap().state_bytes;
        assert_eq!(cpu.state_bytes(), documented, "{}", cpu.name());
    }
}
