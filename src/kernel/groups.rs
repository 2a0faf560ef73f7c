//! The groups in which the kernel processes a message, from one range or from pieces.

use crate::lanes::{Bytes, Lanes};
use core::cell::Cell;
use core::iter::Zip;
use core::slice::ChunksExact;

/// A range to read, and one of the same length to write: the same memory, or separate.
pub type Part<'a> = (Bytes<'a>, Bytes<'a>);

/// Text that is processed in whole groups of registers, and then the rest.
pub trait GroupSource<'a> {
    /// Whether the registers of the rest go through the cipher one after the other. Otherwise they
    /// go together, which is faster, and takes code of its own for every number of registers.
    const REST_ONE_BY_ONE: bool;
    /// The next whole group.
    fn group(&mut self) -> Option<Part<'a>>;
    /// The bytes after the last whole group. Called when there is no further group.
    fn rest(&mut self) -> Part<'a>;
}

/// Text that is read from one range.
pub struct Whole<'a> {
    groups: Zip<ChunksExact<'a, Cell<u8>>, ChunksExact<'a, Cell<u8>>>,
    rest: Part<'a>,
}

impl<'a> Whole<'a> {
    /// The text of a message, in groups of `group` bytes.
    #[inline(always)]
    pub fn new((source, target): Part<'a>, group: usize) -> Self {
        let (sources, targets) = (source.chunks_exact(group), target.chunks_exact(group));
        let rest = (sources.remainder(), targets.remainder());
        Self { groups: sources.zip(targets), rest }
    }
}

impl<'a> GroupSource<'a> for Whole<'a> {
    const REST_ONE_BY_ONE: bool = false;

    #[inline(always)]
    fn group(&mut self) -> Option<Part<'a>> {
        self.groups.next()
    }

    #[inline(always)]
    fn rest(&mut self) -> Part<'a> {
        self.rest
    }
}

/// A message in pieces, together as long as the target. A group inside one piece is read there.
/// Other groups, and the rest, were copied to the target, and are encrypted in place.
pub struct Pieces<'a> {
    /// The part of the first piece that was not taken yet.
    first: Bytes<'a>,
    /// The pieces after it.
    others: &'a [Bytes<'a>],
    target: Bytes<'a>,
    /// Bytes of a group.
    group: usize,
    /// Whether the backend has spare registers.
    spare_registers: bool,
}

impl<'a> Pieces<'a> {
    /// All of `pieces`, to be written to `target`, in groups of `group` bytes. Copies here, because
    /// a copy inside the loop over the groups would need registers that the loop does not have.
    #[inline(always)]
    pub fn new<V: Lanes>(pieces: &'a [Bytes<'a>], target: Bytes<'a>, group: usize) -> Self {
        let rest = |bytes: usize| bytes.checked_rem(group).unwrap_or(0);
        let (mut place, mut begun) = (target, 0);
        for piece in pieces {
            // The bytes that complete another piece's group, and those after the last whole group.
            let head = rest(group.wrapping_sub(begun)).min(piece.len());
            let tail = rest(piece.len().wrapping_sub(head));
            begun = rest(piece.len().wrapping_add(begun));
            // This early return is never taken: the pieces are as long as the target.
            let Some((here, after)) = place.split_at_checked(piece.len()) else { break };
            place = after;
            let middle = piece.len().wrapping_sub(tail);
            copy::<V>(piece.get(..head), here.get(..head));
            copy::<V>(piece.get(middle..), here.get(middle..));
        }
        let spare_registers = V::SPARE_REGISTERS;
        Self { first: &[], others: pieces, target, group, spare_registers }
    }
}

/// Copies a range, register by register.
#[inline(always)]
fn copy<V: Lanes>(from: Option<Bytes>, to: Option<Bytes>) {
    let (mut from, mut to) = (from.unwrap_or_default(), to.unwrap_or_default());
    while !from.is_empty() {
        let step = V::BYTES.min(from.len());
        let Some((now, later)) = to.split_at_checked(step) else { break };
        V::read(from).write(now);
        (from, to) = (from.get(step..).unwrap_or_default(), later);
    }
}

impl<'a> GroupSource<'a> for Pieces<'a> {
    // Code for every number of registers would make `seal_pieces` three times as large.
    const REST_ONE_BY_ONE: bool = true;

    #[inline(always)]
    fn group(&mut self) -> Option<Part<'a>> {
        let (target, targets) = self.target.split_at_checked(self.group)?;
        self.target = targets;
        // With sixteen registers, the compiler would spill one of them for this shortcut.
        if self.spare_registers
            && let Some((source, after)) = self.first.split_at_checked(self.group)
        {
            self.first = after;
            return Some((source, target));
        }
        let mut copied = 0usize;
        while copied < self.group {
            while self.first.is_empty() {
                // Never `None`: the pieces are as long as the target.
                let (first, others) = self.others.split_first()?;
                (self.first, self.others) = (first, others);
            }
            if copied == 0
                && let Some((source, after)) = self.first.split_at_checked(self.group)
            {
                self.first = after;
                return Some((source, target));
            }
            // Several pieces have bytes of this group.
            let step = self.group.wrapping_sub(copied).min(self.first.len());
            self.first = self.first.get(step..).unwrap_or_default();
            copied = copied.wrapping_add(step);
        }
        Some((target, target))
    }

    #[inline(always)]
    fn rest(&mut self) -> Part<'a> {
        (self.target, self.target)
    }
}
