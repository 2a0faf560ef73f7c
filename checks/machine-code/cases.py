"""The cases: each function of `PROOFS` proves one call of a kernel, for all keys, nonces and contents, and returns the machine after it."""
import specification as spec
from call import BITS, MAIN, RESULT, STATE, TAG, Call, either, reflected, reversed_bytes, same, sums
from specification import ZERO

OTHER = 0x1000000  # from one message of a pair to the other

def keyed(image, backend, bits, form):
    """A call with a state: the call, its round keys, and its powers of H unless there is no form of them."""
    c, h = Call(image, backend, bits), {}
    keys = c.key()
    for k in range(1, c.powers + 1) if form else ():
        h[k] = c.terms.power(k, h, spec.dot if form is same else spec.multiply)
    if form:
        c.hash_state(h, form)
    return c, keys, h

def gcm(image, backend, name, bits, aad_bytes, text_bytes, in_place=False, other_aad=None, way=0):
    """seal, open, authenticate: SP 800-38D, algorithms 4 and 5 up to the comparison of the tag. seal_pair: twice. keystream: the text alone."""
    c, keys, h = keyed(image, backend, bits, None if name == 'keystream' else reflected)
    for i, n in enumerate([aad_bytes] if other_aad is None else [aad_bytes, other_aad]):
        nonce, aad, text = c.fresh(96), c.data(n), c.data(text_bytes)
        writes = name != 'authenticate'
        target = c.message(MAIN + OTHER * i, nonce, aad, text, n, text_bytes, in_place, None if writes else 0)
        out = spec.gcm_text(c.terms, keys, bits, nonce, text)
        if writes:
            c.expect(target, *out)
        if name == 'keystream':
            return c.run(name, STATE, BITS, MAIN)
        blocks = spec.gcm_blocks(aad, text if name in ('open', 'authenticate') else out, n, text_bytes)
        s = c.hash(ZERO, blocks, sums(c, name, len(aad), len(text), text_bytes)[way], spec.multiply, h, reversed_bytes)[-1]
        c.returns(s ^ spec.cipher(c.terms, keys, bits, spec.counter_block(nonce, 1)), RESULT + 16 * i)
    return c.run(name, RESULT, STATE, BITS, MAIN, *[] if other_aad is None else [MAIN + OTHER])

def siv(image, backend, name, bits, aad_bytes, text_bytes, in_place=False, way=0):
    """seal_siv, open_siv and authenticate_siv: RFC 8452, 4 and 5, for the keys of a nonce. keystream_siv: the text alone."""
    c, keys, h = keyed(image, backend, bits, None if name == 'keystream_siv' else same)
    nonce, aad, text, tag = c.fresh(96), c.data(aad_bytes), c.data(text_bytes), c.fresh()
    writes = name != 'authenticate_siv'
    target = c.message(MAIN, nonce, aad, text, aad_bytes, text_bytes, in_place, None if writes else 0)
    clear = text if name == 'seal_siv' else spec.siv_text(c.terms, keys, bits, tag, text)
    if name != 'seal_siv':
        c.memory(TAG, [tag])
        if writes:
            c.expect(target, *clear)
    if name == 'keystream_siv':
        return c.run(name, STATE, BITS, MAIN, TAG)
    s = c.hash(ZERO, spec.siv_blocks(aad, clear, aad_bytes, text_bytes), sums(c, name, len(aad), len(text), text_bytes)[way], spec.dot, h, same)[-1]
    made = spec.siv_tag(c.terms, keys, bits, nonce, c.named(s) if s.quad else s)
    if name == 'seal_siv':
        c.expect(target, *spec.siv_text(c.terms, keys, bits, made, text))
    c.returns(made)
    return c.run(name, RESULT, STATE, BITS, MAIN, *[TAG] * (name != 'seal_siv'))

def schedule(image, backend, name, bits, *_):
    """expand of single blocks: FIPS 197, 5.2."""
    c = Call(image, backend, bits)
    key = [c.fresh() for _ in range(bits // 128)]
    c.memory(MAIN + 3, key)
    c.m.mem.allow(STATE, 240, True)
    c.expect(STATE, *spec.schedule(c.terms, [k.slice(32 * j, 32) for k in key for j in range(4)], lambda _, x: c.named(x)))
    return c.run(name, STATE, int(bits == 256), MAIN + 3)

def powers(c, h, multiply, form, most):
    """H^1 to H^most. Each product of two of them whose exponents add up to k is H^k: it gets the symbol of H^k."""
    found = {1: h}
    for k in range(2, most + 1):
        y = c.fresh()
        for a in range(1, k // 2 + 1):
            c.m.name(form(multiply(found[a], found[k - a])), form(y))
        found[k] = y
    return found

def expand(image, backend, name, bits, *_):
    """expand: the powers of H = CIPH(K, 0)."""
    c = Call(image, backend, bits)
    h = c.named(spec.cipher(c.terms, c.key(), bits, ZERO), reflected)
    c.hash_state(powers(c, h, spec.multiply, reflected, c.powers), reflected, True)
    return c.run(name, STATE, BITS)

def derive(image, backend, name, bits, blocks, *_):
    """derive (XAES) and derive_siv: the schedule of the derived key, and at least the powers that `blocks` blocks need."""
    c = Call(image, backend, bits)
    main, nonce, k1, xaes = c.key(MAIN), c.fresh(96), c.fresh(), name == 'derive'
    c.memory(TAG + 3, [nonce])
    c.m.mem.allow(STATE, 240, True)
    if xaes:
        c.memory(MAIN + 240, [k1])
    h, words = (None, spec.xaes_key(c.terms, main, k1, nonce)) if xaes else spec.siv_keys(c.terms, main, bits, nonce)
    keys = spec.schedule(c.terms, words, lambda _, x: c.named(x))
    c.expect(STATE, *keys)
    form, multiply = (reflected, spec.multiply) if xaes else (same, spec.dot)
    y = c.named(spec.cipher(c.terms, keys, bits, ZERO) if xaes else h, form)
    found = powers(c, y, multiply, form, c.powers) if blocks else {}
    c.hash_state({k: x for k, x in found.items() if k <= min(blocks, c.powers)}, form, True)
    return c.run(name, MAIN, *[BITS] * (not xaes), TAG + 3, STATE, blocks)

def main_key(image, backend, name, bits, *_):
    """expand_main: K1 of XAES."""
    c = Call(image, backend, 256)
    keys = c.key(MAIN)
    c.m.mem.allow(MAIN + 240, 16, True)
    c.expect(MAIN + 240, spec.xaes_k1(c.terms, keys))
    return c.run(name, MAIN)

def refuse(image, backend, name, _, bits, aad_bytes, text_bytes):
    """A target shorter than its source, which no caller passes: nothing is written but a tag, and a tag of zeros where there is one message."""
    c, *_ = keyed(image, backend, bits, same)
    for i in range(2 if name == 'seal_pair' else 1):
        text = c.data(text_bytes)
        c.message(MAIN + OTHER * i, c.fresh(96), c.data(aad_bytes), text, aad_bytes, text_bytes, room=text_bytes - 1)
        c.m.mem.allow(RESULT + 16 * i, 16, True)
    c.memory(TAG, [c.fresh()])
    if name != 'seal_pair':
        c.expect(RESULT, ZERO)
    return c.run(name, RESULT, STATE, BITS, MAIN, MAIN + OTHER if name == 'seal_pair' else TAG)

def prove(image, backend, name, case):
    """The proof of one case, which is a tuple of arguments; one that begins with `short` is a refusal."""
    f = refuse if case[0] == 'short' else PROOFS[name]
    if f not in (gcm, siv):
        return f(image, backend, name, *case)
    return either((0, -1), lambda way: f(image, backend, name, *case, way=way))

PROOFS = {
    **dict.fromkeys(('seal', 'open', 'authenticate', 'seal_pair', 'keystream'), gcm),
    **dict.fromkeys(('seal_siv', 'open_siv', 'authenticate_siv', 'keystream_siv'), siv),
    **dict.fromkeys(('derive', 'derive_siv'), derive),
    'expand': expand,
    'expand_main': main_key,
    'expand_schedule': schedule,
}
