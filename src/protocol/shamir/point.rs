//! Shares as horcrux has them: a point and a value, without threshold or check.
//!
//! In memory, a share is `x(32) ‖ value(32)`.

use super::element::{self, BYTES, Points, Wiped};
use super::interpolate::Shares;
use super::{MAX_SHARES, split};
use crate::backend::Cpu;
use crate::backend::field::{Element, ZERO};
use crate::error::Error;
use crate::hw::entropy::Entropy;
use crate::key::ranges::ErrorAt;
use crate::lanes::Bytes;
use crate::rng::Generator;
use core::cell::Cell;

/// Bytes of a point and its value.
pub const POINT_BYTES: usize = 2 * BYTES;

/// Parses shares that lie one after the other.
///
/// # Errors
/// With the index of the share: [`Error::InvalidShare`] if the last one is not whole or a point is
/// 0, [`Error::DuplicateShare`] if a share before it has the same point. With index 0:
/// [`Error::TooFewShares`]; [`Error::TooManyShares`] for more than [`MAX_SHARES`].
pub fn parse(cpu: Cpu, set: Bytes, threshold: u8) -> Result<Shares<1>, ErrorAt> {
    let (set, rest) = set.as_chunks::<POINT_BYTES>();
    if set.len() > MAX_SHARES {
        return Err(Error::TooManyShares.into());
    }
    if !rest.is_empty() {
        return Err(ErrorAt { error: Error::InvalidShare, index: set.len() });
    }
    let mut points = vec![ZERO; set.len()];
    let mut values = Wiped::new(vec![ZERO; set.len()]);
    for (share, (to_point, to_value)) in set.iter().zip(points.iter_mut().zip(values.iter_mut())) {
        let (point, value) = halves(share);
        element::read(point, to_point);
        element::read(value, to_value);
    }
    let points = Points::new(points)?;
    let threshold = usize::from(threshold);
    if threshold == 0 || set.len() < threshold {
        return Err(Error::TooFewShares.into());
    }
    Ok(Shares { cpu, threshold, points, values: [values] })
}

/// Writes the share at the point `x`.
///
/// # Errors
/// [`Error::InvalidShare`] if the point is 0.
pub fn write_share(
    shares: &Shares<1>,
    x: &[Cell<u8>; BYTES],
    to: &[Cell<u8>; POINT_BYTES],
) -> Result<(), Error> {
    let mut point = ZERO;
    element::read(x, &mut point);
    if point == ZERO {
        return Err(Error::InvalidShare);
    }
    let [value] = &*shares.values_at(&point);
    write(to, &point, value);
    Ok(())
}

/// Splits a secret of 32 bytes into shares at the points 1, 2, …, or at random points, and writes
/// them one after the other into `to`.
///
/// # Errors
/// [`Error::TargetTooShort`] if `to` is not a number of shares, [`Error::ThresholdAboveShares`],
/// and those of the generator. `to` is then unchanged.
pub fn split<E: Entropy>(
    cpu: Cpu,
    generator: &mut Generator<E>,
    secret: &[Cell<u8>; BYTES],
    threshold: u8,
    random: bool,
    to: Bytes,
) -> Result<(), Error> {
    let (to, rest) = to.as_chunks::<POINT_BYTES>();
    let count = u8::try_from(to.len()).map_err(|_| Error::TooManyShares)?;
    if threshold == 0 || threshold > count {
        return Err(Error::ThresholdAboveShares);
    }
    if !rest.is_empty() {
        return Err(Error::TargetTooShort);
    }
    let points =
        if random { split::random_points(generator, count)? } else { Points::first(count) };
    let mut words = Wiped::new([ZERO]);
    let [word] = &mut *words;
    element::read(secret, word);
    let values = split::values(cpu, generator, word, threshold, &points)?;
    for ((to, point), value) in to.iter().zip(points.all()).zip(values.iter()) {
        write(to, point, value);
    }
    Ok(())
}

fn write(to: &[Cell<u8>; POINT_BYTES], point: &Element, value: &Element) {
    let (to_point, to_value) = halves(to);
    element::write(to_point, point);
    element::write(to_value, value);
}

fn halves(share: &[Cell<u8>; POINT_BYTES]) -> (Bytes<'_>, Bytes<'_>) {
    share.split_at(BYTES)
}
