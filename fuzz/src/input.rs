//! The parts of an input: numbers and bytes, which are zero after the end of the input, so that every input has a meaning.

use crate::common::Random;

/// The rest of an input.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    pub(crate) fn bit(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(u16::from_le_bytes(self.array())) % n
    }

    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let (taken, rest) = self.0.split_at(N.min(self.0.len()));
        array[..taken.len()].copy_from_slice(taken);
        self.0 = rest;
        array
    }

    /// Pseudorandom bytes, of which the input has the seed: mutations of single bytes of a key or a text would tell nothing new.
    pub(crate) fn random(&mut self, length: usize) -> Vec<u8> {
        Random(u64::from(u16::from_le_bytes(self.array())) + 1).bytes(length)
    }

    /// The length of a text: most are short, some need several strides of the widest backend, and two of them under
    /// Miri, which takes seconds for a kilobyte.
    pub(crate) fn length(&mut self) -> usize {
        let word = u16::from_le_bytes(self.array());
        let longest = if cfg!(miri) { 10 } else { 12 };
        let bits = [5, 6, 7, 8, 9, 9, 10, longest][usize::from(word >> 13)];
        usize::from(word & 0x1fff) % (1 << bits)
    }

    /// Lengths of `count` texts, which have `total` bytes together at most: the models take time for each byte.
    pub(crate) fn lengths(&mut self, count: usize, total: usize) -> Vec<usize> {
        let mut left = total;
        let mut lengths: Vec<usize> = Vec::with_capacity(count);
        for i in 0..count {
            let word = u16::from_le_bytes(self.array());
            let wanted = match word >> 14 {
                // As the one before, because the kernel takes two messages of one length at once.
                0 if i > 0 => lengths[i - 1],
                0 | 1 => usize::from(word & 0x3fff) % (left + 1),
                _ => usize::from(word & 0x3fff) % 70,
            };
            lengths.push(wanted.min(left));
            left -= wanted.min(left);
        }
        lengths
    }

    /// The bytes of a message: those that are left, from the beginning again until there are enough.
    pub(crate) fn text(&self, length: usize) -> Vec<u8> {
        let once = [self.0, &[0x80]].concat();
        let mut text = once.repeat(length.div_ceil(once.len()));
        text.truncate(length);
        text
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }
}
