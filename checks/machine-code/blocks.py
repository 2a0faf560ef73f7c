"""Instructions that act on each block of 128 bits alone, as functions of blocks."""
from forms import Unknown, Vector, bilinear, carryless, join, pieces

ZERO, ONES = Vector(128), 2**128 - 1

def halves(block):
    return [block.slice(0, 64), block.slice(64, 64)]

def signed(b):
    return (b ^ 128) - 128

BYTEWISE = {'pcmpgtb': lambda x, y: 255 * (signed(x) > signed(y)), 'pcmpeqb': lambda x, y: 255 * (x == y), 'pmaxub': max}
CLMUL = {'pclmullqlqdq': (0, 0), 'pclmulhqlqdq': (1, 0), 'pclmullqhqdq': (0, 1), 'pclmulhqhqdq': (1, 1)}
XOR = {'pxor': None, 'xorps': None, 'xorpd': None, 'pxord': 32, 'pxorq': 64}

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
    terms = [table >> i & 1 for i in range(8)]
    for bit in (1, 2, 4):
        for i in range(8):
            if i & bit:
                terms[i] ^= terms[i ^ bit]
    total = ZERO
    for i in range(8):
        if terms[i]:
            term = Vector(128, ONES)
            for bit, v in ((4, x), (2, y), (1, z)):
                if i & bit:
                    term = both(term, v)
            total ^= term
    return total

def words(x, y, order):
    """shufps, and pshufd with x as y."""
    parts = [(x if j < 2 else y).slice(32 * (order >> 2 * j & 3), 32) for j in range(4)]
    return join(parts)

def each_half(f):
    return lambda x, i: join([f(h, i) for h in halves(x)])

SIMPLE = {name: (lambda x, y: x ^ y, 'dss', element) for name, element in XOR.items()}
SIMPLE |= {name: (lambda x, y, h=h: bilinear(carryless, halves(x)[h[0]], halves(y)[h[1]]), 'dss', None) for name, h in CLMUL.items()}
SIMPLE |= {name: (lambda x, y, f=f: Vector(128, int.from_bytes(bytes(map(f, known(x), known(y))), 'little')), 'dss', None) for name, f in BYTEWISE.items()}
SIMPLE |= {
    'pand': (both, 'dss', None),
    'pshufb': (shuffle, 'dss', None),
    'pshufd': (lambda x, i: x.move(pieces(32, *[i >> 2 * j & 3 for j in range(4)])), 'dsi', None),
    'shufps': (words, 'dssi', None),
    'punpcklqdq': (lambda x, y: join([halves(x)[0], halves(y)[0]]), 'dss', None),
    'pblendw': (lambda x, y, i: join([(y if i >> j & 1 else x).slice(16 * j, 16) for j in range(8)]), 'dssi', None),
}
