//! The order of key phases on a path: a higher number has the same or newer keys (RFC 9001 6.4).

use core::ops::Range;

/// The key phase of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// The keys that packets are sealed with.
    Current,
    /// Those of the next key phase.
    Next,
    /// Those of the key phase before.
    Previous,
}

/// The numbers opened on a path, by keys. Each but `lowest` is one more than the highest number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    /// Key updates before the current keys.
    updates: u64,
    /// Under keys older than the previous ones.
    older: u64,
    /// Under the previous keys or older ones.
    previous: u64,
    /// The lowest number under the current keys.
    lowest: Option<u64>,
    /// Under any keys.
    all: u64,
}

impl Order {
    /// Follows the key updates of the other paths.
    #[inline(always)]
    pub(super) fn follow(&mut self, updates: u64) {
        if self.updates == updates {
            return;
        }
        let one = updates.wrapping_sub(self.updates) == 1;
        self.older = if one { self.previous } else { self.all };
        (self.previous, self.lowest, self.updates) = (self.all, None, updates);
    }

    /// The numbers that may be opened under these keys.
    #[inline(always)]
    pub(super) fn numbers(&self, of: Of) -> Range<u64> {
        match of {
            Of::Current => self.previous..u64::MAX,
            Of::Next => self.all..u64::MAX,
            Of::Previous => self.older..self.lowest.unwrap_or(u64::MAX),
        }
    }

    /// Notes a number that was opened. The next keys must be the current ones by then.
    #[inline(always)]
    pub(super) fn note(&mut self, of: Of, number: u64) {
        let end = number.saturating_add(1);
        self.all = self.all.max(end);
        if of == Of::Previous {
            self.previous = self.previous.max(end);
        } else {
            self.lowest = Some(self.lowest.map_or(number, |lowest| lowest.min(number)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Of, Order};

    fn after(notes: &[(Of, u64)], updates: u64) -> [core::ops::Range<u64>; 3] {
        let mut order = Order::default();
        notes.iter().for_each(|(of, number)| order.note(*of, *number));
        order.follow(updates);
        [Of::Previous, Of::Current, Of::Next].map(|of| order.numbers(of))
    }

    #[test]
    fn keys_open_numbers_between_those_of_older_and_of_newer_keys() {
        let end = u64::MAX;
        assert_eq!(after(&[], 0), [0..end, 0..end, 0..end]);
        assert_eq!(after(&[(Of::Current, 9), (Of::Current, 7)], 0), [0..7, 0..end, 10..end]);
        assert_eq!(after(&[(Of::Current, 9), (Of::Previous, 4)], 0), [0..9, 5..end, 10..end]);
        // Without a packet under the current keys, those of the previous ones may go on.
        assert_eq!(after(&[(Of::Previous, 4)], 0), [0..end, 5..end, 5..end]);
    }

    #[test]
    fn a_path_follows_the_updates_of_the_others() {
        let (end, notes) = (u64::MAX, [(Of::Previous, 4), (Of::Current, 9)]);
        assert_eq!(after(&notes, 1), [5..end, 10..end, 10..end]);
        assert_eq!(after(&notes, 2), [10..end, 10..end, 10..end]);
        assert_eq!(after(&notes, 3), [10..end, 10..end, 10..end]);
    }
}
