//! The values of a random polynomial at the points of the shares.

use super::element::{BYTES, Points, Secrets, Wiped};
use crate::backend::Cpu;
use crate::backend::field::{Element, ZERO};
use crate::error::Error;
use crate::hw::entropy::Entropy;
use crate::rng::Generator;
use core::cell::Cell;

/// Coefficients that are in memory at once.
const COEFFICIENTS: usize = 16;

/// The values at `points` of a polynomial with `threshold` coefficients. That of power 0 is
/// `secret`; all others, the highest one included, are uniform. They are wiped.
///
/// # Errors
/// Those of the generator.
// A function of its own, so that the guard clears the registers and the stack of this very frame.
#[inline(never)]
pub fn values<E: Entropy>(
    cpu: Cpu,
    generator: &mut Generator<E>,
    secret: &Element,
    threshold: u8,
    points: &Points,
) -> Result<Secrets, Error> {
    let points = points.all();
    let mut values = Wiped::new(vec![ZERO; points.len()]);
    let mut coefficients = Wiped::new([ZERO; COEFFICIENTS]);
    let mut left = usize::from(threshold.saturating_sub(1));
    while left > 0 {
        let now = left.min(COEFFICIENTS);
        let some = coefficients.get_mut(..now).unwrap_or(&mut []);
        fill(generator, some)?;
        cpu.field(|field| field.evaluate(some, points, &mut values));
        left -= now;
    }
    cpu.field(|field| field.evaluate(core::slice::from_ref(secret), points, &mut values));
    Ok(values)
}

/// As many distinct random points.
///
/// # Errors
/// Those of the generator.
pub fn random_points<E: Entropy>(generator: &mut Generator<E>, count: u8) -> Result<Points, Error> {
    loop {
        let mut points = vec![ZERO; usize::from(count)];
        fill(generator, &mut points)?;
        // Two equal ones, or a zero, never happen by chance.
        if let Ok(points) = Points::new(points) {
            return Ok(points);
        }
    }
}

fn fill<E: Entropy>(generator: &mut Generator<E>, elements: &mut [Element]) -> Result<(), Error> {
    let bytes = elements.as_flattened_mut().as_flattened_mut();
    debug_assert!(bytes.len().is_multiple_of(BYTES));
    generator.fill(Cell::from_mut(bytes).as_slice_of_cells())
}
