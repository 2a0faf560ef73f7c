//! Packet numbers (RFC 9000 17.1): recovered from their truncated form without a branch on it,
//! since it was masked (RFC 9001 9.5).

/// Highest number that is sealed or opened: the largest integer that every double represents, with
/// all integers below it. QUIC allows numbers up to 2^62 - 1.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// The number closest to `expected` whose last `bytes` bytes are `truncated` (RFC 9000 A.3).
/// `bytes` is 1 to 4, and `expected` at most 2^53: no number comes near the bound of 2^62.
#[inline(always)]
pub(super) fn recover(expected: u64, truncated: u64, bytes: u32) -> u64 {
    let window = 1u64 << (8 * bytes);
    let before = (window >> 1).wrapping_sub(1);
    // From `expected - before` to `expected + window / 2`, one number ends as `truncated` does.
    let lowest = expected.wrapping_sub(before);
    let number = lowest.wrapping_add(truncated.wrapping_sub(lowest) & window.wrapping_sub(1));
    // No number is below zero. A shift instead of a comparison, which may become a branch.
    let below_zero = (number.cast_signed() >> 63).cast_unsigned();
    number.wrapping_add(window & below_zero)
}

#[cfg(test)]
mod tests {
    use super::recover;

    /// RFC 9000 A.3, with its branches.
    fn book(expected: u64, truncated: u64, bytes: u32) -> u64 {
        let window = 1i128 << (8 * bytes);
        let expected = i128::from(expected);
        let candidate = expected / window * window + i128::from(truncated);
        let number = if candidate <= expected - window / 2 && candidate < (1 << 62) - window {
            candidate + window
        } else if candidate > expected + window / 2 && candidate >= window {
            candidate - window
        } else {
            candidate
        };
        u64::try_from(number).unwrap_or(u64::MAX)
    }

    #[test]
    fn numbers_are_recovered_as_rfc_9000_says() {
        assert_eq!(recover(0xa82f_30eb, 0x9b32, 2), 0xa82f_9b32, "the example of A.3");
        let mut random = 7u64;
        for bytes in 1..=4 {
            let window = 1u64 << (8 * bytes);
            let near = [0, 1, 2, window / 2 - 1, window / 2, window / 2 + 1, window - 1, window];
            let far = [window * 3 + window / 2, (1 << 53) - 1, 1 << 53, (1 << 53) - window / 2];
            for expected in near.into_iter().chain(far) {
                let around = [expected, expected.wrapping_sub(window / 2), expected + window / 2];
                for at in around {
                    for truncated in [at.wrapping_sub(1), at, at.wrapping_add(1), 0, window - 1] {
                        let truncated = truncated % window;
                        let number = recover(expected, truncated, bytes);
                        assert_eq!(
                            number,
                            book(expected, truncated, bytes),
                            "{expected} {truncated}"
                        );
                    }
                }
            }
            for _ in 0..1000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (expected, truncated) = (random >> 11, (random >> 3) % window);
                let number = recover(expected, truncated, bytes);
                assert_eq!(number, book(expected, truncated, bytes), "{expected} {truncated}");
            }
        }
    }
}
