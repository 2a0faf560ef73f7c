//! QUIC packets of 1200 bytes in runs of 64: payload and header protection of one direction of a connection.

mod agree;
mod libraries;
pub mod marks;
mod measure;
mod ours;
pub mod report;
mod run;
mod separate;
mod setup;

pub use measure::{Operation, Row};

use crate::aead::Nonce;
use crate::clock::Clock;
use crate::options::Options;
use crate::peers::Kind;
use crate::setup::Setup;
use hardware_aes_gcm::backend::Cpu;
use marks::Mark;
use run::Run;
use separate::Separate;

/// An implementation with the keys of one direction. Its loops over a run pay for no virtual call.
pub trait Direction {
    /// Makes the keys anew if they may not seal `run`. Called before every seal, while the clock is stopped.
    fn renew(&mut self, _run: &Run) {}

    /// Protects every packet.
    fn seal(&mut self, run: &mut Run);

    /// Removes the protection of every packet, and tells whether each was authentic and had its number.
    fn open(&mut self, run: &mut Run) -> bool;

    /// Writes the number and seals the payload of every packet; headers stay in clear.
    fn seal_unmasked(&mut self, run: &mut Run);

    /// Seals every packet as a message of 1200 bytes without additional data.
    fn seal_plain(&mut self, run: &mut Run);

    /// Makes the mask of every packet.
    fn masks(&mut self, run: &mut Run);

    /// The mask of one header (RFC 9001 5.4.1).
    fn mask(&self, sample: &[u8; 16]) -> [u8; 5];

    /// Makes and drops the keys of `count` directions, each with the keys of the next phase beside them if `next`.
    fn set_up(&self, next: bool, count: usize);

    /// Bytes of the expanded keys of such a direction, if the library shows them.
    fn state(&self, next: bool) -> Option<usize>;
}

/// The secrets of a direction: for packets, of 16 or 32 bytes, and for headers, of the same length.
#[derive(Clone)]
pub struct Secrets {
    key: Vec<u8>,
    iv: Nonce,
    header: Vec<u8>,
}

impl Secrets {
    /// Any keys of `bytes` bytes.
    fn of(bytes: usize) -> Self {
        let some = |factor: u8| (0..bytes as u8).map(|i| i.wrapping_mul(factor) ^ 0x5c).collect();
        Self { key: some(5), iv: *b"a static iv.", header: some(11) }
    }

    fn bits(&self) -> usize {
        self.key.len() * 8
    }
}

/// An implementation with its name.
pub struct Entrant {
    name: String,
    kind: Kind,
    direction: Box<dyn Direction>,
}

/// The results for both key sizes.
#[derive(Default)]
pub struct Results {
    pub rows: Vec<Row>,
    /// The key's bits with every set-up.
    pub setups: Vec<(usize, Setup)>,
    pub marks: Vec<Mark>,
}

/// One for every backend that this CPU runs, best first, and the peers unless `only_ours`.
fn entrants(secrets: &Secrets, only_ours: bool) -> Vec<Entrant> {
    let ours = |cpu: Cpu| Entrant {
        name: cpu.name().to_owned(),
        kind: Kind::Ours,
        direction: Box::new(ours::Ours::new(cpu, secrets)),
    };
    let mut all: Vec<Entrant> = Cpu::all().map(ours).collect();
    if !only_ours {
        let peer =
            |name: &str, direction| Entrant { name: name.to_owned(), kind: Kind::Peer, direction };
        all.push(peer("aws-lc-rs", Box::new(Separate::<libraries::AwsLc>::new(secrets))));
        all.push(peer("ring", Box::new(Separate::<libraries::Ring>::new(secrets))));
    }
    all
}

/// Measures both key sizes, after a check that all entrants agree, and prints the tables.
pub fn run(options: &Options, clock: &Clock) -> Results {
    let mut results = Results::default();
    for bytes in [16, 32] {
        let secrets = Secrets::of(bytes);
        let mut entrants = entrants(&secrets, options.ours);
        agree::agree(&mut entrants);
        let rows = measure::measure(options, clock, &mut entrants, secrets.bits());
        report::rows(&rows, secrets.bits());
        let setups = setup::measure(options, clock, &entrants, secrets.bits());
        report::setups(&setups, secrets.bits());
        results.marks.extend(marks::marks(&rows));
        results.rows.extend(rows);
        results.setups.extend(setups.into_iter().map(|setup| (secrets.bits(), setup)));
    }
    marks::print(&results.marks);
    results
}
