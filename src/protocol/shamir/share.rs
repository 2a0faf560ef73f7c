//! The form of shares of this package: two polynomials, and a check of the secret
//! (docs/formats.md).
//!
//! `version(1) ‖ length(1) ‖ threshold(1) ‖ x(1) ‖ check(16) ‖ secret(32) ‖ blind(32)`, where the
//! last two are values of the polynomials. The check is a keyed hash of the secret under the blind,
//! which is as random and unknown to fewer than `threshold` holders. The caller computes it.

use super::element::{self, BYTES, Points, Wiped, small};
use super::interpolate::{Shares, Words};
use super::{MAX_SHARES, split};
use crate::backend::Cpu;
use crate::backend::field::{Element, ZERO};
use crate::error::Error;
use crate::hw::entropy::Entropy;
use crate::key::ranges::ErrorAt;
use crate::lanes::{Block, Bytes, read, write};
use crate::rng::Generator;
use core::cell::Cell;

/// Bytes of a share.
pub const SHARE_BYTES: usize = 84;
const VERSION: u8 = 1;

/// The part that all shares of one secret have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Common {
    /// Bytes of the secret: 16 or 32.
    pub length: u8,
    /// How many shares determine the secret: at least 1.
    pub threshold: u8,
    /// The check.
    pub check: Block,
}

/// A share in memory, by its fields.
struct ShareFields<'a> {
    version: &'a Cell<u8>,
    length: &'a Cell<u8>,
    threshold: &'a Cell<u8>,
    x: &'a Cell<u8>,
    check: &'a [Cell<u8>; 16],
    values: [Bytes<'a>; 2],
}

impl<'a> ShareFields<'a> {
    /// `None` for other lengths than that of a share.
    fn of(share: Bytes<'a>) -> Option<Self> {
        let ([version, length, threshold, x], rest) = share.split_first_chunk()?;
        let (check, values) = rest.split_first_chunk()?;
        let (secret, blind) = values.split_at_checked(BYTES)?;
        let whole = blind.len() == BYTES;
        whole.then_some(Self { version, length, threshold, x, check, values: [secret, blind] })
    }

    /// The common part and the point, if the share is well-formed.
    fn parse(&self) -> Option<(Common, u8)> {
        let (length, threshold, x) = (self.length.get(), self.threshold.get(), self.x.get());
        let well_formed = self.version.get() == VERSION
            && (length == 16 || length == 32)
            && threshold > 0
            && x > 0;
        well_formed.then(|| (Common { length, threshold, check: read(self.check) }, x))
    }

    fn write(&self, common: &Common, x: u8, values: [&Element; 2]) {
        self.version.set(VERSION);
        self.length.set(common.length);
        self.threshold.set(common.threshold);
        self.x.set(x);
        write(self.check, &common.check);
        for (to, value) in self.values.iter().zip(values) {
            element::write(to, value);
        }
    }
}

/// Shares of one secret.
pub struct Set {
    common: Common,
    shares: Shares<2>,
}

impl Set {
    /// Parses shares that lie one after the other.
    ///
    /// # Errors
    /// With the index of the share: [`Error::InvalidShare`] if malformed, [`Error::MixedShares`] if
    /// its common part differs from the first's, [`Error::DuplicateShare`] if its point repeats.
    /// With index 0: [`Error::TooFewShares`], or [`Error::TooManyShares`] above [`MAX_SHARES`].
    pub fn parse(cpu: Cpu, set: Bytes) -> Result<Self, ErrorAt> {
        let count = set.len().div_ceil(SHARE_BYTES);
        if count > MAX_SHARES {
            return Err(Error::TooManyShares.into());
        }
        let mut points = Vec::with_capacity(count);
        let mut values = [(); 2].map(|()| Wiped::new(vec![ZERO; count]));
        let mut first = None;
        for (index, share) in set.chunks(SHARE_BYTES).enumerate() {
            let parts = ShareFields::of(share);
            let parsed = parts.and_then(|parts| Some((parts.parse()?, parts)));
            let Some(((common, x), parts)) = parsed else {
                return Err(ErrorAt { error: Error::InvalidShare, index });
            };
            if *first.get_or_insert(common) != common {
                return Err(ErrorAt { error: Error::MixedShares, index });
            }
            points.push(small(x));
            for (values, bytes) in values.iter_mut().zip(parts.values) {
                if let Some(value) = values.get_mut(index) {
                    element::read(bytes, value);
                }
            }
        }
        let points = Points::new(points)?;
        let Some(common) = first.filter(|common| count >= usize::from(common.threshold)) else {
            return Err(Error::TooFewShares.into());
        };
        let threshold = usize::from(common.threshold);
        Ok(Self { common, shares: Shares { cpu, threshold, points, values } })
    }

    /// The shares.
    pub fn shares(&self) -> &Shares<2> {
        &self.shares
    }

    /// Writes the share at `x`, not 0, into [`SHARE_BYTES`]. The caller has verified the secret.
    ///
    /// # Errors
    /// [`Error::TargetTooShort`] for another length, [`Error::InvalidShare`] for 0.
    pub fn write_share(&self, x: u8, to: Bytes) -> Result<(), Error> {
        let parts = ShareFields::of(to).ok_or(Error::TargetTooShort)?;
        if x == 0 {
            return Err(Error::InvalidShare);
        }
        let [secret, blind] = &*self.shares.values_at(&small(x));
        parts.write(&self.common, x, [secret, blind]);
        Ok(())
    }
}

/// Writes secret and blind.
pub fn write_words(to: &[Cell<u8>; 2 * BYTES], words: &Words<2>) {
    for (to, word) in to.chunks(BYTES).zip(words.iter()) {
        element::write(to, word);
    }
}

/// Splits a secret of 16 or 32 bytes into shares at the points 1, 2, … and writes them one after
/// the other into `to`. [`Common::length`] of `common` is that of the secret.
///
/// # Errors
/// [`Error::InvalidSecretLength`], [`Error::TargetTooShort`] if `to` is not a number of shares,
/// [`Error::ThresholdAboveShares`], and those of the generator. `to` is then unchanged.
pub fn split<E: Entropy>(
    cpu: Cpu,
    generator: &mut Generator<E>,
    secret: Bytes,
    blind: &[Cell<u8>; BYTES],
    common: &Common,
    to: Bytes,
) -> Result<(), Error> {
    if secret.len() != usize::from(common.length) || !matches!(common.length, 16 | 32) {
        return Err(Error::InvalidSecretLength);
    }
    let count = u8::try_from(to.len() / SHARE_BYTES).map_err(|_| Error::TooManyShares)?;
    if common.threshold == 0 || common.threshold > count {
        return Err(Error::ThresholdAboveShares);
    }
    if to.len() != usize::from(count) * SHARE_BYTES {
        return Err(Error::TargetTooShort);
    }
    let points = Points::first(count);
    let mut values = |word| split::values(cpu, generator, word, common.threshold, &points);
    let mut words = Wiped::new([ZERO; 2]);
    let [secret_word, blind_word] = &mut *words;
    element::read(secret, secret_word);
    element::read(blind, blind_word);
    let (secrets, blinds) = (values(secret_word)?, values(blind_word)?);
    let each = to.chunks(SHARE_BYTES).filter_map(ShareFields::of).zip(1..=u8::MAX);
    for ((parts, x), (secret, blind)) in each.zip(secrets.iter().zip(blinds.iter())) {
        parts.write(common, x, [secret, blind]);
    }
    Ok(())
}
