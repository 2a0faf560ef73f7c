# The values that proved functions compute with: integers of z3 bits with Rust's rules, options, results and structures.
import z3

BITS = {"u8": 8, "u16": 16, "u32": 32, "u64": 64, "u128": 128, "usize": 64, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "isize": 64}


class Stop(Exception):
    """Ends a path: with the value of `return` or `?`, or by `break`."""

    def __init__(self, value):
        self.value = value


class Break(Exception):
    pass


class Paths:
    """Explores a function once for each way through its branches. `choose` takes a branch, `oblige` notes what must hold on the way."""

    def __init__(self, assume):
        self.assume, self.waiting, self.results = list(assume), [[]], []

    def explore(self, run):
        """A list of (conditions of the path, its value, obligations) for every path that an input can take."""
        while self.waiting:
            self.script, self.taken, self.conditions, self.obligations = self.waiting.pop(), [], [], []
            value = run()
            self.results.append((self.conditions, value, self.obligations))
        return self.results

    def choose(self, condition):
        if isinstance(condition, bool):
            return condition
        condition = z3.simplify(condition)
        if z3.is_true(condition) or z3.is_false(condition):
            return z3.is_true(condition)
        place = len(self.taken)
        if place < len(self.script):
            answer = self.script[place]
        else:
            answer = self.possible(condition)
            if answer and self.possible(z3.Not(condition)):
                self.waiting.append([*self.taken, False])
        self.taken.append(answer)
        self.conditions.append(condition if answer else z3.Not(condition))
        return answer

    def possible(self, condition):
        solver = z3.Solver()
        solver.set("timeout", 20_000)
        solver.add(*self.assume, *self.conditions, condition)
        return solver.check() != z3.unsat

    def oblige(self, condition, why):
        if condition is not True:
            self.obligations.append((z3.Implies(z3.And(*self.conditions), condition), why))


class Int:
    """An integer of Rust. A literal has no type and no bits until it meets one that has."""

    paths = None  # the current exploration
    # Solvers multiply slowly. Where a proof says so, a product is any number that depends on the factors: a claim that holds for all
    # such numbers holds for the product.
    abstract = False
    product = z3.Function("product", z3.BitVecSort(64), z3.BitVecSort(64), z3.BitVecSort(128))

    def __init__(self, bits, kind):
        self.bits, self.kind = bits, kind

    # Solvers also divide slowly. Where a proof says so, quotients are at most 3, and the proof has to show that.
    small_quotients = False

    @staticmethod
    def new(name, kind):
        return Int(z3.BitVec(name, BITS[kind]), kind)

    def of(self, other):
        """`other`, as bits of this type."""
        if isinstance(other, int):
            return z3.BitVecVal(other, BITS[self.kind])
        if isinstance(other, Int) and other.kind == self.kind:
            return other.bits
        raise TypeError(f"{self.kind} meets {getattr(other, 'kind', other)}")

    def like(self, bits):
        return Int(z3.simplify(bits), self.kind)

    @property
    def signed(self):
        return self.kind[0] == "i"

    @property
    def size(self):
        return BITS[self.kind]

    @property
    def most(self):
        return (1 << self.size - self.signed) - 1

    def wide(self, bits, extra):
        return z3.SignExt(extra, bits) if self.signed else z3.ZeroExt(extra, bits)

    def cast(self, kind):
        size = BITS[kind]
        if size <= self.size:
            return Int(z3.simplify(z3.Extract(size - 1, 0, self.bits)), kind)
        return Int(z3.simplify(self.wide(self.bits, size - self.size)), kind)

    def exact(self, operator, other):
        """The result without bounds, and whether it lies within those of the type."""
        if operator == "*" and self.abstract:
            whole = self.product(self.bits, self.of(other))
            return z3.Extract(63, 0, whole), z3.Extract(127, 64, whole) == 0
        extra = self.size if operator == "*" else 1
        a, b = self.wide(self.bits, extra), self.wide(self.of(other), extra)
        whole = {"+": a + b, "-": a - b, "*": a * b}[operator]
        result = z3.Extract(self.size - 1, 0, whole)
        return result, self.wide(result, extra) == whole

    def binary(self, operator, other):
        if operator in ("<<", ">>"):
            amount = other.cast(self.kind).bits if isinstance(other, Int) else z3.BitVecVal(other, self.size)
            self.paths.oblige(z3.ULT(amount, self.size), f"{operator} by fewer than {self.size} bits")
            right = self.bits >> amount if self.signed else z3.LShR(self.bits, amount)
            return self.like(self.bits << amount if operator == "<<" else right)
        a, b = self.bits, self.of(other)
        if operator in ("&", "|", "^"):
            return self.like({"&": a & b, "|": a | b, "^": a ^ b}[operator])
        if operator in ("+", "-", "*"):
            result, fits = self.exact(operator, other)
            self.paths.oblige(fits, f"{operator} of {self.kind} without overflow")
            return self.like(result)
        if operator in ("/", "%"):
            self.paths.oblige(b != 0, f"{operator} by another number than 0")
            if self.signed:
                raise TypeError("a signed division")
            return self.like(self.divided(b)[operator == "%"])
        if operator in ("==", "!="):
            return z3.simplify(a == b if operator == "==" else a != b)
        table = {"<": (z3.ULT, a < b), ">": (z3.UGT, a > b), "<=": (z3.ULE, a <= b), ">=": (z3.UGE, a >= b)}
        unsigned, signed = table[operator]
        return z3.simplify(signed if self.signed else unsigned(a, b))

    def divided(self, by):
        """Quotient and rest of unsigned numbers."""
        if not self.small_quotients:
            return z3.UDiv(self.bits, by), z3.URem(self.bits, by)
        self.paths.oblige(z3.And(z3.ULT(by, 1 << self.size - 2), z3.ULT(self.bits, 4 * by)), "a quotient of at most 3")
        quotient, rest = z3.BitVecVal(0, self.size), self.bits
        for i in (1, 2, 3):
            fits = z3.UGE(self.bits, i * by)
            quotient, rest = z3.If(fits, z3.BitVecVal(i, self.size), quotient), z3.If(fits, self.bits - i * by, rest)
        return quotient, rest

    # Rust's methods, by their names.
    def wrapping_add(self, other):
        return self.like(self.bits + self.of(other))

    def wrapping_sub(self, other):
        return self.like(self.bits - self.of(other))

    def wrapping_mul(self, other):
        return self.like(self.bits * self.of(other))

    def checked(self, operator, other):
        result, fits = self.exact(operator, other)
        return Some(self.like(result)) if self.paths.choose(fits) else NONE

    def checked_add(self, other):
        return self.checked("+", other)

    def checked_sub(self, other):
        return self.checked("-", other)

    def saturating(self, operator, other):
        assert not self.signed
        result, fits = self.exact(operator, other)
        return self.like(z3.If(fits, result, z3.BitVecVal(0 if operator == "-" else self.most, self.size)))

    def saturating_add(self, other):
        return self.saturating("+", other)

    def saturating_sub(self, other):
        return self.saturating("-", other)

    def saturating_mul(self, other):
        return self.saturating("*", other)

    def overflowing_add(self, other):
        result, fits = self.exact("+", other)
        return self.like(result), z3.simplify(z3.Not(fits))

    def div_ceil(self, other):
        quotient, rest = self.divided(self.of(other))
        return self.like(quotient + z3.If(rest == 0, z3.BitVecVal(0, self.size), z3.BitVecVal(1, self.size)))

    def is_multiple_of(self, other):
        return z3.simplify(self.divided(self.of(other))[1] == 0)

    def min(self, other):
        return self.like(z3.If(z3.ULE(self.bits, self.of(other)), self.bits, self.of(other)))

    def cast_signed(self):
        return Int(self.bits, "i" + self.kind[1:])

    def cast_unsigned(self):
        return Int(self.bits, "u" + self.kind[1:])

    def swap_bytes(self):
        return self.like(z3.Concat(*[z3.Extract(i + 7, i, self.bits) for i in range(0, self.size, 8)]))

    def to_le_bytes(self):
        from memory import Slice  # which needs integers

        return Slice([Int(z3.simplify(z3.Extract(i + 7, i, self.bits)), "u8") for i in range(0, self.size, 8)])

    def get(self):  # of NonZeroUsize, and of Cell
        return self


def from_le_bytes(kind):
    return lambda slice: Int(z3.simplify(z3.Concat(*[byte.bits for byte in reversed(slice.items())])), kind)


def from_bool_or_int(kind):
    def convert(value):
        if isinstance(value, Int):
            return value.cast(kind)
        if isinstance(value, int) and not isinstance(value, bool):
            return Int(z3.BitVecVal(value, BITS[kind]), kind)
        one, zero = z3.BitVecVal(1, BITS[kind]), z3.BitVecVal(0, BITS[kind])
        return Int(z3.simplify(z3.If(value, one, zero)) if not isinstance(value, bool) else (one if value else zero), kind)

    return convert


class Variant:
    """A value of an enumeration or a tuple structure: its name and fields."""

    def __init__(self, name, fields):
        self.name, self.fields = name, fields


class Option(Variant):
    @property
    def some(self):
        return self.name == "Some"

    def map(self, change):
        return Some(change(self.fields[0])) if self.some else NONE

    def and_then(self, change):
        return change(self.fields[0]) if self.some else NONE

    def map_or(self, other, change):
        return change(self.fields[0]) if self.some else other

    def filter(self, test):
        return self if self.some and Int.paths.choose(test(self.fields[0])) else NONE

    def is_some_and(self, test):
        return test(self.fields[0]) if self.some else False

    def ok_or(self, error):
        return Variant("Ok", self.fields) if self.some else Variant("Err", [error])

    def unwrap_or(self, other):
        return self.fields[0] if self.some else other


def Some(value):
    return Option("Some", [value])


NONE = Option("None", [])


class Result(Variant):
    pass


class Struct:
    def __init__(self, name, fields):
        self.name, self.fields = name, fields
