//! From shares to the polynomial: its value anywhere, and sums that are zero if all shares agree.

use super::element::{Points, Secrets, Wiped, add, invert, scale};
use super::locate::locate;
use super::weights::weights;
use crate::backend::Cpu;
use crate::backend::field::{Element, ZERO};

/// Shares of `WORDS` polynomials at the same points.
pub struct Shares<const WORDS: usize> {
    pub(super) cpu: Cpu,
    /// As many coefficients as each polynomial has, at most the number of points.
    pub(super) threshold: usize,
    pub(super) points: Points,
    /// The values of each polynomial, one for each point.
    pub(super) values: [Secrets; WORDS],
}

/// A value of each polynomial, wiped on drop.
pub type Words<const WORDS: usize> = Wiped<[Element; WORDS]>;

impl<const WORDS: usize> Shares<WORDS> {
    /// How many shares there are.
    pub fn count(&self) -> usize {
        self.points.all().len()
    }

    /// The secrets, from all shares. If the shares do not agree, these are arbitrary elements.
    pub fn secrets(&self) -> Words<WORDS> {
        self.firsts(self.points.all())
    }

    /// The values at `point`, interpolated from all shares, or its own values if a share lies
    /// there.
    pub fn values_at(&self, point: &Element) -> Words<WORDS> {
        match self.points.seen_from(point) {
            Ok(points) => self.firsts(&points),
            Err(index) => self.words(|values, word| copy(values.get(index), word)),
        }
    }

    /// Whether all shares agree. Always so if there are as many as the threshold.
    pub fn agree(&self) -> bool {
        let surplus = self.count() > self.threshold;
        !surplus || self.syndromes().iter().flatten().all(|syndrome| *syndrome == ZERO)
    }

    /// Which shares are wrong. `None` if they cannot be located, or all agree. At most half of the
    /// shares above the threshold can be located, in each polynomial.
    pub fn locate(&self) -> Option<Vec<bool>> {
        let mut wrong = vec![false; self.count()];
        for syndromes in self.syndromes() {
            let found = locate(self.cpu, self.points.all(), &syndromes)?;
            for (wrong, found) in wrong.iter_mut().zip(found) {
                *wrong |= found;
            }
        }
        wrong.contains(&true).then_some(wrong)
    }

    /// For each polynomial, the sums of weight · value · point^k for k from 1 to the number of
    /// shares above the threshold: the syndromes of a generalized Reed-Solomon code. They depend on
    /// errors alone, and are zero for values of a polynomial with `threshold` coefficients. Time
    /// does not depend on the values.
    pub fn syndromes(&self) -> [Vec<Element>; WORDS] {
        let weights = weights(self.cpu, self.points.all());
        let surplus = self.count().saturating_sub(self.threshold);
        self.values.each_ref().map(|values| {
            self.sums(&weights, values, surplus + 1).iter().skip(1).copied().collect()
        })
    }

    /// The secrets from all shares but one, for each in turn, if one is above the threshold.
    ///
    /// With Lagrange's coefficients for all points, the sums `A` of weight · value and `B` of
    /// weight · value · point give the secret without the share at `x` as `A + B / x`: the
    /// coefficient of another point `x_i`, times `(x_i + x) / x`, is the one without `x`.
    pub fn leave_each_out(&self) -> Option<impl Iterator<Item = Words<WORDS>>> {
        if self.count() != self.threshold + 1 {
            return None;
        }
        let weights = weights(self.cpu, self.points.all());
        let sums = self.values.each_ref().map(|values| self.sums(&weights, values, 2));
        Some(self.points.all().iter().map(move |point| {
            let mut inverse = *point;
            invert(self.cpu, &mut inverse);
            let mut words = Wiped::new([ZERO; WORDS]);
            for (word, sums) in words.iter_mut().zip(&sums) {
                if let [a, b] = sums.as_slice() {
                    word.clone_from(b);
                    scale(self.cpu, word, &inverse);
                    add(word, a);
                }
            }
            words
        }))
    }

    /// The values at the origin of `points`, which are the points of the shares seen from there.
    fn firsts(&self, points: &[Element]) -> Words<WORDS> {
        let weights = weights(self.cpu, points);
        self.words(|values, word| {
            copy(power_sums(self.cpu, &weights, values, points, 1).first(), word);
        })
    }

    fn words(&self, fill: impl Fn(&Secrets, &mut Element)) -> Words<WORDS> {
        let mut words = Wiped::new([ZERO; WORDS]);
        for (word, values) in words.iter_mut().zip(&self.values) {
            fill(values, word);
        }
        words
    }

    fn sums(&self, weights: &[Element], values: &Secrets, count: usize) -> Secrets {
        power_sums(self.cpu, weights, values, self.points.all(), count)
    }
}

fn copy(from: Option<&Element>, to: &mut Element) {
    if let Some(from) = from {
        to.clone_from(from);
    }
}

/// The sums of weight · value · point^k for k below `count`: the first is the value at 0.
#[inline(never)]
fn power_sums(
    cpu: Cpu,
    weights: &[Element],
    values: &Secrets,
    points: &[Element],
    count: usize,
) -> Secrets {
    let mut sums = Wiped::new(vec![ZERO; count]);
    cpu.field(|field| field.power_sums(weights, values, points, &mut sums));
    sums
}
