//! This crate's field and shares, one backend at a time.

use super::{Operation, SIZES, Size, Work};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::backend::field::{Element, ONE};
use hardware_aes_gcm::hw::entropy::Machine;
use hardware_aes_gcm::protocol::shamir::element;
use hardware_aes_gcm::protocol::shamir::point::{self, POINT_BYTES};
use hardware_aes_gcm::protocol::shamir::share::{self, Common, SHARE_BYTES, Set};
use hardware_aes_gcm::rng::Generator;
use std::cell::Cell;
use std::hint::black_box;

const KEY: [u8; 32] = *b"a key of thirty-two bytes: split";
const BLIND: [u8; 32] = *b"bytes that are random elsewhere.";

/// Two elements.
const ELEMENTS: [Element; 2] = [[[0x9d; 16], [0x3b; 16]], [[0x57; 16], [0xe1; 16]]];

/// The work of one backend.
pub fn work(cpu: Cpu, operation: Operation) -> Work {
    let [mut a, b] = ELEMENTS;
    let run: Box<dyn FnMut(usize)> = match operation {
        Operation::Multiply => Box::new(move |count| {
            cpu.field(|field| (0..count).for_each(|_| field.multiply(&mut a, black_box(&b))));
            black_box(&a);
        }),
        Operation::Invert => Box::new(move |count| {
            cpu.field(|field| (0..count).for_each(|_| field.invert(black_box(&mut a))));
        }),
        Operation::Split(size) => {
            let mut splitter = Splitter::new(cpu, size, SHARE_BYTES);
            Box::new(move |count| (0..count).for_each(|_| splitter.split()))
        }
        Operation::Combine(size) => {
            let shares = Splitter::new(cpu, size, SHARE_BYTES).enough(Splitter::split);
            Box::new(move |count| {
                for _ in 0..count {
                    black_box(combine(cpu, black_box(&shares)));
                }
            })
        }
        Operation::SplitPoints(size) => {
            let mut splitter = Splitter::new(cpu, size, POINT_BYTES);
            Box::new(move |count| (0..count).for_each(|_| splitter.split_points()))
        }
        Operation::CombinePoints(size) => {
            let shares = Splitter::new(cpu, size, POINT_BYTES).enough(Splitter::split_points);
            Box::new(move |count| {
                for _ in 0..count {
                    black_box(combine_points(cpu, black_box(&shares), size));
                }
            })
        }
    };
    Work { backend: cpu.name(), operation, run }
}

/// Splits the key again and again.
struct Splitter {
    cpu: Cpu,
    /// On the same backend, as on a CPU that has no better one.
    generator: Generator,
    size: Size,
    key: [Cell<u8>; 32],
    blind: [Cell<u8>; 32],
    shares: Vec<Cell<u8>>,
}

impl Splitter {
    fn new(cpu: Cpu, size: Size, bytes: usize) -> Self {
        Self {
            cpu,
            generator: Generator::new(cpu, Machine::new()).expect("entropy"),
            size,
            key: KEY.map(Cell::new),
            blind: BLIND.map(Cell::new),
            shares: vec![Cell::new(0); size.count * bytes],
        }
    }

    #[inline(never)]
    fn split(&mut self) {
        let Self { cpu, generator, size, key, blind, shares } = self;
        let common = Common { length: 32, threshold: size.threshold as u8, check: [7; 16] };
        let (key, shares) = (&black_box(key)[..], &shares[..]);
        share::split(*cpu, generator, key, blind, &common, shares).expect("split");
    }

    #[inline(never)]
    fn split_points(&mut self) {
        let Self { cpu, generator, size, key, shares, .. } = self;
        let threshold = size.threshold as u8;
        point::split(*cpu, generator, black_box(key), threshold, false, shares).expect("split");
    }

    /// The last shares that are enough.
    fn enough(mut self, split: fn(&mut Self)) -> Vec<Cell<u8>> {
        split(&mut self);
        let Size { threshold, count } = self.size;
        let bytes = self.shares.len() / count;
        self.shares.split_off((count - threshold) * bytes)
    }
}

/// The key and the blind.
#[inline(never)]
fn combine(cpu: Cpu, shares: &[Cell<u8>]) -> [Cell<u8>; 64] {
    let words = [const { Cell::new(0) }; 64];
    let set = Set::parse(cpu, shares).expect("whole shares");
    share::write_words(&words, &set.shares().secrets());
    words
}

/// The key. There are no shares above the threshold, so there is no question whether they agree.
#[inline(never)]
fn combine_points(cpu: Cpu, shares: &[Cell<u8>], size: Size) -> [Cell<u8>; 32] {
    let key = [const { Cell::new(0) }; 32];
    let shares = point::parse(cpu, shares, size.threshold as u8).expect("whole shares");
    let [word] = &*shares.secrets();
    element::write(&key, word);
    key
}

/// Checks that all backends give the same products and inverses, and that each combines the shares of every other one.
pub fn agree() {
    let [a, b] = ELEMENTS;
    let products = Cpu::all().map(|cpu| {
        let (mut product, mut inverse) = (a, a);
        cpu.field(|field| {
            field.multiply(&mut product, &b);
            field.invert(&mut inverse);
            field.multiply(&mut inverse, &a);
        });
        assert_eq!(inverse, ONE, "{} does not invert", cpu.name());
        product
    });
    let products: Vec<Element> = products.collect();
    assert!(products.windows(2).all(|pair| pair[0] == pair[1]), "products of backends differ");
    for (splitter, combiner) in Cpu::all().flat_map(|a| Cpu::all().map(move |b| (a, b))) {
        for size in SIZES {
            let shares = Splitter::new(splitter, size, SHARE_BYTES).enough(Splitter::split);
            let points = Splitter::new(splitter, size, POINT_BYTES).enough(Splitter::split_points);
            let words = combine(combiner, &shares).map(|cell| cell.get());
            let key = combine_points(combiner, &points, size).map(|cell| cell.get());
            let (a, b) = (splitter.name(), combiner.name());
            assert!(words == *[KEY, BLIND].as_flattened(), "{b} does not combine shares of {a}");
            assert!(key == KEY, "{b} does not combine points of {a}");
        }
    }
}
