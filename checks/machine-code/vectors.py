"""The instructions of vector and mask registers on normal forms. A register is a list of four blocks of 128 bits."""
from functools import cache, partial, reduce

from forms import Unknown, Vector, bilinear, carryless, constant, join, kept, pieces, remembered
from image import Memory, Register
from state import plain, vector

ELEMENT = {'b': 8, 'w': 16, 'd': 32, 'q': 64}
MOVES = dict.fromkeys(('movdqu', 'movdqa', 'movaps', 'movups', 'movupd')) | {'movdqu64': 64, 'movdqa64': 64, 'movdqu8': 8}
ALIGNED = 'movdqa', 'movaps', 'movdqa64'
ZERO, ONES = constant(128, 0), 2**128 - 1
halves = remembered(lambda block: (block.slice(0, 64), block.slice(64, 64)))
linear = remembered(lambda x: Vector(x.n, x.c, x.lin))
signed = lambda byte: (byte ^ 128) - 128
immediates = cache(lambda form: [c == 'i' for c in form])

BYTEWISE = {'pcmpgtb': lambda x, y: 255 * (signed(x) > signed(y)), 'pcmpeqb': lambda x, y: 255 * (x == y), 'pmaxub': max}
CLMUL = {'pclmullqlqdq': (0, 0), 'pclmulhqlqdq': (1, 0), 'pclmullqhqdq': (0, 1), 'pclmulhqhqdq': (1, 1)}
XOR = {'pxor': None, 'xorps': None, 'xorpd': None, 'pxord': 32, 'pxorq': 64}

def together(parts):
    """Blocks of parts of one size."""
    n = 128 // parts[0].n
    return [join(parts[i : i + n]) for i in range(0, len(parts), n)]

def known(x):
    """The bytes of a constant."""
    if not x.constant():
        raise Unknown('a comparison, a sum or a shuffle of data')
    return x.c.to_bytes(16, 'little')

shuffle = remembered(lambda x, y: x.move(pieces(8, *[-1 if i & 128 else i & 15 for i in known(y)])))

def both(x, y):
    """AND; one of both is constant, or both are equal."""
    if x.constant() or y.constant():
        return y.mask(x.c) if x.constant() else x.mask(y.c)
    if x == y:
        return x
    raise Unknown('AND of data')

@remembered
def ternary(x, y, z, table):
    """The table of 8 bits as a polynomial: terms of one factor, and of two if one of them is constant."""
    total = ZERO
    for i in range(8):
        if sum(table >> j & 1 for j in range(8) if j & i == j) % 2:
            total ^= reduce(both, [v for bit, v in ((4, x), (2, y), (1, z)) if i & bit], constant(128, ONES))
    return total

def add_words(terms, x, y):
    x, y = (y, x) if x.constant() else (x, y)
    return join([terms.sum(x.slice(8 * at, 32), int.from_bytes(known(y)[at : at + 4], 'little')) for at in range(0, 16, 4)])

# Functions of blocks: the operands (d for the target, s for a source, i for an immediate), the function, the bits of a masked element.
SIMPLE = {name: ('dss', lambda x, y: x ^ y, element) for name, element in XOR.items()}
SIMPLE |= {name: ('dss', lambda x, y, h=h: bilinear(carryless, halves(x)[h[0]], halves(y)[h[1]]), None) for name, h in CLMUL.items()}
SIMPLE |= {name: ('dss', lambda x, y, f=f: constant(128, int.from_bytes(bytes(map(f, known(x), known(y))), 'little')), None) for name, f in BYTEWISE.items()}
SIMPLE |= {
    **{name: ('dss', both, element) for name, element in (('pand', None), ('pandd', 32), ('pandq', 64))},
    'pshufb': ('dss', shuffle, None),
    'pslldq': ('dsi', lambda x, i: x.shift(8 * min(i, 16)), None),
    'psllq': ('dsi', lambda x, i: join([h.shift(i) for h in halves(x)]), None),
    **{name: ('dsssi', ternary, element) for name, element in (('pternlogd', 32), ('pternlogq', 64))},
}
# Functions of two blocks and the machine's terms.
STATEFUL = {'aesenc': lambda terms, x, k: terms.round(x) ^ k, 'aesenclast': lambda terms, x, k: terms.last(x) ^ k, 'paddd': add_words}
# Pieces in another order, across blocks: the operands, the bits of a piece, and from which source and place there piece j comes.
PIECES = {
    **{name: ('dsi', width, lambda j, i: (0, j & ~3 | i >> 2 * (j & 3) & 3)) for name, width in (('pshufd', 32), ('permq', 64))},
    'shufps': ('dssi', 32, lambda j, i: (j >> 1 & 1, j & ~3 | i >> 2 * (j & 3) & 3)),
    'shufpd': ('dssi', 64, lambda j, i: (j & 1, j & ~1 | i >> j & 1)),
    'punpcklqdq': ('dss', 64, lambda j: (j & 1, j & ~1)),
    'pblendw': ('dssi', 16, lambda j, i: (i >> (j & 7) & 1, j)),
    'pblendd': ('dssi', 32, lambda j, i: (i >> j & 1, j)),
    **dict.fromkeys(('broadcasti128', 'broadcasti32x4'), ('ds', 128, lambda j: (0, 0))),
    'inserti128': ('dssi', 128, lambda j, i: (1, 0) if j == i & 1 else (0, j)),
    **dict.fromkeys(('extracti128', 'extracti32x4'), ('dsi', 128, lambda j, i: (0, i))),
    'extracti64x4': ('dsi', 128, lambda j, i: (0, 2 * i + j)),
}

class Vectors:
    """Operations by name; `v` in front of a name means three operands, and zeros above the result."""
    def vector_operation(self, op):
        vex = op[0] == 'v'
        name = op[1:] if vex else op
        if op in ('kmovq', 'kmovd', 'kxnorq', 'kxorq'):
            return partial(self.mask_operation, op)
        for table, way in (SIMPLE, self.apply), (PIECES, self.select):
            if name in table:
                return partial(way, *table[name], vex, name)
        if name in STATEFUL:
            return partial(self.apply, 'dss', partial(STATEFUL[name], self.terms), None, vex, name)
        if name in MOVES:
            return partial(self.move, vex, name)
        if name[:-1] in SIZED and name[-1] in ELEMENT:
            return partial(SIZED[name[:-1]], self, ELEMENT[name[-1]], vex)
        if vex and hasattr(self, 'op_' + name):
            return getattr(self, 'op_' + name)
        raise Unknown('the instruction')

    def operands(self, form, vex, name, args):
        """Operands as in `form`: d for the target, s for a source, i for an immediate. With one fewer, the target is the first source."""
        if len(args) == len(form) - 1 and (not vex or name.startswith('pternlog')):
            args = args[0], *args
        if [isinstance(x, int) for x in args] != immediates(form):
            raise Unknown('the operands')
        for o in args if name in ALIGNED or not vex and name not in MOVES else ():
            if isinstance(o, Memory) and o.bits >= 128 and self.address(o) % (o.bits // 8):
                raise Unknown('an access that is not aligned')
        return args

    def apply(self, form, f, element, vex, name, *args):
        """Operations that act on each block alone."""
        d, *sources = self.operands(form, vex, name, args)
        each = [[x] * (d.bits // 128) if isinstance(x, int) else self.blocks(x, d.bits) for x in sources]
        self.write(d, [f(*xs) for xs in zip(*each)], vex, element)

    def select(self, form, width, place, vex, name, *args):
        """Operations that move pieces."""
        d, *sources = self.operands(form, vex, name, args)
        per, given = 128 // width, [self.blocks(x, x.bits) for x in sources if not isinstance(x, int)]
        places = [place(j, *[x for x in sources if isinstance(x, int)]) for j in range(d.bits // width)]
        self.write(d, together([given[s][j // per].slice(width * (j % per), width) for s, j in places]), vex)

    def blocks(self, o, n):
        """The blocks of an operand of n bits."""
        place = isinstance(o, Memory)
        if o.mask is not None or not place and o.kind != 'vector' or o.bits != n and not (place and o.broadcast):
            raise Unknown('a source')
        if not place:
            return self.v[o.index][: n // 128]
        at = self.address(o)
        if o.broadcast:
            return [join([self.mem.load(at, o.bits // 8)] * (128 // o.bits))] * (n // 128)
        return [self.mem.load(at + 16 * i, 16) for i in range(n // 128)]

    def element_of(self, o, bits):
        """A source of one element: memory, a general register, or the start of a vector register."""
        if isinstance(o, Register) and o.kind == 'vector':
            return self.v[o.index][0].slice(0, bits)
        x = self.get(o, None if isinstance(o, Register) else bits)
        return vector(x, self.bits(o)).slice(0, bits)

    def write(self, o, blocks, vex, element=None):
        """Writes a target: legacy instructions keep the blocks above, others clear them. A mask selects elements."""
        blocks = [self.named(x) if x.quad or self.keys else x for x in blocks]
        if o.mask is not None and element is None:
            raise Unknown('a mask')
        if isinstance(o, Memory):
            at = self.address(o)
            n = 128 if o.mask is None else element
            for i in range(len(blocks) * 128 // n):
                if o.mask is None or self.k[o.mask] >> i & 1:
                    self.mem.store(at + i * n // 8, blocks[i * n // 128].slice(i * n % 128, n))
            return
        if o.kind != 'vector':
            raise Unknown('a target')
        old = self.v[o.index]
        if o.mask is not None:
            for i, x in enumerate(blocks):
                m = self.selected(o.mask, i, element)
                blocks[i] = x.move(kept(m, 128)) if o.zeroing else x.mask(m) ^ old[i].mask(ONES & ~m)
        self.v[o.index] = blocks + ([ZERO] * (4 - len(blocks)) if vex else old[len(blocks) :])

    def selected(self, mask, block, element):
        per = 128 // element
        k = self.k[mask] >> block * per
        return sum((1 << element) - 1 << element * j for j in range(per) if k >> j & 1)

    def named(self, x):
        """The symbol that the specification gave this value: a sum of products, whatever is added to it, or a round key."""
        if not x.quad:
            return self.keys.get(x.key(), x) if x.lin else x
        found = self.names.get(x.key()[3])
        return x if found is None else found ^ linear(x)

    def name(self, x, y):
        """From now on y, a symbol or a move of one, is written for x."""
        if x.quad:
            self.names[x.key()[3]] = y ^ linear(x)
        else:
            self.keys[x.key()] = y

    def move(self, vex, name, *args):
        d, s = self.operands('ds', vex, name, args)
        element, n = MOVES[name], d.bits
        if isinstance(s, Memory) and d.mask is not None:  # what the mask leaves out is not read
            at, size = self.address(s), element // 8
            out = [self.mem.load(at + i * size, size) if self.k[d.mask] >> i & 1 else constant(element) for i in range(n // element)]
        else:
            out = self.blocks(s, n)
        self.write(d, together(out), vex or isinstance(d, Memory), element)

    def transfer(self, n, vex, d, s):
        """movd, movq."""
        if isinstance(d, Register) and d.kind == 'vector':
            return self.write(d, [self.element_of(s, n).widen(128)], vex)
        self.set(d, plain(self.v[s.index][0].slice(0, n)), n)

    def insert(self, n, vex, *args):
        d, s, x, i = args if vex else (args[0], *args)
        parts = [self.blocks(s, 128)[0].slice(n * j, n) for j in range(128 // n)]
        parts[i % len(parts)] = self.element_of(x, n)
        self.write(d, [join(parts)], vex)

    extract = lambda self, n, vex, d, s, i: self.set(d, plain(self.v[s.index][0].slice(n * (i % (128 // n)), n)), n)

    def broadcast(self, n, vex, d, s):
        if not vex:
            raise Unknown('the instruction')
        self.write(d, [join([self.element_of(s, n)] * (128 // n))] * (d.bits // 128), True)

    def op_shufi64x2(self, d, s, t, i):
        x, y = self.blocks(s, 512), self.blocks(t, 512)
        self.write(d, [x[i & 3], x[i >> 2 & 3], y[i >> 4 & 3], y[i >> 6]], True)

    def op_pexpandq(self, d, s):
        source = iter([x for block in self.blocks(s, d.bits) for x in halves(block)])
        if not d.zeroing:
            raise Unknown('a mask')
        out = [next(source) if self.k[d.mask] >> j & 1 else constant(64) for j in range(d.bits // 64)]
        self.write(d._replace(mask=None), together(out), True)

    def op_zeroupper(self):
        for i in range(16):
            self.v[i] = [self.v[i][0], ZERO, ZERO, ZERO]

    def mask_operation(self, op, d, *sources):
        n = ELEMENT[op[-1]]
        xs = [self.k[s.index] if s.kind == 'mask' else self.get(s, n) for s in sources]
        if not all(isinstance(x, int) for x in xs):
            raise Unknown('a mask depends on data')
        x = {'kmov': lambda x: x, 'kxnor': lambda x, y: ~(x ^ y), 'kxor': lambda x, y: x ^ y}[op[:-1]](*xs) & (1 << n) - 1
        if d.kind == 'mask':
            self.k[d.index] = x
        else:
            self.set(d, x, n)

    op_pmovm2b = lambda self, d, k: self.write(d, [constant(128, self.selected(k.index, i, 8)) for i in range(d.bits // 128)], True)

    def op_pcmpnleub(self, d, s, t):
        if d.kind != 'mask' or d.mask is not None:
            raise Unknown('a target')
        x, y = (b''.join(map(known, self.blocks(o, s.bits))) for o in (s, t))
        self.k[d.index] = sum((a > b) << i for i, (a, b) in enumerate(zip(x, y)))

SIZED = {'mov': Vectors.transfer, 'pinsr': Vectors.insert, 'pextr': Vectors.extract, 'pbroadcast': Vectors.broadcast}
