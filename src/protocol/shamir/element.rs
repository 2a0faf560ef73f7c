//! Elements of GF(2^256) as bytes, and points, at which a polynomial is evaluated.

use crate::backend::field::{Element, ZERO};
use crate::error::Error;
use crate::key::ranges::ErrorAt;
use crate::lanes::Bytes;
use zeroize::Zeroizing;

/// Bytes of an element.
pub const BYTES: usize = 32;

/// Elements that are wiped on drop.
pub type Secrets = Zeroizing<Vec<Element>>;

/// The element of these bytes: four words of 64 bits, the least significant word first, each with its most significant byte
/// first. It is the order of horcrux's hexadecimal digits.
pub fn from_bytes(bytes: &[u8; BYTES]) -> Element {
    let mut element = ZERO;
    copy_words(element.as_flattened_mut(), bytes);
    element
}

/// The bytes of an element, in the order of [`from_bytes`].
pub fn to_bytes(element: &Element) -> Zeroizing<[u8; BYTES]> {
    let mut bytes = Zeroizing::new([0; BYTES]);
    copy_words(&mut *bytes, element.as_flattened());
    bytes
}

/// Copies words of eight bytes, each in reversed order.
fn copy_words(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.as_chunks_mut::<8>().0.iter_mut().zip(from.as_chunks::<8>().0) {
        *to = u64::from_le_bytes(*from).to_be_bytes();
    }
}

/// The element of these bytes, of which there may be fewer than [`BYTES`]: zeros follow.
pub fn read(bytes: Bytes) -> Zeroizing<Element> {
    let mut copy = Zeroizing::new([0; BYTES]);
    for (to, from) in copy.iter_mut().zip(bytes) {
        *to = from.get();
    }
    Zeroizing::new(from_bytes(&copy))
}

/// Writes the first bytes of an element.
pub fn write(to: Bytes, element: &Element) {
    for (to, from) in to.iter().zip(to_bytes(element).iter()) {
        to.set(*from);
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

/// The sum of two elements, which is also their difference.
pub fn sum(a: &Element, b: &Element) -> Element {
    let mut sum = *a;
    for (to, from) in sum.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *to ^= from;
    }
    sum
}

/// Points that are distinct and not 0.
pub struct Points(Vec<Element>);

impl Points {
    /// # Errors
    /// With the index of the point: [`Error::InvalidShare`] for 0, [`Error::DuplicateShare`] for a point that was there before.
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

    /// The points as seen from `origin`, which becomes 0; or the index of the point that is `origin` itself.
    pub(super) fn seen_from(&self, origin: &Element) -> Result<Vec<Element>, usize> {
        match self.0.iter().position(|point| point == origin) {
            Some(index) => Err(index),
            None => Ok(self.0.iter().map(|point| sum(point, origin)).collect()),
        }
    }
}
