//! Health tests of the CPU's source (NIST SP 800-90B 4.4), on the 64-bit words of the instruction.
//!
//! The tests assume 32 bits of min-entropy a word, half of the makers' claim, and a false alarm
//! once in 2^20. The cutoff of the repetition count test is then 1 + ceil(20 / 32) = 2 (4.4.1).
//! That of the adaptive proportion test is 2 as well: the first word of a window of 512 comes again
//! with probability 511 / 2^32 < 2^-20 (4.4.2). A source of full entropy fails once in 2^62 words.
//! A word of zeros or of ones fails at once, since broken sources returned such words with success.

/// Words of a window of the adaptive proportion test (4.4.2: 512 for samples of more than one bit).
const WINDOW: u32 = 512;
/// Words that must pass before the source is called healthy (4.3, requirement 4: start-up tests
/// over at least 1024 samples).
const STARTUP: u64 = 1024;

/// Why a source was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two equal words in a row: the repetition count test.
    Repeated,
    /// The first word of a window came again: the adaptive proportion test.
    Recurring,
    /// A word of zeros or of ones.
    Stuck,
    /// The source returned no word in thousands of tries in a row.
    Silent,
}

/// The state of the tests, carried from one seeding to the next.
#[derive(Default)]
pub struct Health {
    last: Option<u64>,
    /// The current window of the adaptive proportion test; `None` before its first word.
    window: Option<Window>,
    words: u64,
}

struct Window {
    /// The word that must not come again in the window.
    first: u64,
    /// How many words of the window are still to come.
    left: u32,
}

impl Health {
    /// Tests one word.
    pub fn test(&mut self, word: u64) -> Result<(), Fault> {
        self.words = self.words.saturating_add(1);
        if word == 0 || word == u64::MAX {
            return Err(Fault::Stuck);
        }
        if self.last.replace(word) == Some(word) {
            return Err(Fault::Repeated);
        }
        self.window = match self.window {
            Some(Window { first, .. }) if first == word => return Err(Fault::Recurring),
            Some(Window { first, left }) if left > 1 => Some(Window { first, left: left - 1 }),
            Some(_) => None,
            None => Some(Window { first: word, left: WINDOW - 1 }),
        };
        Ok(())
    }

    /// Whether the tests still hold `word`, to compare later words with it.
    pub fn retains(&self, word: u64) -> bool {
        self.last == Some(word) || self.window.as_ref().is_some_and(|window| window.first == word)
    }

    /// How many words were tested.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Whether the start-up tests are over.
    pub fn startup_passed(&self) -> bool {
        self.words >= STARTUP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distinct words, all of them other than 0 and all ones.
    fn sound(i: u64) -> u64 {
        (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The index of the first word that fails, and its fault.
    fn tripped(source: impl Fn(u64) -> u64) -> Option<(u64, Fault)> {
        let mut health = Health::default();
        (0..1 << 16).find_map(|i| health.test(source(i)).err().map(|fault| (i, fault)))
    }

    #[test]
    fn broken_sources_trip() {
        assert_eq!(tripped(|_| 0), Some((0, Fault::Stuck)));
        assert_eq!(tripped(|_| u64::MAX), Some((0, Fault::Stuck)));
        assert_eq!(tripped(|_| 5), Some((1, Fault::Repeated)));
        assert_eq!(tripped(|i| i % 2 + 1), Some((2, Fault::Recurring)));
        assert_eq!(tripped(|i| i % 511 + 1), Some((511, Fault::Recurring)));
        // Zeros with success once in a hundred, the first of them at 77.
        let rare = tripped(|i| if i % 100 == 77 { 0 } else { sound(i) });
        assert_eq!(rare, Some((77, Fault::Stuck)));
        // One stuck repetition deep in a sound stream.
        assert_eq!(tripped(|i| sound(i - u64::from(i > 1000))), Some((1001, Fault::Repeated)));
    }

    #[test]
    fn a_window_counts_its_first_word_and_no_other() {
        // The first word of the second window, again as the last word of that window.
        let last = tripped(|i| if i == 1023 { sound(512) } else { sound(i) });
        assert_eq!(last, Some((1023, Fault::Recurring)));
        // 4.4.2 counts neither the same word in the next window, nor a window's second word.
        assert_eq!(tripped(|i| if i == 1024 { sound(512) } else { sound(i) }), None);
        assert_eq!(tripped(|i| if i == 1000 { sound(513) } else { sound(i) }), None);
    }

    #[test]
    fn the_start_up_tests_take_1024_words() {
        let mut health = Health::default();
        for i in 0..1024 {
            assert!(!health.startup_passed());
            assert_eq!(health.test(sound(i)), Ok(()));
        }
        assert_eq!((health.startup_passed(), health.words()), (true, 1024));
    }
}
