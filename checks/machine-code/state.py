"""What a machine computes on: functions that stay unknown, as terms; memory; and what the conditions of jumps read."""
from itertools import count, groupby

from affine import NUMBERS, Number
from forms import Unknown, Vector, constant, join, symbol

PARITY = [1 ^ x.bit_count() & 1 for x in range(256)]
CONDITIONS = {'e': ('z', lambda z: z), 'b': ('c', lambda c: c), 's': ('s', lambda s: s), 'o': ('o', lambda o: o),
              'be': ('cz', lambda c, z: c | z), 'l': ('so', lambda s, o: s ^ o), 'le': ('soz', lambda s, o, z: z | s ^ o)}
OPPOSITE = {'ne': 'e', 'ae': 'b', 'ns': 's', 'no': 'o', 'a': 'be', 'ge': 'l', 'g': 'le'}

class Wrong(Exception):
    """The program breaks a rule: it touches other memory, branches on a secret, uses an undefined flag."""
vector = lambda x, n: x if isinstance(x, Vector) else x.vector(n) if isinstance(x, Number) else constant(n, x)
plain = lambda x: x if not isinstance(x, Vector) else x.c if x.constant() else NUMBERS.get(x.key(), x) if NUMBERS else x

class Terms:
    """Functions that stay unknown: one symbol for each function and each normal form of its argument."""
    known, origin, sums, made = {}, {}, {}, count(2**40)  # true in every case

    def __init__(self):
        self.count = 0  # rounded up after what differs in length between cases, so that what follows has the same symbols
        for table in (self.known, self.origin, self.sums) if len(self.known) > 10**5 else ():
            table.clear()

    def fresh(self, n=128):
        self.count += 1
        return symbol(self.count).slice(0, n)

    power = lambda self, k, powers, multiply: self.fresh()  # any block, as far as the code may know
    round = lambda self, x: self.term('round', x, 128)
    sub_word = lambda self, w: join([self.term('S', w.slice(8 * i, 8), 8) for i in range(4)])

    def term(self, name, x, n):
        if (name, x) not in self.known:
            if x.quad:
                raise Unknown(f'{name} of a product')
            key = name, x.key()
            if key not in self.known:
                s = next(self.made)
                self.known[key], self.origin[s] = symbol(s).slice(0, n), (name, x)
            self.known[name, x] = self.known[key]
        return self.known[name, x]

    def last(self, x):
        w = x.slice(0, 32)
        if all(w == x.slice(32 * i, 32) for i in (1, 2, 3)):  # ShiftRows keeps such a block
            return join([self.sub_word(w)] * 4)
        return self.term('last', x, 128)

    def sum(self, x, n):
        """x + n modulo 2^32, or less, with (x + a) + b = x + (a + b); a known lowest byte, and bytes below n, are added apart."""
        n, known = n % 2**x.n, plain(x)
        if isinstance(known, int):
            return vector(known + n & 2**x.n - 1, x.n)
        if x.n == 32 and n and not n % 2**24:
            return join([x.slice(0, 24), self.sum(x.slice(24, 8), n >> 24)])
        if x.n == 32 and isinstance(low := plain(x.slice(0, 8)), int):
            return join([vector(low + n & 255, 8), self.sum(x.slice(8, 24), low + n >> 8)])
        base, a = self.sums.get(x.key(), (x, 0))
        n = (n + a) % 2**x.n
        if not n:
            return base
        y = self.term(f'+{n}', base, x.n)
        self.sums[y.key()] = base, n
        return y

class Memory:
    """Bytes in allowed ranges. The constants of the image may be read."""
    def __init__(self, image):
        self.image, self.cells, self.ranges = image, {}, []
    allow = lambda self, *range: self.ranges.append(range)  # its start, its size, and whether it may be written

    def check(self, at, size, write):
        for start, n, writable in self.ranges:
            offset = at - start
            if (writable or not write) and not isinstance(offset, Number) and 0 <= offset <= n - size:
                return
        if size and (write or isinstance(at, Number) or self.image.place(at, size) is None):
            raise Wrong(f'{"writes" if write else "reads"} {size} bytes at {at:#x}')

    def put(self, at, x):
        at = int(at)
        cell = x, at
        self.cells.update(dict.fromkeys(range(at, at + x.n // 8), cell))

    def get(self, at, size):
        at = int(at)
        cells = [*map(self.cells.get, range(at, at + size))]
        if cells[0] is not None and cells[0][1] == at and cells[0][0].n == 8 * size and cells.count(cells[0]) == size:
            return cells[0][0]
        parts = []
        for _, run in groupby(range(at, at + size), lambda i: id(cells[i - at])):
            first, *others = run
            x, start = cells[first - at] or (self.constant(first, 1 + len(others)), first)
            parts.append(x.slice(8 * (first - start), 8 + 8 * len(others)))
        return join(parts)

    def constant(self, at, size):
        first = self.image.place(at, size)
        if first is None:
            raise Wrong(f'reads memory without a value at {at:#x}')
        return constant(8 * size, int.from_bytes(self.image.data[first : first + size], 'little'))

    def load(self, at, size):
        self.check(at, size, False)
        return self.get(at, size)

    def store(self, at, x):
        self.check(at, x.n // 8, True)
        self.put(at, x)
