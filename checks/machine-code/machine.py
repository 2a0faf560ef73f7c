"""Executes x86-64 on normal forms: memory, registers, flags, and the instructions of general registers; vectors.py has the others.

Numbers that callers choose freely are vectors of symbols; lengths and pointers are Python's numbers. A branch, an address or a mask that
is not a number stops the run: so a run that ends proves as well that none of these depends on a secret.
"""
from functools import partialmethod, reduce

from affine import M64, Number
from forms import Unknown, constant, join
from image import Memory as Place, Register
from state import CONDITIONS, OPPOSITE, PARITY, Memory, Wrong, plain, vector
from vectors import Vectors, both

STACK = 512  # bytes that a kernel may use: `forget` clears as many

class Machine(Vectors):
    def __init__(self, image, terms):
        self.image, self.terms, self.mem = image, terms, Memory(image)
        self.r, self.k = [0] * 16, [0] * 8
        self.v = [[constant(128)] * 4 for _ in range(32)]
        self.flags = dict.fromkeys('czsop')
        self.names, self.keys = {}, {}  # values that the specification gives a symbol: sums of products, and others
        self.trace, self.next, self.known = [], 0, {}

    def run(self, code, at, stops=()):
        """Runs from `at` to one of the places `stops`, which it returns, or to the end: None."""
        start = len(self.trace)
        while at is not None and (at not in stops or len(self.trace) == start):
            if at not in code or len(self.trace) - start > 10**6:
                raise Wrong(f'jumps to {at:#x}' if at not in code else 'does not end')
            ins = code[at]
            self.trace.append(at)
            self.next = ins.after
            self.step(ins)
            at = self.next
        return at

    def step(self, ins):
        do = self.known.get(ins.op)
        try:
            if do is None:
                do = self.known[ins.op] = getattr(self, 'do_' + ins.op, None) or self.other(ins.op)
            do(*ins.args)
        except (Unknown, Wrong) as e:
            raise type(e)(f'{e}, at {ins.after - len(ins.raw):x}: {ins.text}') from None
        except (TypeError, AttributeError, KeyError, IndexError) as e:
            raise Unknown(f'operands that are not modelled ({e}): {ins.text}') from None

    def other(self, op):
        if op[0] == 'j' and (op[1:] in CONDITIONS or op[1:] in OPPOSITE):
            return lambda to: self.do_jmp(to) if self.holds(op[1:]) else None
        if op[:4] == 'cmov':
            return lambda d, s: self.set(d, self.get(s, d.bits) if self.holds(op[4:]) else self.get(d))
        if op[:3] == 'set':
            return lambda d: self.set(d, self.holds(op[3:]))
        return self.vector_operation(op)

    # Operands.

    def sum_of(self, m):
        """What a memory operand names: a number, or else a vector."""
        a, others = m.offset, []
        for register, factor in ((m.base, 1), (m.index, m.scale)):
            x = 0 if register is None else self.r[register]
            if isinstance(x, int):
                a += x * factor
            else:
                others.append(x.shift(factor.bit_length() - 1))
        return reduce(lambda a, x: self.sum(a, x, 64), others, a & M64)

    def address(self, m):
        a = self.sum_of(m)
        if not isinstance(a, int):
            raise Wrong('an address depends on data')
        return a

    def get(self, o, bits=None):
        """The value of a general operand: a number, or else a vector."""
        if isinstance(o, int):
            return o & (1 << bits) - 1
        n = self.bits(o, bits)
        if isinstance(o, Place):
            return plain(self.mem.load(self.address(o), n // 8))
        x = self.r[o.index]
        if isinstance(x, Number) and x.bounds()[1] >> o.shift + n > 1:
            x = x.vector(64)
        return x >> o.shift & (1 << n) - 1 if isinstance(x, int) else plain(x.slice(o.shift, n))

    def set(self, o, x, bits=None):
        n = self.bits(o, bits)
        if isinstance(o, Place):
            return self.mem.store(self.address(o), vector(x, n))
        if n >= 32:
            self.r[o.index] = x if isinstance(x, int) else x.widen(64)
        else:
            old, after = vector(self.r[o.index], 64), o.shift + n
            self.r[o.index] = plain(join([old.slice(0, o.shift), vector(x, n), old.slice(after, 64 - after)]))

    @staticmethod
    def bits(o, other=None):
        n = None if isinstance(o, int) else o.bits
        if isinstance(o, Register) and o.kind != 'general':
            raise Unknown('a general operand')
        if getattr(o, 'broadcast', False) or getattr(o, 'mask', None) is not None or (n and other and n != other) or not (n or other):
            raise Unknown('the size of an operand')
        return n or other

    # Flags.

    def undefined(self, names='czsop'):
        self.flags |= dict.fromkeys(names)

    def result(self, x, n):
        self.undefined('zsp')
        if isinstance(x, int):
            self.flags.update(z=int(x == 0), s=x >> n - 1, p=None if isinstance(x, Number) else PARITY[x & 255])

    def holds(self, condition):
        names, f = CONDITIONS[OPPOSITE.get(condition, condition)]
        values = [self.flags[x] for x in names]
        if None in values:
            raise Wrong('a condition depends on data')
        return int(bool(f(*values)) != (condition in OPPOSITE))

    # Moves and jumps.

    def do_jmp(self, to):
        if not isinstance(to, int):
            to = self.get(to, 64)
        if not isinstance(to, int):
            raise Wrong('a jump depends on data')
        self.next = to

    def do_ret(self):
        if self.r[4] != self.bottom:
            raise Wrong('returns with another stack pointer')
        self.r[4] += 8
        self.next = None

    def do_push(self, o):
        self.r[4] -= 8
        self.mem.store(self.r[4], vector(self.get(o, 64), 64))

    def do_pop(self, o):
        x = plain(self.mem.load(self.r[4], 8))
        self.r[4] += 8
        self.set(o, x, 64)

    def do_mov(self, d, s):
        n = self.bits(d, None if isinstance(s, int) else s.bits)
        self.set(d, self.get(s, n), n)

    do_movabs = do_mov
    do_nop = lambda self: None
    do_movsxd = lambda self, d, s: self.set(d, (self.get(s, 32) ^ 1 << 31) - (1 << 31) & M64, 64)
    def do_movzx(self, d, s):
        x = self.get(s)
        self.set(d, x if isinstance(x, int) else x.widen(d.bits))

    def do_lea(self, d, s):
        a = self.sum_of(s)
        self.set(d, a & (1 << d.bits) - 1 if isinstance(a, int) else plain(a.slice(0, d.bits)))

    def do_bswap(self, d):
        x = vector(self.get(d), d.bits)
        self.set(d, plain(join([x.slice(8 * i, 8) for i in reversed(range(d.bits // 8))])))

    # Arithmetic. The manual leaves some flags undefined: those become unknown.

    def add(self, a, b, n, carry=0, subtract=False):
        if carry is None:
            raise Wrong('uses an undefined carry')
        if not (isinstance(a, int) and isinstance(b, int)):
            self.undefined()
            if subtract or carry:
                raise Unknown('arithmetic on data')
            return self.sum(a, b, n)
        r = a - b - carry if subtract else a + b + carry
        low, sign = r & (1 << n) - 1, lambda x: x >> n - 1
        self.result(low, n)
        self.flags['c'] = int(r != low)
        self.flags['o'] = int((sign(a) == sign(b)) != subtract and sign(low) != sign(a))
        return low

    @staticmethod
    def sum(a, b, n):
        """A sum of data: of a vector and itself, or of two that have no carries."""
        a, b = vector(a, n), vector(b, n)
        if a == b:
            return plain(a.shift(1))
        if a.support() & b.support():
            raise Unknown('arithmetic on data')
        return plain(a ^ b)

    def arithmetic(self, d, s, subtract=False, carry=0, write=True):
        n = self.bits(d, None if isinstance(s, int) else s.bits)
        r = self.add(self.get(d, n), self.get(s, n), n, carry, subtract)
        if write:
            self.set(d, r, n)

    do_add, do_sub = partialmethod(arithmetic), partialmethod(arithmetic, subtract=True)
    do_cmp = partialmethod(arithmetic, subtract=True, write=False)
    do_sbb = lambda self, d, s: self.arithmetic(d, s, True, self.flags['c'])
    do_neg = lambda self, d: self.set(d, self.add(0, self.get(d), d.bits, 0, True))
    do_not = lambda self, d: self.set(d, plain(vector(self.get(d), d.bits) ^ constant(d.bits, (1 << d.bits) - 1)))
    def do_inc(self, d, subtract=False):
        c = self.flags['c']
        self.set(d, self.add(self.get(d), 1, d.bits, 0, subtract))
        self.flags['c'] = c

    do_dec = partialmethod(do_inc, subtract=True)

    def do_mul(self, s):
        x, y = self.r[0], self.get(s, 64)
        if not (isinstance(x, int) and isinstance(y, int)):
            raise Unknown('arithmetic on data')
        self.undefined()
        x *= y
        self.r[0], self.r[2] = self.terms.fresh(64) if isinstance(x, Number) else x & M64, x >> 64

    def logic(self, d, s, f, write=True):
        n = self.bits(d, None if isinstance(s, int) else s.bits)
        x, y = self.get(d, n), self.get(s, n)
        if f is both and isinstance(s, int) and isinstance(d, Register) and not d.shift and isinstance(self.r[d.index], Number):
            x = self.r[d.index]  # its lowest bits alone are no number
        if isinstance(x, Number) and isinstance(y, int) and f is both:
            x = x if x is y or not isinstance(x - y, Number) and x - y == 0 else x & y
        else:
            x = plain(f(vector(x, n), vector(y, n)))
        if write:
            self.set(d, x, n)
        self.flags['c'] = self.flags['o'] = 0
        self.result(x, n)

    do_and, do_test = partialmethod(logic, f=both), partialmethod(logic, f=both, write=False)
    do_or, do_xor = partialmethod(logic, f=lambda x, y: x | y), partialmethod(logic, f=lambda x, y: x ^ y)

    def shifts(self, d, s, f, numbers=None):
        """f(vector, count) moves bits; flags stay as they are for a count of zero."""
        n, count = d.bits, self.get(s, 8) & (63 if d.bits == 64 else 31)
        if n < 32 or isinstance(count, Number):
            raise Unknown('a shift of less than 32 bits, or by an unknown number')
        x = self.get(d)
        if count:
            self.undefined()
            x = numbers(x, count) & (1 << n) - 1 if isinstance(x, Number) and numbers else f(vector(x, n), count)
            self.result(plain(x), n)
        self.set(d, plain(x))

    do_shl = partialmethod(shifts, f=lambda x, c: x.shift(c), numbers=lambda x, c: x << c)
    do_shr = partialmethod(shifts, f=lambda x, c: x.shift(-c), numbers=lambda x, c: x >> c)
    do_sar = partialmethod(shifts, f=lambda x, c: join([x.slice(c, x.n - c)] + [x.slice(x.n - 1, 1)] * c))

    def do_shld(self, d, s, count, way=1):
        other = vector(self.get(s), s.bits)
        self.shifts(d, count, lambda x, c: x.shift(way * c) ^ other.shift(way * (c - x.n)))

    do_shrd = partialmethod(do_shld, way=-1)
