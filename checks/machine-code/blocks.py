"""Instructions that act on each block of 128 bits alone, as functions of blocks."""
from functools import reduce

from forms import Unknown, Vector, bilinear, carryless, join, pieces

ZERO, ONES = Vector(128), 2**128 - 1

halves = lambda block: [block.slice(0, 64), block.slice(64, 64)]
signed = lambda byte: (byte ^ 128) - 128

BYTEWISE = {'pcmpgtb': lambda x, y: 255 * (signed(x) > signed(y)), 'pcmpeqb': lambda x, y: 255 * (x == y), 'pmaxub': max}
CLMUL = {'pclmullqlqdq': (0, 0), 'pclmulhqlqdq': (1, 0), 'pclmullqhqdq': (0, 1), 'pclmulhqhqdq': (1, 1)}
XOR = {'pxor': None, 'xorps': None, 'xorpd': None, 'pxord': 32, 'pxorq': 64}

def together(parts):
    """Blocks of parts of one size."""
    n = 128 // parts[0].n
    return [join(parts[i : i + n]) for i in range(0, len(parts), n)]

def shuffle(x, y):
    if not y.constant():
        raise Unknown('a shuffle by data')
    order = [y.c >> 8 * i & 255 for i in range(16)]
    return x.move(pieces(8, *[-1 if i & 128 else i & 15 for i in order]))

def both(x, y):
    """AND; one of both is constant, or both are equal."""
    if x.constant() or y.constant():
        return y.mask(x.c) if x.constant() else x.mask(y.c)
    if x == y:
        return x
    raise Unknown('AND of data')

def known(x):
    if not x.constant():
        raise Unknown('a comparison of data')
    return x.c.to_bytes(16, 'little')

def ternary(x, y, z, table):
    """The table of 8 bits as a polynomial: terms of one factor, and of two if one of them is constant."""
    total = ZERO
    for i in range(8):
        if sum(table >> j & 1 for j in range(8) if j & i == j) % 2:
            total ^= reduce(both, [v for bit, v in ((4, x), (2, y), (1, z)) if i & bit], Vector(128, ONES))
    return total

def add_words(terms, x, y):
    x, y = (y, x) if x.constant() else (x, y)
    if not y.constant():
        raise Unknown('a sum of data')
    return join([terms.sum(x.slice(at, 32), y.c >> at & 2**32 - 1) for at in range(0, 128, 32)])

# Functions of blocks: the operands (d for the target, s for a source, i for an immediate), the function, the bits of a masked element.
SIMPLE = {name: ('dss', lambda x, y: x ^ y, element) for name, element in XOR.items()}
SIMPLE |= {name: ('dss', lambda x, y, h=h: bilinear(carryless, halves(x)[h[0]], halves(y)[h[1]]), None) for name, h in CLMUL.items()}
SIMPLE |= {name: ('dss', lambda x, y, f=f: Vector(128, int.from_bytes(bytes(map(f, known(x), known(y))), 'little')), None) for name, f in BYTEWISE.items()}
SIMPLE |= {
    **{name: ('dss', both, element) for name, element in (('pand', None), ('pandd', 32), ('pandq', 64))},
    'pshufb': ('dss', shuffle, None),
    'pslldq': ('dsi', lambda x, i: x.shift(8 * min(i, 16)), None),
    'psllq': ('dsi', lambda x, i: join([h.shift(i) for h in halves(x)]), None),
    'pternlogd': ('dsssi', ternary, 32),
    'pternlogq': ('dsssi', ternary, 64),
}
# Functions of two blocks and the machine's terms.
STATEFUL = {'aesenc': lambda terms, x, k: terms.round(x) ^ k, 'aesenclast': lambda terms, x, k: terms.last(x) ^ k, 'paddd': add_words}
# Pieces in another order, across blocks: the operands, the bits of a piece, and from which source and place there piece j comes.
PIECES = {
    'pshufd': ('dsi', 32, lambda j, i: (0, j & ~3 | i >> 2 * (j & 3) & 3)),
    'permq': ('dsi', 64, lambda j, i: (0, j & ~3 | i >> 2 * (j & 3) & 3)),
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
