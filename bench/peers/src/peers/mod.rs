//! Every implementation. Those with the same calls share a file.

#[cfg(feature = "boringssl")]
mod boringssl;
mod hazmat;
#[cfg(ipsec_mb)]
mod ipsec_mb;
mod libcrux;
#[cfg(feature = "openssl")]
mod openssl;
pub mod ours;
pub mod ringlike;
mod rustcrypto;

use crate::aead::Aead;
use crate::subject::Subject;
use hardware_aes_gcm::backend::Cpu;

#[cfg(all(feature = "boringssl", feature = "openssl"))]
compile_error!("BoringSSL cannot be linked beside OpenSSL: build with --no-default-features");

/// The part that an implementation has in the ratios.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A backend of this crate.
    Ours,
    /// A library that ours must beat.
    Peer,
    /// Bare functions, without what a library does for a call. Ours must beat them by marks of their own.
    Bare,
    /// An implementation without AES instructions, shown but not compared.
    Baseline,
}

/// Largest message of a baseline, which would take seconds for larger ones.
const BASELINE_LARGEST: usize = 1 << 20;

/// An implementation with its name.
pub struct Entrant {
    pub name: String,
    pub kind: Kind,
    pub subject: Box<dyn Subject>,
}

impl Entrant {
    /// Whether it takes part with messages of `bytes` bytes.
    pub fn takes(&self, bytes: usize) -> bool {
        self.kind != Kind::Baseline || bytes <= BASELINE_LARGEST
    }
}

/// An implementation with a key in it.
pub fn entrant(name: &str, kind: Kind, subject: impl Aead + 'static) -> Entrant {
    Entrant { name: name.to_owned(), kind, subject: Box::new(subject) }
}

/// One for every backend that this CPU runs, best first.
pub fn ours(key: &[u8]) -> Vec<Entrant> {
    let row = |cpu: Cpu| entrant(cpu.name(), Kind::Ours, ours::Ours::new(cpu, key));
    Cpu::all().map(row).collect()
}

/// Every other implementation that takes a key this long.
pub fn others(key: &[u8]) -> Vec<Entrant> {
    let mut all = maskable(key);
    #[cfg(ipsec_mb)]
    all.insert(0, entrant("ipsec-mb", Kind::Bare, ipsec_mb::IpsecMb::new(key)));
    #[cfg(feature = "boringssl")]
    all.push(entrant("BoringSSL", Kind::Peer, boringssl::BoringSsl::new(key)));
    all.push(entrant("ring", Kind::Peer, ringlike::Ring::new(key)));
    all.push(entrant("graviola", Kind::Peer, hazmat::Graviola::new(key)));
    if key.len() == 32 {
        all.push(entrant("aes-gcm", Kind::Peer, rustcrypto::AesGcm256::new(key)));
        all.push(entrant("hardware-rust-crypto", Kind::Peer, hazmat::HardwareRust::new(key)));
        all.push(entrant("libcrux portable", Kind::Baseline, libcrux::Portable256::new(key)));
    } else {
        all.push(entrant("aes-gcm", Kind::Peer, rustcrypto::AesGcm128::new(key)));
        all.push(entrant("libcrux portable", Kind::Baseline, libcrux::Portable128::new(key)));
    }
    all
}

/// The implementations from which an environment variable can hide wide registers.
pub fn maskable(key: &[u8]) -> Vec<Entrant> {
    vec![
        entrant("aws-lc-rs", Kind::Peer, ringlike::AwsLc::new(key)),
        #[cfg(feature = "openssl")]
        entrant("OpenSSL", Kind::Peer, openssl::OpenSsl::new(key)),
    ]
}

/// The packages whose versions decide the numbers.
const NAMED: &[&str] = &[
    "aes",
    "aes-gcm",
    "aws-lc-rs",
    "aws-lc-sys",
    "boring-sys",
    "graviola",
    "hardware-aes-gcm",
    "hardware-rust-crypto",
    "libcrux-aesgcm",
    "openssl-src",
    "polyval",
    "ring",
];

/// Their versions: of crates from the lock file, without those that this program was built without.
pub fn versions() -> Vec<(String, String)> {
    let field = |package: &str, name: &str| {
        let rest = package.split_once(&format!("\n{name} = \""))?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let absent = if cfg!(feature = "openssl") { "boring-sys" } else { "openssl-src" };
    let crates = include_str!("../../Cargo.lock")
        .split("[[package]]")
        .filter_map(|package| Some((field(package, "name")?, field(package, "version")?)))
        .filter(|(name, _)| NAMED.contains(&name.as_str()) && name != absent);
    #[cfg(ipsec_mb)]
    let crates = crates.chain([("ipsec-mb".to_owned(), ipsec_mb::version())]);
    crates.collect()
}

/// Implementations that this program was built without, and why.
pub fn absent() -> Vec<&'static str> {
    let mut all = Vec::new();
    if !cfg!(ipsec_mb) {
        all.push("ipsec-mb: libipsec-mb-dev was not installed when this program was built");
    }
    if !cfg!(feature = "boringssl") {
        all.push(
            "BoringSSL: --no-default-features --features boringssl builds it, without OpenSSL",
        );
    }
    if !cfg!(feature = "openssl") {
        all.push("OpenSSL: it cannot be linked beside BoringSSL");
    }
    all
}
