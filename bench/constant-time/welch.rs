//! Measurements of two classes of inputs and Welch's t between them, in the manner of dudect (Reparaz, Balasch, Verbauwhede:
//! "Dude, is my code constant time?", 2016).

use crate::common::Random;
use std::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};

/// The two classes of inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// One input again and again, or the first of two kinds.
    Fixed,
    /// Another input each time, or the second of two kinds.
    Varied,
}

impl Class {
    /// One of two values.
    pub(crate) fn pick<T>(self, fixed: T, varied: T) -> T {
        if self == Self::Fixed { fixed } else { varied }
    }
}

/// A piece of work whose time must not depend on the class of its input. The functions are called through pointers, so that each of
/// them is compiled once and the measured code is the same for both classes.
pub(crate) struct Case<T> {
    pub(crate) name: String,
    pub(crate) context: T,
    /// Bytes of an input.
    pub(crate) bytes: usize,
    /// Writes an input of a class. Called for many inputs ahead, so that making one leaves no trace in the caches.
    pub(crate) make: fn(&mut T, Class, &mut Random, &mut [u8]),
    /// Brings an input to where the work reads it: for both classes the same memory, and the same steps.
    pub(crate) prepare: fn(&mut T, &[u8]),
    /// The kinds of measurement.
    pub(crate) work: fn(&mut T),
}

/// The result of one case.
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) measurements: usize,
    /// Cycles of the time stamp counter, the median of the first measurements.
    pub(crate) cycles: f64,
    /// The largest |t| over all measurements, and over those below each of [`CROPS`] percentiles.
    pub(crate) worst: f64,
}

/// Mean and variance of two classes, in one pass (Welford).
#[derive(Clone, Copy, Default)]
struct Welch {
    count: [f64; 2],
    mean: [f64; 2],
    squares: [f64; 2],
}

impl Welch {
    fn add(&mut self, class: Class, time: f64) {
        let class = class as usize;
        self.count[class] += 1.0;
        let difference = time - self.mean[class];
        self.mean[class] += difference / self.count[class];
        self.squares[class] += difference * (time - self.mean[class]);
    }

    /// |t|; zero while a class has too few measurements for the distribution of t to be near the normal one.
    fn t(&self) -> f64 {
        if self.count.iter().any(|count| *count < 1000.0) {
            return 0.0;
        }
        let error =
            |class: usize| self.squares[class] / (self.count[class] - 1.0) / self.count[class];
        let (difference, spread) = (self.mean[0] - self.mean[1], error(0) + error(1));
        if difference == 0.0 { 0.0 } else { (difference / spread.sqrt()).abs() }
    }
}

/// Percentiles below which measurements are also judged, since interrupts make times whose variance hides a small difference.
const CROPS: usize = 20;
/// Measurements that choose these percentiles and are not judged.
const FIRST: usize = 10_000;
/// Inputs that are made ahead.
const AHEAD: usize = 500;

/// Measures `case` `measurements` times, in classes drawn at random.
pub(crate) fn measure<T>(case: &mut Case<T>, measurements: usize, seed: u64) -> Measured {
    let mut random = Random(seed);
    let mut first = Vec::with_capacity(FIRST);
    let mut limits = [f64::MAX; CROPS];
    let mut tests = [Welch::default(); CROPS + 1];
    let mut classes = [Class::Fixed; AHEAD];
    let mut inputs = vec![0; AHEAD * case.bytes];
    let mut done = 0;
    while done < FIRST + measurements {
        for (class, input) in classes.iter_mut().zip(inputs.chunks_exact_mut(case.bytes)) {
            *class = if random.next() >> 63 == 0 { Class::Fixed } else { Class::Varied };
            (case.make)(&mut case.context, *class, &mut random, input);
        }
        for (class, input) in classes.iter().zip(inputs.chunks_exact(case.bytes)) {
            (case.prepare)(&mut case.context, input);
            let time = timed(|| (case.work)(&mut case.context));
            done += 1;
            if done <= FIRST {
                first.push(time);
                if done == FIRST {
                    first.sort_by(f64::total_cmp);
                    for (i, limit) in (1..).zip(&mut limits) {
                        let part = 1.0 - 0.5f64.powf(10.0 * f64::from(i) / CROPS as f64);
                        *limit = first[(part * FIRST as f64) as usize];
                    }
                }
                continue;
            }
            let [all, cropped @ ..] = &mut tests;
            all.add(*class, time);
            for (test, limit) in cropped.iter_mut().zip(&limits) {
                if time <= *limit {
                    test.add(*class, time);
                }
            }
        }
    }
    Measured {
        name: case.name.clone(),
        measurements: done - FIRST,
        cycles: first[FIRST / 2],
        worst: tests.iter().map(Welch::t).fold(0.0, f64::max),
    }
}

/// Cycles that `work` takes.
#[inline(always)]
fn timed(work: impl FnOnce()) -> f64 {
    let mut core = 0;
    // SAFETY: every x86-64 CPU that has AES instructions has these.
    let (before, after) = unsafe {
        _mm_lfence();
        let before = _rdtsc();
        _mm_lfence();
        work();
        let after = __rdtscp(&mut core);
        _mm_lfence();
        (before, after)
    };
    after.wrapping_sub(before) as f64
}
