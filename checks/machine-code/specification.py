"""The standards on normal forms: what the machine code is compared with. Everything else only carries out programs.

A block is a vector of 128 bits whose bits 8i to 8i + 7 are its byte i, least significant bit first, as x86 loads it. AES itself enters as
two functions of a block that stay unknown: `round`, which is SubBytes, ShiftRows and MixColumns, and `last`, without MixColumns.
"""
from functools import partial

from forms import bilinear, constant, join, part, pieces

ROUNDS = {128: 10, 256: 14}
ZERO = constant(128)

def cipher(aes, keys, bits, block):
    """FIPS 197, 5.1, without a look into SubBytes, ShiftRows and MixColumns."""
    x = block ^ keys[0]
    for i in range(1, ROUNDS[bits]):
        x = aes.round(x) ^ keys[i]
    return aes.last(x) ^ keys[ROUNDS[bits]]

def schedule(aes, key, name=lambda i, x: x):
    """FIPS 197, 5.2: the round keys of a key of 4 or 8 words. `name` may put a symbol in the place of round key i, x."""
    nk, words, keys = len(key), [], []
    rcon = 1
    for i in range(4 * (ROUNDS[32 * nk] + 1)):
        w = words[i - 1] if i >= nk else None
        if i >= nk and i % nk == 0:
            w = aes.sub_word(w.move(pieces(8, 1, 2, 3, 0))) ^ constant(32, rcon)  # RotWord
            rcon = rcon << 1 ^ (0x11b if rcon & 128 else 0)
        elif i >= nk and nk > 6 and i % nk == 4:
            w = aes.sub_word(w)
        words.append(key[i] if i < nk else words[i - nk] ^ w)
        if i % 4 == 3:
            keys.append(name(len(keys), join(words[-4:])))
            words[-4:] = [keys[-1].slice(32 * j, 32) for j in range(4)]
    return keys

# SP 800-38D counts the bits of a block from the left.
LEFT = [8 * (i // 8) + 7 - i % 8 for i in range(128)]

def algorithm_1(x, y, times):
    """SP 800-38D, 6.3: X • Y."""
    z, v = [0] * 128, [y[LEFT[i]] for i in range(128)]
    for i in range(128):
        if x[LEFT[i]]:
            z = [a ^ times(x[LEFT[i]], b) if b else a for a, b in zip(z, v)]
        last = v[127]
        v = [0] + v[:127]
        for bit in (0, 1, 2, 7):  # R = 11100001 || 0^120
            v[bit] ^= last
    r = [0] * 128
    for i in range(128):
        r[LEFT[i]] = z[i]
    return r

def polyval_dot(x, y, times):
    """RFC 8452, 3: X Y x^-128 modulo x^128 + x^127 + x^126 + x^121 + 1."""
    z, v = [0] * 128, list(y)
    for i in reversed(range(128)):
        first = v[0]  # divided by x
        v = v[1:] + [first]
        for bit in (120, 125, 126):
            v[bit] ^= first
        if x[i]:
            z = [a ^ times(x[i], b) if b else a for a, b in zip(z, v)]
    return z

def big_endian(number, size):
    return constant(8 * size, int.from_bytes(number.to_bytes(size, 'big'), 'little'))

def gcm_blocks(aad, text, aad_bytes, text_bytes):
    """SP 800-38D, 7.1, step 5: the argument of GHASH."""
    return [x.widen(128) for x in (*aad, *text)] + [join([big_endian(8 * aad_bytes, 8), big_endian(8 * text_bytes, 8)])]

def siv_blocks(aad, text, aad_bytes, text_bytes):
    """RFC 8452, 4: the argument of POLYVAL."""
    return [x.widen(128) for x in (*aad, *text)] + [constant(128, 8 * aad_bytes | 8 * text_bytes << 64)]

def counter_block(nonce, i):
    """7.1, steps 2 and 3: J0 is block 1, the text begins with block 2."""
    return join([nonce, big_endian(i % 2**32, 4)])

def gcm_text(aes, keys, bits, nonce, text):
    """6.5, GCTR."""
    return [x ^ cipher(aes, keys, bits, counter_block(nonce, i + 2)).slice(0, x.n) for i, x in enumerate(text)]

def siv_text(aes, keys, bits, tag, text):
    """RFC 8452, 4: the first 32 bits count, little-endian, from the tag with its highest bit set."""
    first = tag.mask(2**127 - 1) ^ constant(128, 1 << 127)
    block = lambda i: join([aes.sum(first.slice(0, 32), i), first.slice(32, 96)])
    return [x ^ cipher(aes, keys, bits, block(i)).slice(0, x.n) for i, x in enumerate(text)]

def siv_tag(aes, keys, bits, nonce, hashed):
    return cipher(aes, keys, bits, (hashed ^ nonce.widen(128)).mask(2**127 - 1))

def siv_keys(aes, keys, bits, nonce):
    """RFC 8452, 4: the authentication key and the words of the encryption key."""
    half = [cipher(aes, keys, bits, join([constant(32, i), nonce])).slice(0, 64) for i in range(6 if bits == 256 else 4)]
    return join(half[:2]), [h.slice(32 * j, 32) for h in half[2:] for j in (0, 1)]

def xaes_k1(aes, keys):
    """SP 800-38B, 6.1: E(K, 0) times x; bit 0 of the block on the left is the highest."""
    e = cipher(aes, keys, 256, ZERO)
    number = e.move(pieces(8, *range(15, -1, -1)))
    top = number.move(part(127, 1))
    return (number.shift(1) ^ join([top, top, top, constant(4), top, constant(120)])).move(pieces(8, *range(15, -1, -1)))

def xaes_key(aes, keys, k1, nonce):
    """C2SP XAES-256-GCM: the words of the derived key, by CMAC of 0x00 || i || 'X' || 0x00 || N[:12]."""
    half = [cipher(aes, keys, 256, join([constant(32, int.from_bytes(bytes([0, i, 88, 0]), 'little')), nonce]) ^ k1) for i in (1, 2)]
    return [h.slice(32 * j, 32) for h in half for j in range(4)]

multiply, dot = partial(bilinear, algorithm_1), partial(bilinear, polyval_dot)
