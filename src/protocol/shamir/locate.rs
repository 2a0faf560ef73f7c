//! The wrong shares: errors of a Reed-Solomon code, located from its syndromes (Massey, 1969).
//!
//! Syndromes depend on the errors alone. Branches here therefore do not depend on the secret.

use super::element::{add, invert, scale, values};
use crate::backend::Cpu;
use crate::backend::field::{Element, ONE, ZERO};

/// Which of `points` have a wrong value, from the sums of error · weight · point^k for k from 1 on.
/// `None` if more are wrong than half the number of sums, which then do not determine them.
pub(super) fn locate(cpu: Cpu, points: &[Element], syndromes: &[Element]) -> Option<Vec<bool>> {
    let locator = shortest_recurrence(cpu, syndromes);
    let errors = locator.len() - 1;
    if errors * 2 > syndromes.len() {
        return None;
    }
    // The locator is the product of `1 - x z` over the wrong points `x`. Its coefficients, lowest
    // power first, are those of the product of `z - x`, highest first.
    let values = values(cpu, &locator, points);
    let wrong: Vec<bool> = values.iter().map(|value| *value == ZERO).collect();
    (wrong.iter().filter(|wrong| **wrong).count() == errors).then_some(wrong)
}

/// The shortest linear recurrence that `sequence` obeys, as a polynomial: coefficient 0 is 1, and
/// the sum of `coefficient i` times the element `i` before is 0. Its length is the order and 1.
fn shortest_recurrence(cpu: Cpu, sequence: &[Element]) -> Vec<Element> {
    // The names of Massey's paper: `b` and `shift` are of the last recurrence of another order.
    let (mut current, mut last) = (vec![ONE], vec![ONE]);
    let (mut order, mut shift, mut b) = (0, 1, ONE);
    for n in 0..sequence.len() {
        let earlier = sequence.iter().take(n + 1).rev();
        let mut discrepancy = ZERO;
        for (coefficient, element) in current.iter().zip(earlier) {
            let mut term = *element;
            scale(cpu, &mut term, coefficient);
            add(&mut discrepancy, &term);
        }
        if discrepancy == ZERO {
            shift += 1;
            continue;
        }
        let mut factor = b;
        invert(cpu, &mut factor);
        scale(cpu, &mut factor, &discrepancy);
        let before = current.clone();
        current.resize(current.len().max(last.len() + shift), ZERO);
        for (to, from) in current.iter_mut().skip(shift).zip(&last) {
            let mut term = *from;
            scale(cpu, &mut term, &factor);
            add(to, &term);
        }
        if 2 * order <= n {
            order = n + 1 - order;
            (last, b, shift) = (before, discrepancy, 1);
        } else {
            shift += 1;
        }
    }
    current.resize(order + 1, ZERO);
    current
}
