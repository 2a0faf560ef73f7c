"""Normal forms of bit vectors: every bit is a constant, plus linear, plus quadratic terms over GF(2) in the bits of 128-bit symbols.

Two functions of the symbols' bits are equal exactly if their forms are equal, because a polynomial over GF(2) without squares is unique.
The coefficients that one symbol (or one pair of symbols) has in the n bits of a vector are a *pattern*: a tuple of n masks. Patterns are
numbered, and what was computed on numbers is kept, since a few thousand patterns occur in millions of operations. Pattern 0 is zero.
"""
from functools import cache, lru_cache, reduce
from operator import or_

class Unknown(Exception):
    """The program does something that is not modelled. Nothing is proved, and nothing refuted."""
PATTERNS, SUPPORT = [()], [0]

@cache
def number(pattern):
    if not any(pattern):
        return 0
    PATTERNS.append(pattern)
    SUPPORT.append(sum(1 << i for i, mask in enumerate(pattern) if mask))
    return len(PATTERNS) - 1

plus = cache(lambda a, b: number(tuple([x ^ y for x, y in zip(PATTERNS[a], PATTERNS[b])])))
moved = cache(lambda a, places: number(tuple([PATTERNS[a][i] if i >= 0 else 0 for i in places])))
moved_constant = cache(lambda c, places: sum(1 << j for j, i in enumerate(places) if i >= 0 and c >> i & 1))

# Cases of one function have the same symbols, so that most of what a case computes was computed before, on the same objects.
remembered = lru_cache(2**17)

class Places(tuple):
    """Where each bit of a result comes from; -1 is zero. Compared by identity, so make them with functions that are cached."""
    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__

part = cache(lambda at, n: Places(range(at, at + n)))
# A vector of `width` bits at bit `at` of one of n.
into = cache(lambda at, width, n: Places(i - at if at <= i < at + width else -1 for i in range(n)))
# Towards high bits; by a negative number, towards low bits.
shifted = cache(lambda by, n: Places(i - by if 0 <= i - by < n else -1 for i in range(n)))
kept = cache(lambda mask, n: Places(i if mask >> i & 1 else -1 for i in range(n)))
# Pieces of `width` bits in another order; -1 is a piece of zeros.
pieces = cache(lambda width, *order: Places(width * i + b if i >= 0 else -1 for i in order for b in range(width)))

class Vector:
    __slots__ = ('n', 'c', 'lin', 'quad')
    __hash__ = object.__hash__

    def __init__(self, n, c=0, lin=None, quad=None):
        self.n, self.c, self.lin, self.quad = n, c, lin or {}, quad or {}
    constant = lambda self: not self.lin and not self.quad
    key = remembered(lambda self: (self.n, self.c, frozenset(self.lin.items()), frozenset(self.quad.items())))
    __eq__ = lambda self, other: (self.n, self.c, self.lin, self.quad) == (other.n, other.c, other.lin, other.quad)

    @remembered
    def __xor__(self, other):
        if self.n != other.n:
            raise Unknown('XOR of two widths')
        return Vector(self.n, self.c ^ other.c, _sum(self.lin, other.lin), _sum(self.quad, other.quad))

    @remembered
    def move(self, places):
        x = Vector(len(places), self.c and moved_constant(self.c, places))
        for old, new in (self.lin, x.lin), (self.quad, x.quad):
            for s, a in old.items():
                if m := moved(a, places):
                    new[s] = m
        return x

    slice = remembered(lambda self, at, n: self if n == self.n else self.move(part(at, n)))
    shift = remembered(lambda self, by: self.move(shifted(by, self.n)) if abs(by) < self.n else constant(self.n, 0))
    mask = remembered(lambda self, m: constant(self.n, self.c & m) if self.constant() else self.move(kept(m & (1 << self.n) - 1, self.n)))
    widen = remembered(lambda self, n: self if n == self.n else self.move(into(0, self.n, n)))

    def support(self):
        """The bits that are not the constant zero."""
        return reduce(or_, (SUPPORT[a] for terms in (self.lin, self.quad) for a in terms.values()), self.c)

    def __or__(self, other):
        both = self.support() & other.support()
        if both and self.mask(both) != other.mask(both):
            raise Unknown('OR of different unknown bits')
        return self ^ other.mask(~both)

def _sum(a, b):
    if not a or not b:
        return a or b
    if len(a) < len(b):
        a, b = b, a
    r = dict(a)
    for k, v in b.items():
        if s := plus(r[k], v) if k in r else v:
            r[k] = s
        else:
            del r[k]
    return r

join = lambda parts: _join(*parts)

@remembered
def _join(*parts):
    """One after the other, the first lowest."""
    x, at = Vector(sum([p.n for p in parts])), 0
    for p in parts:
        x.c |= p.c << at
        for old, new in (p.lin, x.lin), (p.quad, x.quad):
            for s, a in old.items():
                a = moved(a, into(at, p.n, x.n))
                new[s] = plus(new[s], a) if s in new else a
        at += p.n
    return x

symbol = remembered(lambda s: Vector(128, 0, {s: IDENTITY}))
constant = remembered(lambda n, c=0: Vector(n, c))
IDENTITY = number(tuple(1 << i for i in range(128)))

spread = lambda c, n: [c >> i & 1 for i in range(n)]
bits = lambda m: [i for i, bit in enumerate(reversed(f'{m:b}')) if bit == '1']
# Bit 128 p + q of a product is s_p t_q.
rows = lru_cache(2**12)(lambda x: sum(1 << 128 * p for p in bits(x)))
DIAGONAL, ABOVE = sum(1 << 129 * p for p in range(128)), sum((1 << 128) - (2 << p) << 128 * p for p in range(128))
WAYS = {'pair': lambda x, y: rows(x) * y, 'swapped': lambda x, y: rows(y) * x, 'left': lambda x, y: y if x else 0, 'right': lambda x, y: x if y else 0}
# Of one symbol, s_p s_q and s_q s_p are one term.
WAYS |= {'square': lambda x, y: (rows(x) * y ^ rows(y) * x) & ABOVE ^ rows(x) * y & DIAGONAL}

@cache
def _product(algorithm, way, n, a, b):
    """a or b: the number of a pattern, or a constant (`left`, `right`)."""
    masks = tuple(algorithm(spread(a, n) if way == 'left' else PATTERNS[a], spread(b, n) if way == 'right' else PATTERNS[b], WAYS[way]))
    if way != 'square':
        return number(masks), 0
    # s_p s_p is s_p.
    diagonal = tuple(sum(1 << p // 129 for p in bits(m & DIAGONAL)) for m in masks)
    return number(tuple(m & ABOVE for m in masks)), number(diagonal)

@remembered
def bilinear(algorithm, a, b):
    """algorithm(x, y, times) computes the bits of a bilinear function from the bits x of a and y of b and their products."""
    if (a.quad and (b.lin or b.quad)) or (b.quad and a.lin) or len(a.lin) * len(b.lin) > 256:
        raise Unknown('a product of products, or of many symbols: no value of the specification was recognised')
    n, lin, quad = a.n, {}, {}
    c = sum(x << i for i, x in enumerate(algorithm(spread(a.c, n), spread(b.c, n), lambda x, y: x & y))) if a.c and b.c else 0
    for way, k, terms in (('left', a.c, b), ('right', b.c, a)):
        if k:
            do = lambda p: _product(algorithm, way, n, *((k, p) if way == 'left' else (p, k)))[0]
            lin = _sum(lin, {s: r for s, p in terms.lin.items() if (r := do(p))})
            quad = _sum(quad, {s: r for s, p in terms.quad.items() if (r := do(p))})
    for s, p in a.lin.items():
        for t, q in b.lin.items():
            way = 'pair' if s < t else 'square' if s == t else 'swapped'
            r, diagonal = _product(algorithm, way, n, p, q)
            if r:
                quad = _sum(quad, {(min(s, t), max(s, t)): r})
            if diagonal:
                lin = _sum(lin, {s: diagonal})
    return Vector(128, c, lin, quad)

def carryless(x, y, times):
    """The product of two polynomials of 64 coefficients."""
    r = [0] * 128
    some = [(j, b) for j, b in enumerate(y) if b]
    for i, a in enumerate(x):
        for j, b in some if a else ():
            r[i + j] ^= times(a, b)
    return r
