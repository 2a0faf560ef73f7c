//! GF(2^256) modulo x^256 + x^10 + x^5 + x^2 + 1: the field in which keys are shared. Without a
//! table, a branch or an index that depends on an element.
//!
//! A register of each half holds one element per lane, so lanes compute independently.

use super::products::zero;
use crate::lanes::{Block, Lanes};
use core::cell::Cell;

/// An element, the low coefficients first. Bit `i` of byte `j` of a half is that of x^(8j + i).
pub type Element = [Block; 2];

/// x^256 modulo the polynomial, x^10 + x^5 + x^2 + 1, in both halves of a block.
const X256: Block = [0x25, 0x04, 0, 0, 0, 0, 0, 0, 0x25, 0x04, 0, 0, 0, 0, 0, 0];

/// One element.
pub const ONE: Element = {
    let mut one = [[0; 16]; 2];
    one[0][0] = 1;
    one
};

/// Elements side by side, one in each lane.
#[derive(Clone, Copy)]
struct Elements<V> {
    low: V,
    high: V,
}

/// Products of halves before the reduction, 512 bits in registers of 128.
struct Wide<V>([V; 4]);

impl<V: Lanes> Elements<V> {
    #[inline(always)]
    fn splat([low, high]: &Element) -> Self {
        Self { low: V::splat(low), high: V::splat(high) }
    }

    /// One element in each lane, from the start of `elements`. Lanes past its end are zero.
    // Over lanes, whose number the compiler knows: it moves blocks between registers. Through
    // memory, a wide load would wait until several narrow stores have reached the cache.
    #[inline(always)]
    fn load(elements: &[Element]) -> Self {
        let mut halves = [[[0; 16]; 4]; 2];
        let [lows, highs] = &mut halves;
        for (lane, (to_low, to_high)) in lows.iter_mut().zip(highs).enumerate().take(V::BLOCKS) {
            if let Some([low, high]) = elements.get(lane) {
                (*to_low, *to_high) = (*low, *high);
            }
        }
        let [low, high] =
            halves.each_ref().map(|half| V::load(half.get(..V::BLOCKS).unwrap_or(&[])));
        Self { low, high }
    }

    /// Writes the elements of the first lanes, as many as `elements` has.
    #[inline(always)]
    fn store(self, elements: &mut [Element]) {
        let mut halves = [[[0; 16]; 4]; 2];
        for (half, register) in halves.iter_mut().zip([self.low, self.high]) {
            let half = half.get_mut(..V::BLOCKS).unwrap_or(&mut []);
            register.write(Cell::from_mut(half.as_flattened_mut()).as_slice_of_cells());
        }
        let [lows, highs] = halves;
        for (lane, (low, high)) in lows.into_iter().zip(highs).enumerate().take(V::BLOCKS) {
            if let Some(element) = elements.get_mut(lane) {
                *element = [low, high];
            }
        }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { low: self.low.xor(other.low), high: self.high.xor(other.high) }
    }

    /// Twice Karatsuba: three products of halves, each of three instructions.
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        let low = product(self.low, other.low);
        let high = product(self.high, other.high);
        let middle = product(self.low.xor(self.high), other.low.xor(other.high));
        // The sum of seven products of words: number `i` counts from x^(64 i).
        let [a, b, c] = low;
        let [d, e, f] = high;
        let [g, h, i] = middle;
        let (third, fourth, fifth) =
            (c.xor(g).xor(a).xor(d), h.xor(b).xor(e), d.xor(i).xor(c).xor(f));
        Wide([
            a.xor(b.words_up()),
            third.xor(b.words_down()).xor(fourth.words_up()),
            fifth.xor(fourth.words_down()).xor(e.words_up()),
            f.xor(e.words_down()),
        ])
        .reduce()
    }

    /// In characteristic 2 the square of a sum is the sum of squares: multiplies words alone.
    #[inline(always)]
    fn squared(self) -> Self {
        let Self { low, high } = self;
        Wide([low.low(low), low.high(low), high.low(high), high.high(high)]).reduce()
    }
}

/// The product of blocks as three products of words, which count from 1, x^64 and x^128.
#[inline(always)]
fn product<V: Lanes>(a: V, b: V) -> [V; 3] {
    let (low, high) = (a.low(b), a.high(b));
    let middle = a.halves().low(b.halves());
    [low, middle.xor(low).xor(high), high]
}

impl<V: Lanes> Wide<V> {
    /// Replaces x^256 by its value in the upper half, the highest word first: its product with the
    /// value has bits above x^256 again, which the lowest of the upper words takes along.
    #[inline(always)]
    fn reduce(self) -> Elements<V> {
        let Self([low, high, above, top]) = self;
        let x256 = V::splat(&X256);
        let highest = top.high(x256);
        let above = above.xor(highest.words_down());
        let second = above.high(x256);
        Elements {
            low: low.xor(above.low(x256)).xor(second.words_up()),
            high: high.xor(second.words_down()).xor(top.low(x256)).xor(highest.words_up()),
        }
    }
}

impl<V: Lanes> Elements<V> {
    /// The sum of all lanes.
    #[inline(always)]
    fn fold(self) -> Elements<V::One> {
        Elements { low: self.low.fold(), high: self.high.fold() }
    }

    #[inline(always)]
    fn zero() -> Self {
        Self { low: zero(), high: zero() }
    }

    /// Lane number `lane` alone; the others become zero.
    #[inline(always)]
    fn lane(self, lane: usize) -> Self {
        let (start, end) = (lane.wrapping_mul(16), lane.wrapping_mul(16).wrapping_add(16));
        let only = |x: V| x.truncate(end).xor(x.truncate(start));
        Self { low: only(self.low), high: only(self.high) }
    }

    /// The inverse, x^(2^256 - 2); 0 for 0. Itoh and Tsujii (1988): `b` is x^(2^k - 1), k = 1, 3, …
    /// 255.
    #[inline(always)]
    fn inverse(self) -> Self {
        let (mut b, mut k) = (self, 1);
        // Not from a list of the seven, which checks/codegen cannot tell from secrets on the stack.
        while k < 255 {
            let mut power = b;
            for _ in 0..k {
                power = power.squared();
            }
            b = power.times(b).squared().times(self);
            k = (k << 1) | 1;
        }
        b.squared()
    }
}

/// `a = a b`, for each element and the one at the same place.
#[inline(always)]
pub fn multiply<V: Lanes>(a: &mut [Element], b: &[Element]) {
    for (a, b) in a.chunks_mut(V::BLOCKS).zip(b.chunks(V::BLOCKS)) {
        Elements::<V>::load(a).times(Elements::load(b)).store(a);
    }
}

/// `a = 1 / a`; 0 stays 0.
#[inline(always)]
pub fn invert<V: Lanes>(a: &mut Element) {
    Elements::<V>::splat(a).inverse().store(core::slice::from_mut(a));
}

/// Continues Horner's scheme at each of `points`: `value = value · point + coefficient`. From zero,
/// and from the highest coefficient on, this evaluates a polynomial.
#[inline(always)]
pub fn evaluate<V: Lanes>(coefficients: &[Element], points: &[Element], values: &mut [Element]) {
    for (points, values) in points.chunks(V::BLOCKS).zip(values.chunks_mut(V::BLOCKS)) {
        let (x, mut value) = (Elements::<V>::load(points), Elements::load(values));
        for coefficient in coefficients {
            value = value.times(x).plus(Elements::splat(coefficient));
        }
        value.store(values);
    }
}

/// Lagrange's coefficients at 0: fills `weights` with the products of `x_j / (x_i + x_j)` over all
/// `j` but `i`. The points are distinct and not 0. `products` is room for one element per point.
#[inline(always)]
pub fn lagrange<V: Lanes>(points: &[Element], weights: &mut [Element], products: &mut [Element]) {
    let one = Elements::<V>::splat(&ONE);
    let mut all = Elements::<V::One>::splat(&ONE);
    // First the denominators, times `x_i`, since the numerator will be the product of all points.
    for (group, (mine, weights)) in
        points.chunks(V::BLOCKS).zip(weights.chunks_mut(V::BLOCKS)).enumerate()
    {
        let x = Elements::<V>::load(mine);
        let mut denominator = x;
        for (j, point) in points.iter().enumerate() {
            let difference = x.plus(Elements::splat(point));
            // The lane of the point itself has the factor 1.
            let lane = j.wrapping_sub(group.wrapping_mul(V::BLOCKS));
            let itself = if lane < V::BLOCKS { one.lane(lane) } else { Elements::zero() };
            denominator = denominator.times(difference.plus(itself));
        }
        denominator.store(weights);
    }
    // One inversion for all (Montgomery 1987): `products` has those of the denominators before.
    let mut before = Elements::<V::One>::splat(&ONE);
    for ((weight, product), point) in weights.iter().zip(products.iter_mut()).zip(points) {
        before.store(core::slice::from_mut(product));
        before = before.times(Elements::splat(weight));
        all = all.times(Elements::splat(point));
    }
    let mut rest = before.inverse();
    for (weight, product) in weights.iter_mut().zip(products).rev() {
        let inverse = rest.times(Elements::splat(product));
        rest = rest.times(Elements::splat(weight));
        inverse.times(all).store(core::slice::from_mut(weight));
    }
}

/// Adds to `sums[k]` the products `weight · value · point^k` over all points.
#[inline(always)]
pub fn power_sums<V: Lanes>(
    weights: &[Element],
    values: &[Element],
    points: &[Element],
    sums: &mut [Element],
) {
    let groups =
        weights.chunks(V::BLOCKS).zip(values.chunks(V::BLOCKS)).zip(points.chunks(V::BLOCKS));
    for ((weights, values), points) in groups {
        let mut term = Elements::<V>::load(weights).times(Elements::load(values));
        let x = Elements::load(points);
        let mut later = false;
        for sum in &mut *sums {
            if later {
                term = term.times(x);
            }
            later = true;
            term.fold().plus(Elements::splat(sum)).store(core::slice::from_mut(sum));
        }
    }
}
