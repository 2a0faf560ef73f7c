"""AES on numbers, and calls on random numbers instead of symbols: an example that differs refutes what no normal form decides."""
import random
from unittest.mock import patch

from cases import prove
from forms import Unknown, Vector
from state import Terms, Wrong

def sbox():
    """FIPS 197, 5.1.1, from powers of 3, whose inverses are powers of 1/3."""
    double = lambda x: x << 1 ^ (0x11b if x & 128 else 0)
    powers = [1]
    for _ in range(254):
        powers.append(powers[-1] ^ double(powers[-1]))
    box = [0x63] * 256
    for i, x in enumerate(powers):
        y = powers[-i % 255]
        for k in range(5):
            box[x] ^= (y << k | y >> 8 - k) & 255
    return box, double

SBOX, DOUBLE = sbox()

def substitute(name, x):
    if name == 'S':
        return SBOX[x]
    if name[0] == '+':
        return x + int(name[1:]) & 2**32 - 1
    b = [SBOX[x >> 8 * (i + 4 * (i % 4)) % 128 & 255] for i in range(16)]
    if name == 'round':
        b = [DOUBLE(b[4 * c + r]) ^ DOUBLE(b[4 * c + (r + 1) % 4]) ^ b[4 * c + (r + 1) % 4] ^ b[4 * c + (r + 2) % 4] ^ b[4 * c + (r + 3) % 4] for c in range(4) for r in range(4)]
    return int.from_bytes(bytes(b), 'little')

class Example(Terms):
    """Numbers in the place of symbols, and powers of one H."""
    fresh = lambda self, n=128: Vector(n, random.getrandbits(n))
    power = lambda self, k, powers, multiply: multiply(powers[k - 1], powers[1]) if powers else self.fresh()
    term = lambda self, name, x, n: Vector(n, substitute(name, x.c))

def differs(image, backend, name, case):
    """How a case differs from the specification in an example, or nothing."""
    try:
        with patch('call.Terms', Example):
            prove(image, backend, name, case)
    except (Wrong, Unknown) as e:
        return f'; in an example, {e}' if isinstance(e, Wrong) else ''
    return ''
