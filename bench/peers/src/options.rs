//! The command line.

use std::path::PathBuf;
use std::time::Duration;

/// Default message sizes, in bytes.
const SIZES: &[usize] = &[16, 64, 256, 1024, 1440, 4096, 16384, 65536, 1 << 20, 16 << 20];

pub const HELP: &str = "\
Measures hardware-aes-gcm against other implementations of AES-GCM. Takes some minutes, and writes only with --json.

  --quick              less than a minute instead of some minutes
  --only SIZE[,SIZE]   messages of these sizes only, in bytes
  --ours               our backends only, seal and open
  --rows NAME[,NAME]   these implementations only, ours named by backend: vaes512,ipsec-mb
  --seal-only          seal only
  --aes128             AES-128 instead of AES-256
  --rooflines          the rooflines only
  --setup              key set-up only
  --quic               QUIC packets only, AES-128 and AES-256
  --shares             shares of keys only
  --classes            XAES-256-GCM and AES-GCM-SIV only
  --json FILE          write a record
  --check              fail if a required ratio is missed
  --help               this text";

/// The measurements to make.
pub struct Options {
    pub sizes: Vec<usize>,
    pub key_bytes: usize,
    pub quick: bool,
    pub ours: bool,
    pub rows: Option<Vec<String>>,
    pub seal_only: bool,
    pub rooflines: bool,
    pub setup: bool,
    pub quic: bool,
    pub shares: bool,
    pub classes: bool,
    pub check: bool,
    pub json: Option<PathBuf>,
    /// Set when this program runs itself with wide registers hidden from AWS-LC and OpenSSL.
    pub masked: bool,
}

impl Options {
    /// Reads the command line; an error describes its mistake.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            sizes: SIZES.to_vec(),
            key_bytes: 32,
            quick: false,
            ours: false,
            rows: None,
            seal_only: false,
            rooflines: false,
            setup: false,
            quic: false,
            shares: false,
            classes: false,
            check: false,
            json: None,
            masked: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--ours" => options.ours = true,
                "--seal-only" => options.seal_only = true,
                "--aes128" => options.key_bytes = 16,
                "--rooflines" => options.rooflines = true,
                "--setup" => options.setup = true,
                "--quic" => options.quic = true,
                "--shares" => options.shares = true,
                "--classes" => options.classes = true,
                "--check" => options.check = true,
                "--masked" => options.masked = true,
                "--rows" => options.rows = Some(value()?.split(',').map(str::to_owned).collect()),
                "--json" => options.json = Some(value()?.into()),
                "--only" => {
                    let size = |text: &str| match text.parse() {
                        Ok(size @ 1..=0x7fff_ffff) => Ok(size),
                        _ => Err(format!("{text} is not a size in bytes")),
                    };
                    options.sizes = value()?.split(',').map(size).collect::<Result<_, _>>()?;
                }
                _ => return Err(format!("{argument} is not an option: --help lists them.")),
            }
        }
        Ok(options)
    }

    /// Arguments of the masked process, for the same measurement.
    pub fn masked_arguments(&self) -> Vec<String> {
        let sizes: Vec<String> = self.sizes.iter().map(usize::to_string).collect();
        let mut arguments = vec!["--masked".to_owned(), "--only".to_owned(), sizes.join(",")];
        let flags = [
            (self.quick, "--quick"),
            (self.seal_only, "--seal-only"),
            (self.key_bytes == 16, "--aes128"),
        ];
        arguments.extend(flags.iter().filter(|(set, _)| *set).map(|(_, name)| (*name).to_owned()));
        arguments
    }

    /// The least time for one operation on one size.
    pub fn budget(&self) -> Duration {
        Duration::from_millis(match (self.quick, self.ours || self.masked) {
            (true, false) => 500,
            (true, true) => 200,
            (false, true) => 1000,
            (false, false) => 5000,
        })
    }

    /// The least number of rounds for messages of `size` bytes.
    pub fn rounds(&self, size: usize) -> usize {
        match (self.quick, size > 65536) {
            (false, false) => 30,
            (false, true) => 20,
            (true, false) => 10,
            (true, true) => 5,
        }
    }
}
