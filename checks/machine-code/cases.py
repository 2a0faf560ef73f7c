"""The cases: each function of `PROOFS` proves one call of a kernel, for all keys, nonces and contents, and returns the machine after it.

`bounded` lists the cases of a kernel."""
import specification as spec
from call import BITS, MAIN, RESULT, SHAPE, STATE, TAG, Call, either, reflected, reversed_bytes, same, sums

OTHER = 0x1000000  # from one message of a pair to the other

def gcm(c, name, aad_bytes, text_bytes, in_place=False, other_aad=None, way=0):
    """seal, open, authenticate: SP 800-38D, algorithms 4 and 5 up to the comparison of the tag. seal_pair: twice. keystream: the text alone."""
    keys, h = c.key(), c.some_powers(None if name == 'keystream' else reflected)
    for i, n in enumerate([aad_bytes] if other_aad is None else [aad_bytes, other_aad]):
        nonce, aad, text = c.fresh(96), c.data(n), c.data(text_bytes)
        writes = name != 'authenticate'
        target = c.message(MAIN + OTHER * i, nonce, aad, text, n, text_bytes, in_place, None if writes else 0)
        out = spec.gcm_text(c.terms, keys, c.bits, nonce, text)
        if writes:
            c.expect(target, *out)
        if name == 'keystream':
            return c.run(name, STATE, BITS, MAIN)
        blocks = spec.gcm_blocks(aad, text if name in ('open', 'authenticate') else out, n, text_bytes)
        s = c.hash(spec.ZERO, blocks, sums(c, name, len(aad), len(text), text_bytes)[way], spec.multiply, h, reversed_bytes)[-1]
        c.writes(RESULT + 16 * i, s ^ spec.cipher(c.terms, keys, c.bits, spec.counter_block(nonce, 1)))
    return c.run(name, RESULT, STATE, BITS, MAIN, *[] if other_aad is None else [MAIN + OTHER])

def siv(c, name, aad_bytes, text_bytes, in_place=False, way=0):
    """seal_siv, open_siv and authenticate_siv: RFC 8452, 4 and 5, for the keys of a nonce. keystream_siv: the text alone."""
    keys, h = c.key(), c.some_powers(None if name == 'keystream_siv' else same)
    nonce, aad, text, tag = c.fresh(96), c.data(aad_bytes), c.data(text_bytes), c.fresh()
    writes = name != 'authenticate_siv'
    target = c.message(MAIN, nonce, aad, text, aad_bytes, text_bytes, in_place, None if writes else 0)
    clear = text if name == 'seal_siv' else spec.siv_text(c.terms, keys, c.bits, tag, text)
    if name != 'seal_siv':
        c.memory(TAG, [tag])
        if writes:
            c.expect(target, *clear)
    if name == 'keystream_siv':
        return c.run(name, STATE, BITS, MAIN, TAG)
    s = c.hash(spec.ZERO, spec.siv_blocks(aad, clear, aad_bytes, text_bytes), sums(c, name, len(aad), len(text), text_bytes)[way], spec.dot, h, same)[-1]
    made = spec.siv_tag(c.terms, keys, c.bits, nonce, c.named(s) if s.quad else s)
    if name == 'seal_siv':
        c.expect(target, *spec.siv_text(c.terms, keys, c.bits, made, text))
    c.writes(RESULT, made)
    return c.run(name, RESULT, STATE, BITS, MAIN, *[TAG] * (name != 'seal_siv'))

def schedule(c, name):
    """expand of single blocks: FIPS 197, 5.2."""
    key = [c.fresh() for _ in range(c.bits // 128)]
    c.memory(MAIN + 3, key)
    c.writes(STATE, *spec.schedule(c.terms, [k.slice(32 * j, 32) for k in key for j in range(4)], lambda _, x: c.named(x)))
    return c.run(name, STATE, int(c.bits == 256), MAIN + 3)

def powers(c, h, multiply, form, most):
    """H^1 to H^most. Each product of two of them whose exponents add up to k is H^k: it gets the symbol of H^k."""
    found = {1: h}
    for k in range(2, most + 1):
        y = c.fresh()
        for a in range(1, k // 2 + 1):
            c.m.name(form(multiply(found[a], found[k - a])), form(y))
        found[k] = y
    return found

def expand(c, name):
    """expand: the powers of H = CIPH(K, 0)."""
    h = c.named(spec.cipher(c.terms, c.key(), c.bits, spec.ZERO), reflected)
    c.hash_state(powers(c, h, spec.multiply, reflected, c.powers), reflected, True)
    return c.run(name, STATE, BITS)

def derive(c, name, blocks):
    """derive (XAES) and derive_siv: the schedule of the derived key, and at least the powers that `blocks` blocks need."""
    main, nonce, k1, xaes = c.key(MAIN), c.fresh(96), c.fresh(), name == 'derive'
    c.memory(TAG + 3, [nonce])
    if xaes:
        c.memory(MAIN + 240, [k1])
    h, words = (None, spec.xaes_key(c.terms, main, k1, nonce)) if xaes else spec.siv_keys(c.terms, main, c.bits, nonce)
    keys = spec.schedule(c.terms, words, lambda _, x: c.named(x))
    c.writes(STATE, *keys)
    form, multiply = (reflected, spec.multiply) if xaes else (same, spec.dot)
    y = c.named(spec.cipher(c.terms, keys, c.bits, spec.ZERO) if xaes else h, form)
    found = powers(c, y, multiply, form, c.powers) if blocks else {}
    c.hash_state({k: x for k, x in found.items() if k <= min(blocks, c.powers)}, form, True)
    return c.run(name, MAIN, *[BITS] * (not xaes), TAG + 3, STATE, blocks)

def main_key(c, name):
    """expand_main: K1 of XAES."""
    keys = c.key(MAIN)
    c.writes(MAIN + 240, spec.xaes_k1(c.terms, keys))
    return c.run(name, MAIN)

def refuse(c, name, aad_bytes, text_bytes):
    """A target shorter than its source, which no caller passes: nothing is written but a tag, and a tag of zeros where there is one message."""
    c.key()
    c.some_powers(same)
    for i in range(2 if name == 'seal_pair' else 1):
        text = c.data(text_bytes)
        c.message(MAIN + OTHER * i, c.fresh(96), c.data(aad_bytes), text, aad_bytes, text_bytes, room=text_bytes - 1)
        c.m.mem.allow(RESULT + 16 * i, 16, True)
    c.memory(TAG, [c.fresh()])
    if name != 'seal_pair':
        c.expect(RESULT, spec.ZERO)
    return c.run(name, RESULT, STATE, BITS, MAIN, MAIN + OTHER if name == 'seal_pair' else TAG)

def prove(image, backend, name, case):
    """The proof of one case, which is a tuple of arguments; one that begins with `short` is a refusal."""
    f, (bits, *others) = (refuse, case[1:]) if case[0] == 'short' else (PROOFS[name], case)
    ways = [{'way': 0}, {'way': -1}] if f in (gcm, siv) and 'keystream' not in name else [{}]
    return either(ways, lambda way: f(Call(image, backend, bits), name, *others, **way))

PROOFS = dict.fromkeys(('seal', 'open', 'authenticate', 'seal_pair', 'keystream'), gcm) | {'expand': expand, 'expand_main': main_key, 'derive': derive, 'derive_siv': derive}
PROOFS |= dict.fromkeys(('seal_siv', 'open_siv', 'authenticate_siv', 'keystream_siv'), siv) | {'expand_schedule': schedule}
KERNELS = [(backend, name) for backend in SHAPE for name in PROOFS if backend == 'aesni' or name != 'expand_schedule']

def bounded(backend, name):
    """All cases of a function: every length to two groups and a block more, apart and in place, and every way of the AAD."""
    registers, lanes, _ = SHAPE[backend]
    group = 16 * registers * lanes
    both = (128, 256)
    if name.startswith('expand'):
        return [(b,) for b in both if b == 256 or name != 'expand_main']
    if name in ('derive', 'derive_siv'):
        return [(b, n) for b in (both if name == 'derive_siv' else (256,)) for n in range(registers * lanes + 4)]
    if name == 'seal_pair':
        most = (registers - 4) * 16 * lanes
        texts = range(1, 64 * lanes + 1)
        return [(b, a, n, False, o) for i, n in enumerate(texts) for b in both for a, o in ((0, 0), (i % (most + 1), 13), (most, (7 * i) % (most + 1)), (i // 2 % 34, i % 31))] + \
               [(b, a, n, False, o) for b in both for n in (*range(1, 10), 15, 16) for a, o in ((16, n), (n, 16), (9 * n % (most + 1), most))] + \
               [('short', b, a, n) for b in both for a in (0, 20) for n in (5, 16 * lanes, 48 * lanes + 1)]
    # The last byte of a counter passes 255 after 254 blocks of text.
    far = [16 * n + 5 for n in range(254 - 2 * lanes, 258 + registers * lanes)] + [16 * 254, 16 * 256, 16 * 254 + 2 * group]
    every = [*range(2 * group + 18), *far]
    if name.startswith('keystream'):
        return [(b, 0, n, bool((n + b // 128) % 2)) for b in both for n in every]
    # Texts of each number of registers: the code takes another way for each if they fit into one group with the AAD.
    filled = [n for end in range(16 * lanes, group + 1, 16 * lanes) for n in (end - 16 * lanes + 1, end - 1, end) if name in ('seal', 'open')]
    # The ends of blocks, registers and groups.
    ends = sorted({0, 1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100, group - 17, group - 16, group - 1, group, group + 1, group + 40, 2 * group - 1})
    aads = sorted({1, 13, 16, 17, 32, 33, 16 * lanes, 16 * lanes + 1, group - 16, group - 3, group, group + 5, 2 * group + 1})
    return [(b, 0, n, bool((n + b // 128) % 2)) for b in both for n in every] + \
           [(b, a, n, bool((a + n + b // 128) % 2)) for b in both for a in aads for n in ends] + \
           [(256, a, n, False) for a in range(1, group + 34) for n in ((0, 5, 16)[a % 3],)] + \
           [(b, a, n, False) for b in both for a in (*range(1, 67), *range(group - 33, group + 34)) for n in (17 + a % 32, group + a % 16)] + \
           [(b, a, n, bool((a + n) % 2)) for b in both for a in (1, 13, 16, 17, 33) for n in filled if -(-n // 16) - (-a // 16) <= group // 16] + \
           [('short', b, a, n) for b in both for a in (0, 20) for n in (5, 60, 2 * group + 5) if name in ('seal', 'open', 'open_siv')]

def sample(backend, name, share, offset):
    """Every `share`th case of many."""
    cases = bounded(backend, name)
    return cases[offset % share :: share] if len(cases) > share else cases[:: 1 + ('derive' in name) * 3]
