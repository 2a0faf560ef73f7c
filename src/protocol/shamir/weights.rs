//! Lagrange's coefficients at 0, which depend on the points alone: the weight of point `i` is the
//! product of `x_j / (x_i + x_j)` over all `j` but `i`.
//!
//! Numbers from 1 to 255 differ by such numbers. Their inverses are computed once for the process:
//! an inversion takes longer than all products of ten shares. Public points may index the table.

use super::element::{invert, number, small};
use crate::backend::Cpu;
use crate::backend::field::{Element, ONE, ZERO};
use std::sync::OnceLock;

/// Lagrange's coefficients at 0 for `points`, which are distinct and not 0.
pub(super) fn weights(cpu: Cpu, points: &[Element]) -> Vec<Element> {
    match points.iter().map(number).collect::<Option<Vec<u8>>>() {
        Some(numbers) => of_numbers(cpu, &numbers),
        None => of_elements(cpu, points),
    }
}

// Functions of their own, so that the guard clears the registers and the stack of this very frame.
#[inline(never)]
fn of_elements(cpu: Cpu, points: &[Element]) -> Vec<Element> {
    let mut weights = vec![ZERO; points.len()];
    let mut products = vec![ZERO; points.len()];
    cpu.field(|field| field.lagrange(points, &mut weights, &mut products));
    weights
}

#[inline(never)]
fn of_numbers(cpu: Cpu, numbers: &[u8]) -> Vec<Element> {
    let inverses = inverses(cpu);
    let inverse = |number: u8| inverses.get(usize::from(number)).unwrap_or(&ZERO);
    // The product of all points times the inverse of `x_i`, and of each difference.
    let mut weights: Vec<Element> = numbers.iter().map(|x| *inverse(*x)).collect();
    let mut factors = vec![ZERO; numbers.len()];
    let mut all = ONE;
    cpu.field(|field| {
        for number in numbers {
            field.multiply(&mut all, &small(*number));
            for (factor, x) in factors.iter_mut().zip(numbers) {
                *factor = if x == number { ONE } else { *inverse(x ^ number) };
            }
            field.multiply_each(&mut weights, &factors);
        }
        factors.fill(all);
        field.multiply_each(&mut weights, &factors);
    });
    weights
}

/// The inverses of the numbers from 1 to 255, at their indexes.
fn inverses(cpu: Cpu) -> &'static [Element] {
    static INVERSES: OnceLock<Vec<Element>> = OnceLock::new();
    INVERSES.get_or_init(|| {
        let mut inverses: Vec<Element> = (0..=u8::MAX).map(small).collect();
        inverses.iter_mut().for_each(|element| invert(cpu, element));
        inverses
    })
}
