"""The instructions of vector and mask registers on normal forms. A register is a list of four blocks of 128 bits."""
from functools import partialmethod

from blocks import ONES, SIMPLE, ZERO, each_half, halves, known, ternary
from forms import Unknown, Vector, join, kept
from image import Memory, Register
from state import plain, vector

ELEMENT = {'b': 8, 'w': 16, 'd': 32, 'q': 64}
MOVES = 'movdqu movdqa movaps movups movupd movdqu64 movdqa64 movdqu8'.split()
ALIGNED = 'movdqa movaps movdqa64'.split()
LEGACY_UNALIGNED = 'movdqu movups movupd movq movd pinsrd pinsrq pextrb pextrq'.split()

class Vectors:
    """Operations by name; `v` in front of a name means three operands, and zeros above the result."""

    def vector_operation(self, op):
        if op in ('kmovq', 'kmovd', 'kxnorq', 'kxorq'):
            return lambda *args: self.mask_operation(op, *args)
        if op == 'vzeroupper':
            return self.zero_upper
        vex = op[0] == 'v'
        name = op[1:] if vex else op
        simple = SIMPLE.get(name)
        if simple is not None:
            f, form, element = simple
            return lambda *args: self.apply(f, form, element, vex, name, args)
        special = getattr(self, 'op_' + name, None)
        if special is None:
            raise Unknown('the instruction')
        return lambda *args: special(vex, *args)

    def apply(self, f, form, element, vex, name, args):
        """Operations that act on each block alone. `form` has d for the target, s for a source, i for an immediate."""
        if not vex and form == 'dssi'[: len(form)] and form.startswith('dss'):
            args = (args[0], *args)  # two operands: the target is the first source
        if len(args) != len(form):
            raise Unknown('the number of operands')
        d, n = args[0], args[0].bits
        self.check(name, vex, args)
        sources = [self.blocks(x, n) if c == 's' else [x] * (n // 128) for c, x in zip(form[1:], args[1:])]
        if 'i' in form and not isinstance(args[form.index('i')], int):
            raise Unknown('an operand that is no immediate')
        self.write(d, [f(*xs) for xs in zip(*sources)], vex, element)

    def check(self, name, vex, args):
        for o in args:
            if isinstance(o, Memory) and o.bits >= 128:
                must = name in ALIGNED or (not vex and name not in LEGACY_UNALIGNED)
                if must and self.address(o) % (o.bits // 8):
                    raise Unknown('an access that is not aligned')

    def blocks(self, o, n):
        """The blocks of an operand of n bits."""
        if isinstance(o, Register):
            if o.kind != 'vector' or o.bits != n or o.mask is not None:
                raise Unknown('a source')
            return self.v[o.index][: n // 128]
        if not isinstance(o, Memory) or o.mask is not None:
            raise Unknown('a source')
        at = self.address(o)
        if o.broadcast:
            return [join([self.mem.load(at, o.bits // 8)] * (128 // o.bits))] * (n // 128)
        if o.bits != n:
            raise Unknown('a source')
        return [self.mem.load(at + 16 * i, 16) for i in range(n // 128)]

    def element_of(self, o, bits):
        """A source of one element: memory, a general register, or the start of a vector register."""
        if isinstance(o, Register) and o.kind == 'vector':
            return self.v[o.index][0].slice(0, bits)
        x = self.get(o, None if isinstance(o, Register) else bits)
        return vector(x, self.bits(o)).slice(0, bits)

    def write(self, o, blocks, vex, element=None):
        """Writes a target: legacy instructions keep the blocks above, others clear them. A mask selects elements."""
        blocks = [self.named(x) for x in blocks]
        if o.mask is not None and element is None:
            raise Unknown('a mask')
        if isinstance(o, Memory):
            at = self.address(o)
            for i, x in enumerate(blocks):
                if o.mask is None:
                    self.mem.store(at + 16 * i, x)
                for j in range(128 // element if o.mask is not None else 0):
                    if self.k[o.mask] >> (i * 128 // element + j) & 1:
                        self.mem.store(at + 16 * i + j * element // 8, x.slice(element * j, element))
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
        if self.names:
            if x.quad:
                found = self.names.get(frozenset(x.quad.items()))
                if found is not None:
                    return found ^ Vector(128, x.c, x.lin)
            elif x.lin:
                return self.names.get(x.key(), x)
        return x

    def name(self, x, y):
        """From now on y, a symbol or a move of one, is written for x."""
        if x.quad:
            self.names[frozenset(x.quad.items())] = y ^ Vector(128, x.c, x.lin)
        else:
            self.names[x.key()] = y

    # Moves.

    def op_move(self, name, vex, d, s):
        n = d.bits
        element = {'movdqu8': 8, 'movdqu64': 64, 'movdqa64': 64}.get(name)
        self.check(name, vex, (d, s))
        if isinstance(s, Memory) and d.mask is not None:  # what the mask leaves out is not read
            at, out = self.address(s), []
            for i in range(n // element):
                on = self.k[d.mask] >> i & 1
                out.append(self.mem.load(at + i * element // 8, element // 8) if on else Vector(element))
            per = 128 // element
            blocks = [join(out[i : i + per]) for i in range(0, len(out), per)]
        else:
            blocks = self.blocks(s, n)
        self.write(d, blocks, vex or isinstance(d, Memory), element)

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

    def extract(self, n, vex, d, s, i):
        if isinstance(d, Register) and d.bits != n:
            raise Unknown('a target')
        self.set(d, plain(self.v[s.index][0].slice(n * (i % (128 // n)), n)), n)

    def broadcast(self, n, vex, d, s):
        if not vex:
            raise Unknown('the instruction')
        x = self.element_of(s, n) if n < 128 else self.blocks(s, 128)[0]
        self.write(d, [join([x] * (128 // n))] * (d.bits // 128), True)

    def op_extracti128(self, vex, d, s, i, blocks=1):
        if d.bits != 128 * blocks or i >= s.bits // d.bits:
            raise Unknown('the immediate')
        self.write(d, self.blocks(s, s.bits)[blocks * i : blocks * (i + 1)], True)

    op_extracti32x4, op_extracti64x4 = op_extracti128, partialmethod(op_extracti128, blocks=2)

    def op_inserti128(self, vex, d, s, x, i):
        if i > 1:
            raise Unknown('the immediate')
        blocks = list(self.blocks(s, d.bits))
        blocks[i] = self.blocks(x, 128)[0]
        self.write(d, blocks, True)

    # Moves across blocks.

    def op_permq(self, vex, d, s, i):
        out = [x for block in self.blocks(s, 256) for x in halves(block)]
        out = [out[i >> 2 * j & 3] for j in range(4)]
        self.write(d, [join(out[:2]), join(out[2:])], True)

    def op_shufi64x2(self, vex, d, s, t, i):
        x, y = self.blocks(s, 512), self.blocks(t, 512)
        self.write(d, [x[i & 3], x[i >> 2 & 3], y[i >> 4 & 3], y[i >> 6]], True)

    def op_shufpd(self, vex, d, s, t, i):
        pairs = zip(self.blocks(s, d.bits), self.blocks(t, d.bits))
        self.write(d, [join([halves(x)[i >> 2 * j & 1], halves(y)[i >> 2 * j + 1 & 1]]) for j, (x, y) in enumerate(pairs)], vex)

    def op_pblendd(self, vex, d, s, t, i):
        words = lambda j: sum(0xffffffff << 32 * w for w in range(4) if i >> 4 * j + w & 1)
        pairs = zip(self.blocks(s, d.bits), self.blocks(t, d.bits))
        self.write(d, [x.mask(ONES & ~words(j)) ^ y.mask(words(j)) for j, (x, y) in enumerate(pairs)], True)

    def op_pexpandq(self, vex, d, s):
        source = iter([x for block in self.blocks(s, d.bits) for x in halves(block)])
        if not d.zeroing:
            raise Unknown('a mask')
        out = [next(source) if self.k[d.mask] >> j & 1 else Vector(64) for j in range(d.bits // 64)]
        self.write(d._replace(mask=None), [join(out[j : j + 2]) for j in range(0, len(out), 2)], True)

    # Masks.

    def zero_upper(self):
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

    def op_pmovm2b(self, vex, d, k):
        self.write(d, [Vector(128, self.selected(k.index, i, 8)) for i in range(d.bits // 128)], True)

    def op_pcmpnleub(self, vex, d, s, t):
        if d.kind != 'mask' or d.mask is not None:
            raise Unknown('a target')
        m = 0
        for i, (x, y) in enumerate(zip(self.blocks(s, s.bits), self.blocks(t, s.bits))):
            m |= sum((a > b) << 16 * i + j for j, (a, b) in enumerate(zip(known(x), known(y))))
        self.k[d.index] = m

def _sized(way, **names):
    for name, n in names.items():
        setattr(Vectors, f'op_{name}', lambda self, *args, n=n: way(self, n, *args))

_sized(Vectors.op_move, **{name: name for name in MOVES})
_sized(Vectors.transfer, movq=64, movd=32)
_sized(Vectors.insert, pinsrd=32, pinsrq=64)
_sized(Vectors.extract, pextrb=8, pextrq=64)
_sized(Vectors.broadcast, pbroadcastb=8, pbroadcastq=64, broadcasti128=128, broadcasti32x4=128)

def _shift(name, f):
    """Two operands in the legacy form, which reads its target."""
    def op(self, vex, *args):
        d, s, i = args if vex else (args[0], *args)
        if not isinstance(i, int):
            raise Unknown('a shift by a register')
        self.write(d, [f(x, i) for x in self.blocks(s, d.bits)], vex)
    setattr(Vectors, f'op_{name}', op)

_shift('pslldq', lambda x, i: x.shift(8 * min(i, 16)))
_shift('psllq', each_half(lambda x, i: x.shift(i)))

def _stateful(name, f, form='dss'):
    """Operations that need the terms of the machine."""
    def op(self, vex, *args):
        self.apply(lambda *xs: f(self.terms, *xs), form, None, vex, name, args)
    setattr(Vectors, f'op_{name}', op)

_stateful('aesenc', lambda terms, x, k: terms.round(x) ^ k)
_stateful('aesenclast', lambda terms, x, k: terms.last(x) ^ k)

def _add_word(terms, x, y):
    x, y = (y, x) if x.constant() else (x, y)
    if not y.constant():
        raise Unknown('a sum of data')
    return terms.sum(x, y.c)

_stateful('paddd', lambda terms, x, y: join([_add_word(terms, x.slice(32 * j, 32), y.slice(32 * j, 32)) for j in range(4)]))

def _ternary(element):
    def op(self, vex, d, s, t, i):
        n = d.bits
        blocks = [ternary(*xs, i) for xs in zip(self.blocks(d, n), self.blocks(s, n), self.blocks(t, n))]
        self.write(d, blocks, True, element)
    return op

Vectors.op_pternlogd, Vectors.op_pternlogq = _ternary(32), _ternary(64)
