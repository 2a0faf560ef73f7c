//! Every implementation. Those with the same calls share a file.

mod hazmat;
mod libcrux;
mod openssl;
pub mod ours;
pub mod ringlike;
mod rustcrypto;

use crate::aead::Aead;
use crate::subject::Subject;
use hardware_aes_gcm::backend::Cpu;

/// The part that an implementation has in the ratios.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A backend of this crate.
    Ours,
    /// An implementation that ours must beat.
    Peer,
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
        entrant("OpenSSL", Kind::Peer, openssl::OpenSsl::new(key)),
    ]
}

/// The packages whose versions decide the numbers.
const NAMED: &[&str] = &[
    "aes",
    "aes-gcm",
    "aws-lc-rs",
    "aws-lc-sys",
    "graviola",
    "hardware-aes-gcm",
    "hardware-rust-crypto",
    "libcrux-aesgcm",
    "openssl-src",
    "polyval",
    "ring",
];

/// Their versions, from the lock file.
pub fn versions() -> Vec<(String, String)> {
    let field = |package: &str, name: &str| {
        let rest = package.split_once(&format!("\n{name} = \""))?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    include_str!("../../Cargo.lock")
        .split("[[package]]")
        .filter_map(|package| Some((field(package, "name")?, field(package, "version")?)))
        .filter(|(name, _)| NAMED.contains(&name.as_str()))
        .collect()
}
