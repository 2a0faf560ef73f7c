//! GF(2^256) on every backend, and on registers that are arrays, against the model of the field.

use crate::common::{Random, sample};
use crate::model::gf2_256::{Number, ONE, ZERO, evaluate};
use crate::model::soft::{Soft, clear};
use hardware_aes_gcm::backend::Cpu;
use hardware_aes_gcm::backend::field::Element;
use hardware_aes_gcm::kernel::gf2_256;
use hardware_aes_gcm::lanes::Lanes;
use std::slice::{from_mut, from_ref};

/// The kernel's functions.
pub(crate) trait Field {
    fn name(&self) -> String;
    fn multiply_each(&self, a: &mut [Element], b: &[Element]);
    fn invert(&self, a: &mut Element);
    fn evaluate(&self, coefficients: &[Element], points: &[Element], values: &mut [Element]);
    fn lagrange(&self, points: &[Element], weights: &mut [Element], products: &mut [Element]);
    fn power_sums(&self, of: [&[Element]; 3], sums: &mut [Element]);

    fn product(&self, a: Number, b: Number) -> Number {
        let mut product = a.halves();
        self.multiply_each(from_mut(&mut product), from_ref(&b.halves()));
        Number::of(&product)
    }

    fn inverse(&self, a: Number) -> Number {
        let mut inverse = a.halves();
        self.invert(&mut inverse);
        Number::of(&inverse)
    }
}

impl Field for Cpu {
    fn name(&self) -> String {
        Cpu::name(*self).to_owned()
    }

    fn multiply_each(&self, a: &mut [Element], b: &[Element]) {
        self.field(|field| field.multiply_each(a, b));
    }

    fn invert(&self, a: &mut Element) {
        self.field(|field| field.invert(a));
    }

    fn evaluate(&self, coefficients: &[Element], points: &[Element], values: &mut [Element]) {
        self.field(|field| field.evaluate(coefficients, points, values));
    }

    fn lagrange(&self, points: &[Element], weights: &mut [Element], products: &mut [Element]) {
        self.field(|field| field.lagrange(points, weights, products));
    }

    fn power_sums(&self, [weights, values, points]: [&[Element]; 3], sums: &mut [Element]) {
        self.field(|field| field.power_sums(weights, values, points, sums));
    }
}

/// The kernel on registers that are arrays of `N` blocks.
struct Portable<const N: usize>;

impl<const N: usize> Field for Portable<N> {
    fn name(&self) -> String {
        format!("arrays of {}", Soft::<N>::BLOCKS)
    }

    fn multiply_each(&self, a: &mut [Element], b: &[Element]) {
        clear();
        gf2_256::multiply::<Soft<N>>(a, b);
    }

    fn invert(&self, a: &mut Element) {
        clear();
        gf2_256::invert::<Soft<N>>(a);
    }

    fn evaluate(&self, coefficients: &[Element], points: &[Element], values: &mut [Element]) {
        clear();
        gf2_256::evaluate::<Soft<N>>(coefficients, points, values);
    }

    fn lagrange(&self, points: &[Element], weights: &mut [Element], products: &mut [Element]) {
        clear();
        gf2_256::lagrange::<Soft<N>>(points, weights, products);
    }

    fn power_sums(&self, [weights, values, points]: [&[Element]; 3], sums: &mut [Element]) {
        clear();
        gf2_256::power_sums::<Soft<N>>(weights, values, points, sums);
    }
}

/// Every backend.
pub(crate) fn backends() -> Vec<Box<dyn Field>> {
    let found: Vec<_> = Cpu::all().map(|cpu| Box::new(cpu) as Box<dyn Field>).collect();
    assert!(!found.is_empty(), "no backend runs here");
    found
}

/// Every backend, and registers that are arrays.
pub(crate) fn everywhere() -> Vec<Box<dyn Field>> {
    let mut found = backends();
    found.extend([Box::new(Portable::<1>) as Box<dyn Field>, Box::new(Portable::<2>)]);
    found.push(Box::new(Portable::<4>));
    found
}

/// A random element.
pub(crate) fn number(random: &mut Random) -> Number {
    Number([(); 4].map(|()| random.next()))
}

fn elements(numbers: &[Number]) -> Vec<Element> {
    numbers.iter().map(|number| number.halves()).collect()
}

fn numbers(elements: &[Element]) -> Vec<Number> {
    elements.iter().map(Number::of).collect()
}

/// From none to three registers of four elements, and the most shares that there are.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=12).chain([255])
}

fn some(random: &mut Random, length: usize) -> Vec<Number> {
    (0..length).map(|_| number(random)).collect()
}

#[test]
fn the_model_is_the_field_by_its_definition() {
    let [x, tail] = [Number::power_of_x(1), Number([1 << 10 | 1 << 5 | 1 << 2 | 1, 0, 0, 0])];
    // Powers below x^256 add their exponents; x^256 is the rest of the polynomial, and so on up to x^510.
    for (i, j) in (0..256).flat_map(|i| (0..256).map(move |j| (i, j))) {
        let product = Number::power_of_x(i).times(Number::power_of_x(j));
        if i + j < 256 {
            assert_eq!(product, Number::power_of_x(i + j), "{i} and {j}");
        } else {
            let power = Number::power_of_x(i + j - 256);
            assert_eq!(product, tail.times(power), "{i} and {j}");
        }
    }
    // The polynomial is irreducible (Rabin, 1980): x^(2^256) = x, and x^(2^128) - x has an inverse.
    let squares = |count| (0..count).fold(x, |power: Number, _| power.times(power));
    assert_eq!(squares(256), x);
    let between = squares(128).plus(x);
    assert_eq!(between.times(between.inverse()), ONE);
    let mut random = Random(0x6d6f_6465_6c32_3536);
    for _ in 0..20 {
        let [a, b, c] = [(); 3].map(|()| number(&mut random));
        assert_eq!(a.plus(b).times(c), a.times(c).plus(b.times(c)));
        assert_eq!(Number::of(&a.halves()), a);
        assert_eq!(Number::of_bytes(&a.bytes()), a);
    }
}

#[test]
fn products_of_all_pairs_of_single_bits() {
    let fields = everywhere();
    for i in sample(0..256) {
        for j in 0..256 {
            let [a, b] = [i, j].map(Number::power_of_x);
            let expected = a.times(b);
            for field in &fields {
                assert_eq!(field.product(a, b), expected, "x^{i} times x^{j}: {}", field.name());
            }
        }
    }
}

#[test]
fn products_of_a_million_random_pairs() {
    let fields = backends();
    let mut random = Random(0x7061_6972_7332_3536);
    for i in sample(0..1_000_000) {
        let [a, b] = [(); 2].map(|()| number(&mut random));
        let expected = a.times(b);
        for field in &fields {
            assert_eq!(field.product(a, b), expected, "pair {i}, {a:x?} {b:x?}: {}", field.name());
        }
    }
    for field in everywhere() {
        for _ in sample(0..3000) {
            let [a, b] = [(); 2].map(|()| number(&mut random));
            assert_eq!(field.product(a, b), a.times(b), "{a:x?} {b:x?}: {}", field.name());
        }
    }
}

#[test]
fn products_of_every_number_of_pairs() {
    let mut random = Random(0x6561_6368_7061_6972);
    let fields = everywhere();
    for count in lengths() {
        let [a, b] = [(); 2].map(|()| some(&mut random, count));
        let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| a.times(*b)).collect();
        for field in &fields {
            let mut products = elements(&a);
            field.multiply_each(&mut products, &elements(&b));
            assert_eq!(numbers(&products), expected, "{count} pairs: {}", field.name());
        }
    }
}

/// Horner's scheme continues, so that the values before count as one more coefficient.
#[test]
fn polynomials_of_every_length_at_points_of_every_number() {
    let mut random = Random(0x6576_616c_7561_7465);
    let [coefficients, points, values] = [(); 3].map(|()| some(&mut random, 255));
    let fields = everywhere();
    for (terms, count) in lengths().flat_map(|terms| lengths().map(move |count| (terms, count))) {
        if terms + count > 267 {
            continue; // 65 025 products of the model say no more
        }
        let (coefficients, points) = (&coefficients[..terms], &points[..count]);
        for before in [&[ZERO; 255][..count], &values[..count]] {
            let expected: Vec<_> = points
                .iter()
                .zip(before)
                .map(|(point, before)| {
                    // The model takes the coefficient of power 0 first.
                    let mut all: Vec<_> = coefficients.iter().rev().copied().collect();
                    all.push(*before);
                    evaluate(&all, *point)
                })
                .collect();
            for field in &fields {
                let mut values = elements(before);
                field.evaluate(&elements(coefficients), &elements(points), &mut values);
                let what = format!("{terms} terms at {count} points: {}", field.name());
                assert_eq!(numbers(&values), expected, "{what}");
            }
        }
    }
}

/// Distinct points other than 0: 1, 2, … and random ones.
fn points(random: &mut Random, count: usize) -> [Vec<Number>; 2] {
    [(1..=count as u64).map(|x| Number([x, 0, 0, 0])).collect(), some(random, count)]
}

/// A weight is the quotient of two products, so that its product with one of them is the other one.
#[test]
fn lagranges_coefficients_of_every_number_of_points() {
    let mut random = Random(0x6c61_6772_616e_6765);
    let fields = everywhere();
    for (count, points) in
        lengths().flat_map(|count| points(&mut random, count).map(|points| (count, points)))
    {
        let quotients: Vec<_> = points
            .iter()
            .map(|x| {
                let others = points.iter().filter(|other| *other != x);
                others.fold((ONE, ONE), |(above, below), other| {
                    (above.times(*other), below.times(x.plus(*other)))
                })
            })
            .collect();
        for field in &fields {
            // Earlier content of the room must not count.
            let (mut weights, mut room) = (elements(&points), elements(&points));
            field.lagrange(&elements(&points), &mut weights, &mut room);
            for (i, (weight, (above, below))) in
                numbers(&weights).iter().zip(&quotients).enumerate()
            {
                let what = format!("weight {i} of {count}: {}", field.name());
                assert_eq!(weight.times(*below), *above, "{what}");
            }
        }
    }
}

#[test]
fn power_sums_of_every_number_of_points() {
    let mut random = Random(0x706f_7765_7220_7375);
    let [weights, values, points, before] = [(); 4].map(|()| some(&mut random, 255));
    let fields = everywhere();
    for (count, powers) in lengths().flat_map(|count| lengths().map(move |powers| (count, powers)))
    {
        if count + powers > 267 {
            continue; // as above
        }
        let mut expected = before[..powers].to_vec();
        for ((weight, value), point) in weights.iter().zip(&values).zip(&points).take(count) {
            let mut term = weight.times(*value);
            for sum in &mut expected {
                *sum = sum.plus(term);
                term = term.times(*point);
            }
        }
        for field in &fields {
            let mut sums = elements(&before[..powers]);
            let of = [&weights, &values, &points].map(|numbers| elements(&numbers[..count]));
            field.power_sums(of.each_ref().map(Vec::as_slice), &mut sums);
            let what = format!("{powers} powers of {count} points: {}", field.name());
            assert_eq!(numbers(&sums), expected, "{what}");
        }
    }
}
