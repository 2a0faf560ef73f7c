# Bits as polynomials over GF(2) in the bits of the inputs (algebraic normal form), which is unique: two functions are equal for all inputs
# exactly if their bits are the same polynomials. Exclusive or of many bits takes a solver of clauses too long; here it is a set operation.
#
# A bit is a set of monomials, and a monomial a set of variables: {frozenset()} is 1, and an empty set 0.
from functools import lru_cache

ZERO = frozenset()
ONE = frozenset([frozenset()])


def variables(name, count):
    return [frozenset([frozenset([(name, i)])]) for i in range(count)]


@lru_cache(maxsize=None)
def both(a, b):
    """The product of two monomials: x·x is x."""
    return a | b


def times(a, b):
    if not a or not b:
        return ZERO
    if a == ONE:
        return b
    if b == ONE:
        return a
    sum = set()
    for left in a:
        sum ^= {both(left, right) for right in b}
    return frozenset(sum)


def add(a, b):
    """The sum of two polynomials in x, lists of bits whose first one is the coefficient of 1."""
    if len(a) < len(b):
        a, b = b, a
    return [x ^ y for x, y in zip(a, b)] + a[len(b) :]


def multiply(a, b):
    """The product of two polynomials in x: the carry-less product of the instructions."""
    result = [set() for _ in range(len(a) + len(b) - 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] ^= times(x, y)
    return [frozenset(bit) for bit in result]


def modulo(value, exponents, degree):
    """`value` modulo x^degree + the sum of x^e over `exponents`."""
    value = list(value)
    for i in reversed(range(degree, len(value))):
        for exponent in exponents:
            value[i - degree + exponent] = value[i - degree + exponent] ^ value[i]
        value[i] = ZERO
    return (value + [ZERO] * degree)[:degree]


def number(value, count):
    """The bits of a number."""
    return [ONE if value >> i & 1 else ZERO for i in range(count)]


def at(bits, point):
    """The number that the bits are for inputs in which the variables in `point` are 1 and all others 0."""
    chosen = frozenset(point)
    return sum((sum(monomial <= chosen for monomial in bit) & 1) << i for i, bit in enumerate(bits))


def difference(ours, theirs):
    """None if both are the same function, otherwise inputs for which they differ: the variables of a smallest monomial."""
    for x, y in zip(ours, theirs, strict=True):
        if x != y:
            return min(x ^ y, key=lambda monomial: (len(monomial), sorted(monomial)))
    return None


class Register:
    """A register of one lane: 128 bits, the lowest first. The methods are those of `Lanes`, as its comments say."""

    def __init__(self, bits):
        assert len(bits) == 128
        self.bits = bits

    @staticmethod
    def of(value):
        return Register(number(value, 128))

    def xor(self, other):
        return Register(add(self.bits, other.bits))

    def word(self, i):
        return self.bits[64 * i : 64 * i + 64]

    def select(self, other, i, j):
        return Register(multiply(self.word(i), other.word(j)) + [ZERO])

    def low(self, other):
        return self.select(other, 0, 0)

    def high(self, other):
        return self.select(other, 1, 1)

    def swapped(self):
        return Register(self.word(1) + self.word(0))

    def halves(self):
        return self.xor(self.swapped())

    def words_up(self):
        return Register([ZERO] * 64 + self.word(0))

    def words_down(self):
        return Register(self.word(1) + [ZERO] * 64)

    def reflect(self):
        return Register([bit for i in reversed(range(0, 128, 8)) for bit in self.bits[i : i + 8]])
