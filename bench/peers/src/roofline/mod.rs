//! Each half of the work alone, by the fastest loop found: an upper bound for the speed of AES-GCM on this CPU.

mod ghash;
mod keystream;
mod mix;
mod words;

use crate::clock::{Clock, SHORTEST, Samples, rounds};
use crate::model::{self, book};
use crate::options::Options;
use crate::peers::ours::expand;
use hardware_aes_gcm::backend::{Aead as _, Cipher as _, Cpu};
use hardware_aes_gcm::lanes::RawKey;
use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

/// Bytes that a loop runs over, for the first and the second level cache. Both hold only whole groups of every loop.
const BUFFERS: [usize; 2] = [15 << 10, 255 << 10];

/// Any nonce.
const NONCE: [u8; 12] = *b"any nonce 12";

/// Any key.
const KEY: [u8; 32] = *b"any key of thirty-two bytes here";

/// Any hash subkey.
const H: u128 = 0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e;

/// Bare instructions: AES alone, then with as many products as Karatsuba's multiply has, and the schoolbook's.
const ROUNDS: &str = "14 AES";
const THREE: &str = "14 AES, 3 products";
const FOUR: &str = "14 AES, 4 products";
/// The three products added up, and the blocks reversed before them.
const SUMS: &str = "3 products, sums";
const SHUFFLES: &str = "3 products, sums, shuffles";

/// The widths, and the backend that works at each.
pub const WIDTHS: [(&str, &str); 3] = [("zmm", "vaes512"), ("ymm", "vaes256"), ("xmm", "aesni")];

/// Half of the work, or the bare instructions of both halves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Keystream,
    Ghash,
    /// Only the instructions of both halves.
    Instructions,
}

impl Half {
    pub fn name(self) -> &'static str {
        match self {
            Self::Keystream => "keystream",
            Self::Ghash => "GHASH",
            Self::Instructions => "instructions",
        }
    }
}

/// A loop over a buffer, with its key in it.
type Run = Box<dyn Fn(&mut [u8])>;

/// A loop.
struct Candidate {
    half: Half,
    width: &'static str,
    name: &'static str,
    run: Run,
    /// Bytes of message that one run stands for, if they differ from the buffer's length.
    bytes: Option<usize>,
}

/// The times of a loop, in nanoseconds.
pub struct Timed {
    pub half: Half,
    pub width: &'static str,
    pub name: &'static str,
    pub bytes: usize,
    pub median: f64,
    pub minimum: f64,
}

impl Timed {
    /// Bytes per nanosecond, by the least time.
    pub fn speed(&self) -> f64 {
        self.bytes as f64 / self.minimum
    }
}

/// Every loop of every width that this CPU has, after a comparison with the plain model.
fn candidates() -> Vec<Candidate> {
    let mut all = Vec::new();
    for (width, backend) in WIDTHS {
        let Some(cpu) = Cpu::named(backend) else { continue };
        let key = || expand(cpu, RawKey::Aes256(&KEY));
        let (streaming, hashing) = (key(), key());
        let run = Box::new(move |data: &mut [u8]| {
            let cells = Cell::from_mut(data).as_slice_of_cells();
            streaming.within(|gcm| gcm.keystream(&NONCE, &[0; 16], cells, cells));
        });
        all.push(Candidate { half: Half::Keystream, width, name: backend, run, bytes: None });
        let run = Box::new(move |data: &mut [u8]| {
            let cells = Cell::from_mut(data).as_slice_of_cells();
            black_box(hashing.within(|gcm| gcm.authenticate(&NONCE, &[0; 16], &[], cells)));
        });
        all.push(Candidate { half: Half::Ghash, width, name: backend, run, bytes: None });
        all.extend(streams(width));
        all.extend(hashes(width));
        all.extend(mixes(width));
    }
    all
}

macro_rules! table {
    ($module:ident, $width:expr, $($prefix:literal: $($name:ident)+;)+) => {
        match $width {
            $($prefix => vec![$((stringify!($name), $module::$name as $module::Loop)),+],)+
            _ => Vec::new(),
        }
    };
}

/// The keystream loops of a width. The caller has detected the width's features.
fn streams(width: &'static str) -> Vec<Candidate> {
    let round_keys: keystream::RoundKeys =
        book::expand(&KEY).try_into().expect("fifteen round keys");
    let loops = table!(keystream, width,
        "zmm": zmm4 zmm8 zmm12 zmm16;
        "ymm": ymm4 ymm8 ymm12;
        "xmm": xmm4 xmm8 xmm12 xmm8_avx xmm12_avx;);
    let candidate = |(name, run): (&'static str, keystream::Loop)| {
        let mut data = vec![0; 2 * 3072];
        // SAFETY: this CPU runs the backend of this width, so it has the features.
        unsafe { run(&round_keys, &NONCE, &mut data) };
        let counter =
            u128::from_be_bytes(book::increment(book::first_counter(&NONCE)).to_be_bytes());
        let blocks = data.as_chunks().0.iter().zip(0_u128..);
        for (block, at) in blocks.take_while(|(block, _)| **block != [0; 16]) {
            let right = book::encrypt(&round_keys, (counter + at).to_be_bytes());
            assert!(*block == right, "{name} gives a wrong keystream");
        }
        // SAFETY: as above.
        let run = Box::new(move |data: &mut [u8]| unsafe { run(&round_keys, &NONCE, data) });
        Candidate { half: Half::Keystream, width, name, run: run as Run, bytes: None }
    };
    loops.into_iter().map(candidate).collect()
}

/// The GHASH loops of a width. The caller has detected the width's features.
fn hashes(width: &'static str) -> Vec<Candidate> {
    let loops = table!(ghash, width,
        "zmm": zmm4 zmm8 zmm16 zmm4_three zmm8_three zmm16_three;
        "ymm": ymm8 ymm16 ymm8_three ymm16_three;
        "xmm": xmm8 xmm16 xmm8_three xmm16_three xmm8_avx xmm8_avx_three;);
    // SAFETY: every width has the features of the narrowest.
    let powers = unsafe { ghash::powers(H) };
    let data: Vec<u8> = (0..4096_u32).map(|i| (i * 7 % 251) as u8).collect();
    let right = model::ghash(H, &data);
    let candidate = |(name, run): (&'static str, ghash::Loop)| {
        // SAFETY: this CPU runs the backend of this width, so it has the features.
        assert!(unsafe { run(&powers, &data) } == right, "{name} gives a wrong GHASH");
        let run = Box::new(move |data: &mut [u8]| {
            // SAFETY: as above.
            black_box(unsafe { run(&powers, data) });
        });
        Candidate { half: Half::Ghash, width, name, run: run as Run, bytes: None }
    };
    loops.into_iter().map(candidate).collect()
}

/// The instruction loops of a width. The caller has detected the width's features.
fn mixes(width: &'static str) -> Vec<Candidate> {
    macro_rules! loops {
        ($rounds:ident $three:ident $four:ident $sums:ident $shuffles:ident) => {
            [
                (ROUNDS, mix::$rounds as mix::Mix),
                (THREE, mix::$three),
                (FOUR, mix::$four),
                (SUMS, mix::$sums),
                (SHUFFLES, mix::$shuffles),
            ]
        };
    }
    let (blocks, loops) = match width {
        "zmm" => (4, loops!(zmm0 zmm3 zmm4 zmm_sums zmm_shuffles)),
        "ymm" => (2, loops!(ymm0 ymm3 ymm4 ymm_sums ymm_shuffles)),
        _ => (1, loops!(xmm0 xmm3 xmm4 xmm_sums xmm_shuffles)),
    };
    let candidate = |(name, run): (&'static str, mix::Mix)| Candidate {
        half: Half::Instructions,
        width,
        name,
        // SAFETY: this CPU runs the backend of this width, and the filter below has checked AVX.
        run: Box::new(move |_| unsafe { run() }),
        bytes: Some(mix::REGISTERS * blocks * 16),
    };
    let avx = width != "xmm" || std::arch::is_x86_feature_detected!("avx");
    loops.into_iter().filter(|_| avx).map(candidate).collect()
}

/// Every loop over every buffer, in rounds.
pub fn measure(options: &Options, clock: &Clock) -> Vec<Timed> {
    eprintln!("rooflines");
    let candidates = candidates();
    let mut all = Vec::new();
    for bytes in BUFFERS {
        let mut data = vec![0x5a; bytes];
        let mut samples = vec![Samples::default(); candidates.len()];
        let budget = Duration::from_millis(if options.quick { 800 } else { 4000 });
        rounds(10, budget, |round| {
            for turn in 0..candidates.len() {
                let at = (round + turn) % candidates.len();
                let runs = (SHORTEST / (bytes as f64 / 20.0)).ceil() as usize;
                let run = &candidates[at].run;
                // Once before the clock starts, so that the loop's code and keys are in the cache.
                run(&mut data);
                let spent = clock.time(|| (0..runs).for_each(|_| run(black_box(&mut data))));
                samples[at].0.push(spent / runs as f64);
            }
        });
        let here = candidates
            .iter()
            .zip(samples)
            .filter(|(candidate, _)| candidate.bytes.is_none() || bytes == BUFFERS[0]);
        all.extend(here.map(|(candidate, samples)| Timed {
            half: candidate.half,
            width: candidate.width,
            name: candidate.name,
            bytes: candidate.bytes.unwrap_or(bytes),
            median: samples.median(),
            minimum: samples.minimum(),
        }));
    }
    all
}

/// The fastest loop for a half, of one width or of all.
pub fn fastest<'a>(timed: &'a [Timed], half: Half, width: Option<&str>) -> Option<&'a Timed> {
    timed
        .iter()
        .filter(|timed| timed.half == half && width.is_none_or(|width| width == timed.width))
        .max_by(|a, b| a.speed().total_cmp(&b.speed()))
}

/// Bytes per nanosecond of a width's bare instructions, three products for each block.
pub fn ceiling(timed: &[Timed], width: &str) -> Option<f64> {
    let one = timed.iter().find(|timed| {
        timed.half == Half::Instructions && timed.width == width && timed.name == THREE
    })?;
    Some(one.speed())
}

/// Cycles per nanosecond, by a chain of additions in which each waits for the one before.
pub fn gigahertz(clock: &Clock) -> f64 {
    const CHAIN: usize = 20_000;
    let chain = |_| {
        let mut sum = 1_u64;
        clock.time(|| {
            for _ in 0..CHAIN / 100 {
                // SAFETY: additions in a register.
                unsafe {
                    std::arch::asm!(
                        ".rept 100", "add {sum}, {one}", ".endr",
                        sum = inout(reg) sum, one = in(reg) 1_u64, options(nomem, nostack, pure),
                    );
                }
            }
            sum
        })
    };
    CHAIN as f64 / Samples((0..200).map(chain).collect()).minimum()
}
