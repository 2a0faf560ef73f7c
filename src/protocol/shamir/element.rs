//! Elements of GF(2^256) as bytes, and points, at which a polynomial is evaluated.

use crate::backend::Cpu;
use crate::backend::field::{Element, ZERO};
use crate::error::Error;
use crate::hw::memory::wipe;
use crate::key::ranges::ErrorAt;
use crate::lanes::{self, Bytes};
use core::ops::{Deref, DerefMut};

/// Bytes of an element.
pub const BYTES: usize = 32;

/// Elements that are wiped on drop.
pub struct Wiped<T: AsMut<[Element]>>(T);

/// Any number of elements that are wiped on drop.
pub type Secrets = Wiped<Vec<Element>>;

impl<T: AsMut<[Element]>> Wiped<T> {
    /// Owns elements; the caller has no copy of them.
    pub fn new(elements: T) -> Self {
        Self(elements)
    }
}

impl<T: AsMut<[Element]>> Deref for Wiped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: AsMut<[Element]>> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: AsMut<[Element]>> Drop for Wiped<T> {
    fn drop(&mut self) {
        // As bytes, which are wiped many at a time; `zeroize` wipes an array of bytes byte by byte.
        wipe(self.0.as_mut().as_flattened_mut().as_flattened_mut());
    }
}

/// Reads an element: four words of 64 bits, the least significant word first, each with its most
/// significant byte first, as in horcrux's hexadecimal. Zeros follow fewer words than four.
// From memory to memory through a register: a copy of a secret elsewhere would have to be wiped.
pub fn read(bytes: Bytes, to: &mut Element) {
    *to = ZERO;
    let words = to.as_flattened_mut().as_chunks_mut().0;
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_be_bytes(lanes::read(bytes)).to_le_bytes();
    }
}

/// Writes the bytes of an element, in the order of [`read`].
pub fn write(to: Bytes, element: &Element) {
    for (bytes, word) in to.as_chunks().0.iter().zip(element.as_flattened().as_chunks().0) {
        lanes::write(bytes, &u64::from_le_bytes(*word).to_be_bytes());
    }
}

/// The point number `x`: the element whose least significant word is `x`.
pub fn small(x: u8) -> Element {
    let mut element = ZERO;
    if let Some(first) = element.as_flattened_mut().first_mut() {
        *first = x;
    }
    element
}

/// The number of an element that has one: 0 for 0, `x` for a point number `x`.
pub(super) fn number(element: &Element) -> Option<u8> {
    let (first, rest) = element.as_flattened().split_first()?;
    rest.iter().all(|byte| *byte == 0).then_some(*first)
}

/// `a = a + b`, which is also the difference.
pub(super) fn add(a: &mut Element, b: &Element) {
    for (to, from) in a.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *to ^= from;
    }
}

/// `a = a b`.
// A function of its own, here and below: the guard clears the stack of this very frame.
#[inline(never)]
pub(super) fn scale(cpu: Cpu, a: &mut Element, b: &Element) {
    cpu.field(|field| field.multiply(a, b));
}

/// `a = 1 / a`; 0 stays 0.
#[inline(never)]
pub(super) fn invert(cpu: Cpu, a: &mut Element) {
    cpu.field(|field| field.invert(a));
}

/// The values at `points` of a polynomial, whose coefficients begin with that of the highest power.
#[inline(never)]
pub(super) fn values(cpu: Cpu, coefficients: &[Element], points: &[Element]) -> Vec<Element> {
    let mut values = vec![ZERO; points.len()];
    cpu.field(|field| field.evaluate(coefficients, points, &mut values));
    values
}

/// Points that are distinct and not 0.
pub struct Points(Vec<Element>);

impl Points {
    /// # Errors
    /// With the index of the point: [`Error::InvalidShare`] for 0, else [`Error::DuplicateShare`].
    pub fn new(points: Vec<Element>) -> Result<Self, ErrorAt> {
        for (index, point) in points.iter().enumerate() {
            if *point == ZERO {
                return Err(ErrorAt { error: Error::InvalidShare, index });
            }
            if points.iter().take(index).any(|before| before == point) {
                return Err(ErrorAt { error: Error::DuplicateShare, index });
            }
        }
        Ok(Self(points))
    }

    /// The points 1, 2, … `count`.
    pub fn first(count: u8) -> Self {
        Self((1..=count).map(small).collect())
    }

    /// The points.
    pub fn all(&self) -> &[Element] {
        &self.0
    }

    /// The points as seen from `origin`, which becomes 0; or the index of the point that it is.
    pub(super) fn seen_from(&self, origin: &Element) -> Result<Vec<Element>, usize> {
        match self.0.iter().position(|point| point == origin) {
            Some(index) => Err(index),
            None => {
                let mut points = self.0.clone();
                points.iter_mut().for_each(|point| add(point, origin));
                Ok(points)
            }
        }
    }
}
