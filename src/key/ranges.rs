//! Consecutive ranges of one memory, by their ends: the frames of a batch, or the AAD of each.

use crate::error::Error;
use crate::lanes::Bytes;
use core::num::NonZeroUsize;

/// Most ranges of one memory, so that every index fits into 32 bits.
pub const MAX_RANGES: usize = u32::MAX as usize;

/// Ranges of `memory`. The first begins with the memory, every other where the one before ends.
#[derive(Clone, Copy)]
pub struct Ranges<'a> {
    memory: Bytes<'a>,
    ends: Ends<'a>,
}

#[derive(Clone, Copy)]
enum Ends<'a> {
    /// Every range has this many bytes; the last one may be shorter.
    Every(NonZeroUsize),
    /// The end of each range, in bytes from the beginning of the memory.
    At(&'a [u32]),
}

/// An error, and the index of the range that caused it; 0 if the error is not about a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorAt {
    /// The error.
    pub error: Error,
    /// The index of the range.
    pub index: usize,
}

impl From<Error> for ErrorAt {
    fn from(error: Error) -> Self {
        Self { error, index: 0 }
    }
}

impl<'a> Ranges<'a> {
    /// All of `memory` as one range, which may be empty.
    pub fn one(memory: Bytes<'a>) -> Self {
        let ends = NonZeroUsize::new(memory.len()).map_or(Ends::At(&[0]), Ends::Every);
        Self { memory, ends }
    }

    /// All of `memory`, in ranges of `bytes` bytes. The last range may be shorter.
    ///
    /// # Errors
    /// [`Error::TooManyFrames`] for more than [`MAX_RANGES`].
    pub fn every(memory: Bytes<'a>, bytes: NonZeroUsize) -> Result<Self, ErrorAt> {
        if memory.len().div_ceil(bytes.get()) > MAX_RANGES {
            return Err(Error::TooManyFrames.into());
        }
        Ok(Self { memory, ends: Ends::Every(bytes) })
    }

    /// A range up to each of `ends`, in ascending order. Bytes after the last belong to no range.
    ///
    /// # Errors
    /// [`Error::TooManyFrames`] for more than [`MAX_RANGES`]; [`Error::EndDescends`] or
    /// [`Error::EndOutside`], with the index of the first bad end.
    pub fn ending_at(memory: Bytes<'a>, ends: &'a [u32]) -> Result<Self, ErrorAt> {
        if ends.len() > MAX_RANGES {
            return Err(Error::TooManyFrames.into());
        }
        let mut before = 0;
        for (index, end) in ends.iter().enumerate() {
            if *end < before {
                return Err(ErrorAt { error: Error::EndDescends, index });
            }
            if *end as usize > memory.len() {
                return Err(ErrorAt { error: Error::EndOutside, index });
            }
            before = *end;
        }
        Ok(Self { memory, ends: Ends::At(ends) })
    }

    /// The number of ranges.
    pub fn count(&self) -> usize {
        match self.ends {
            Ends::Every(bytes) => self.memory.len().div_ceil(bytes.get()),
            Ends::At(ends) => ends.len(),
        }
    }

    /// A length that no range exceeds.
    pub(super) fn longest(&self) -> usize {
        match self.ends {
            Ends::Every(bytes) => bytes.get().min(self.memory.len()),
            Ends::At(ends) => ends.last().map_or(0, |end| *end as usize),
        }
    }

    /// How many ranges in a row have one length, and this length. `every` yields at most two.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        let (ends, whole, last): (&[u32], _, _) = match self.ends {
            Ends::Every(bytes) => {
                let last = self.memory.len() % bytes;
                (&[], (self.memory.len() / bytes, bytes.get()), (usize::from(last > 0), last))
            }
            Ends::At(ends) => (ends, (0, 0), (0, 0)),
        };
        let starts = [0].iter().chain(ends);
        let single = ends.iter().zip(starts).map(|(end, start)| (1, (end - start) as usize));
        [whole, last].into_iter().filter(|(count, _)| *count > 0).chain(single)
    }

    #[inline(always)]
    pub(crate) fn iter(&self) -> Iter<'a> {
        Iter { rest: self.memory, ends: self.ends, start: 0 }
    }
}

/// The ranges, in order.
pub(crate) struct Iter<'a> {
    rest: Bytes<'a>,
    ends: Ends<'a>,
    /// Where `rest` begins.
    start: u32,
}

impl<'a> Iterator for Iter<'a> {
    type Item = Bytes<'a>;

    // Inlined into loops inside a guard.
    #[inline(always)]
    fn next(&mut self) -> Option<Bytes<'a>> {
        let bytes = match self.ends {
            Ends::Every(_) if self.rest.is_empty() => return None,
            Ends::Every(bytes) => bytes.get(),
            Ends::At(ends) => {
                let (end, after) = ends.split_first()?;
                let bytes = end.wrapping_sub(self.start) as usize;
                (self.start, self.ends) = (*end, Ends::At(after));
                bytes
            }
        };
        // Only the last range of `Every` may be shorter: `ending_at` has checked the ends.
        let (range, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, &[]));
        self.rest = rest;
        Some(range)
    }
}
