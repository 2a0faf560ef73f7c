"""One call of a kernel: memory and registers before it, the run, and what must hold after it. Each function of `CASES` proves one case.

The callers' promises are the preconditions: ranges do not overlap, unless the text is in place; a state is aligned and holds what the kernels
`expand` and `derive` are proved to write. Ranges of bytes start at odd addresses. Registers hold unknown values unless a caller sets them.
"""
import specification as spec
from forms import Unknown, Vector, join
from machine import STACK, Machine, Terms, Wrong, plain, vector
from specification import ZERO

SHAPE = {'aesni': (6, 1, 0), 'vaes256': (6, 2, 3), 'vaes512': (8, 4, 3)}  # registers in a group, blocks in a register, gap of the state
BASE = 0x7f0000000000
STATE, MAIN, RESULT, TAG, RETURN = (BASE + 0x1000 * i for i in range(5))
SAVED = (3, 5, 12, 13, 14, 15)  # registers that a function preserves: rbx, rbp, r12 to r15
OUT, A, B, C, D = 7, 6, 2, 1, 8  # the registers of the first five arguments


class Call:
    def __init__(self, image, backend, bits):
        self.image, self.backend, self.bits = image, backend, bits
        self.terms = Terms()
        self.m = Machine(image, self.terms)
        self.registers, self.lanes, self.gap = SHAPE[backend]
        self.group = self.registers * self.lanes
        self.powers = self.group + 1
        self.expected, self.fresh = [], self.terms.fresh
        self.m.r = [self.fresh(64) for _ in range(16)]
        self.m.v = [[self.fresh() for _ in range(4)] for _ in range(32)]
        self.m.r[4] = BASE - 0x1000 - 8
        self.m.mem.allow(self.m.r[4] - STACK, STACK, True)
        self.saved = {i: self.m.r[i] for i in SAVED}

    def memory(self, at, blocks, write=False, size=None):
        size = sum(b.n for b in blocks) // 8 if size is None else size
        self.m.mem.allow(at, size, write)
        for b in blocks:
            self.m.mem.put(at, b)
            at += b.n // 8
        return at

    def data(self, size):
        return [self.fresh(min(128, 8 * (size - at))) for at in range(0, size, 16)]

    def expect(self, at, *blocks):
        for b in blocks:
            self.expected.append((at, b))
            at += b.n // 8

    def bits_in(self, register):
        """KeyBits as an argument: the ABI leaves what is above 32 bits open."""
        self.m.r[register] = join([Vector(32, int(self.bits == 256)), self.m.r[register].slice(32, 32)])

    def message(self, at, nonce, aad, source, target, aad_bytes, text_bytes, in_place=False, reads=True, writes=True):
        """A `Message` at `at`, and the ranges that it names; returns where the target is."""
        n, a, s, t = (at + offset for offset in (0x10003, 0x20005, 0x100007, 0x200009))
        self.memory(n, [nonce])
        self.memory(a, aad)
        t = s if in_place else t
        if reads:
            self.memory(s, source, in_place)
        if writes and not in_place:
            self.m.mem.allow(t, text_bytes, True)
        self.memory(at, [Vector(64, x) for x in (n, a, aad_bytes, s, text_bytes, t, text_bytes if writes else 0)])
        return t

    def key(self, at=STATE):
        """A schedule, as the kernel `expand` of single blocks leaves it, with a symbol for each round key."""
        keys = [self.fresh() for _ in range(spec.ROUNDS[self.bits] + 1)]
        self.memory(at, keys)
        return keys

    def hash_state(self, h, form, write=False):
        """The powers {k: H^k} of a state, in the form that the code computes with, and the sums of their halves."""
        at = STATE + 240
        for k, x in h.items():
            p = form(x)
            half = p.slice(0, 64) ^ p.slice(64, 64)
            for place, value in ((at + 16 * (self.powers - k), p), (at + 16 * (2 * self.powers + self.gap - k), join([half, half]))):
                self.expect(place, value) if write else self.m.mem.put(place, value)
        self.m.mem.allow(at, 32 * self.powers + 16 * self.gap, write)

    def hash(self, blocks, sums, multiply, h, form):
        """The sum of blocks times powers of H, as the code forms it: for each number of `sums`, so many blocks share a reduction. Each of
        these sums is written by Horner's rule; the machine's value for it, `form` of it, gets a symbol."""
        y, at = ZERO, 0
        for last, count in [(i == len(sums) - 1, n) for i, n in enumerate(sums)]:
            total = ZERO
            for i in range(count):
                total ^= multiply(blocks[at + i] ^ (ZERO if i else y), h[count - i])
            at += count
            if last or total.constant():
                y = total
            else:
                y = self.fresh()
                self.m.name(form(total), form(y))
        return y

    def run(self, name, module=None):
        module = module or self.backend
        code = self.image.code(module, name)
        self.m.run(code, self.image.kernels[module, name][0])
        for at, want in self.expected:
            if self.m.mem.get(at, want.n // 8) != want:
                raise Wrong(f'bytes {at:#x} to {at + want.n // 8:#x} are not those of the specification')
        for i, x in self.saved.items():
            if self.m.r[i] != x:
                raise Wrong(f'register {i} is not preserved')
        return self.m

    def returns(self, tag, at=RESULT):
        self.m.mem.allow(at, 16, True)
        self.expect(at, tag)


def reversed_bytes(x):
    return x.move(spec.pieces(8, *range(15, -1, -1)))


def reflected(h):
    """How a state holds a power of GHASH's H (RFC 8452, appendix A): bytes reversed, times x modulo POLYVAL's polynomial."""
    x = reversed_bytes(h)
    top = x.slice(127, 1)
    return x.shift(1) ^ join([top, Vector(120), top, Vector(4), top, top])


def same(x):
    return x


def pieces(n, size):
    return [min(size, n - at) for at in range(0, n, size)]


def sums(call, name, aad, text, text_bytes):
    """Ways in which the code may share reductions, the likely one first. Each is a way to write the same hash."""
    whole = text_bytes // (16 * call.group) * call.group  # blocks in whole groups
    if name == 'authenticate' or 'siv' in name:
        first = pieces(aad, call.group)
        if name == 'authenticate':
            return [first + pieces(text, call.group) + [1]]
        if name == 'authenticate_siv':
            tail = pieces(text - whole, call.lanes) or [0]
            return [first + pieces(whole, call.group) + tail[:-1] + [tail[-1] + 1]]
        tail = pieces(text, call.group)
        apart = first + tail + [1]
        joined = first + tail[:-1] + [tail[-1] + 1] if tail else apart
        return [apart, joined] if name == 'seal_siv' and whole == text else [joined, apart]
    if aad + text + 1 <= call.powers:
        return [[aad + text + 1]]
    first, tail = pieces(aad, call.group), pieces(text, call.group)
    apart = first + tail + [1]
    joined = first + tail[:-1] + [tail[-1] + 1] if tail else apart
    return [apart, joined] if name == 'open' and call.lanes < 4 and whole == text else [joined, apart]


def gcm(image, backend, name, bits, aad_bytes, text_bytes, in_place=False, way=0):
    """seal, open and authenticate: SP 800-38D, algorithms 4 and 5 up to the comparison of the tag."""
    c = Call(image, backend, bits)
    keys, h = c.key(), {k: c.fresh() for k in range(1, c.powers + 1)}
    c.hash_state(h, reflected)
    nonce, aad, text = c.fresh(96), c.data(aad_bytes), c.data(text_bytes)
    writes = name != 'authenticate'
    target = c.message(MAIN, nonce, aad, text, text, aad_bytes, text_bytes, in_place, writes=writes)
    other = spec.gcm_text(c.terms, keys, bits, nonce, text)
    if writes:
        c.expect(target, *other)
    blocks = spec.gcm_blocks(aad, other if name == 'seal' else text, aad_bytes, text_bytes)
    ways = sums(c, name, len(aad), len(text), text_bytes)
    s = c.hash(blocks, ways[way], spec.multiply, h, reversed_bytes)
    c.returns(s ^ spec.cipher(c.terms, keys, bits, spec.counter_block(nonce, 1)))
    c.m.r[OUT], c.m.r[A], c.m.r[C] = RESULT, STATE, MAIN
    c.bits_in(B)
    return again(gcm, c, name, ways, way, image, backend, name, bits, aad_bytes, text_bytes, in_place)


def again(f, c, name, ways, way, *args):
    """Runs; tries the next way of sharing reductions if the machine formed other sums."""
    try:
        return c.run(name)
    except (Unknown, Wrong):
        if way + 1 == len(ways) or ways[way] == ways[way + 1]:
            raise
    return f(*args, way=way + 1)


def siv(image, backend, name, bits, aad_bytes, text_bytes, in_place=False, way=0):
    """seal_siv, open_siv and authenticate_siv: RFC 8452, 4 and 5, for the keys of a nonce."""
    c = Call(image, backend, bits)
    keys, h = c.key(), {k: c.fresh() for k in range(1, c.powers + 1)}
    c.hash_state(h, same)
    nonce, aad, text = c.fresh(96), c.data(aad_bytes), c.data(text_bytes)
    writes = name != 'authenticate_siv'
    target = c.message(MAIN, nonce, aad, text, text, aad_bytes, text_bytes, in_place, writes=writes)
    tag = c.fresh()
    clear = text if name == 'seal_siv' else spec.siv_text(c.terms, keys, bits, tag, text)
    ways = sums(c, name, len(aad), len(text), text_bytes)
    s = c.hash(spec.siv_blocks(aad, clear, aad_bytes, text_bytes), ways[way], spec.dot, h, same)
    if s.quad:
        y = c.fresh()
        c.m.name(s, y)
        s = y
    made = spec.siv_tag(c.terms, keys, bits, nonce, s)
    if name == 'seal_siv':
        c.expect(target, *spec.siv_text(c.terms, keys, bits, made, text))
    else:
        c.memory(TAG, [tag])
        c.m.r[D] = TAG
        if writes:
            c.expect(target, *clear)
    c.returns(made)
    c.m.r[OUT], c.m.r[A], c.m.r[C] = RESULT, STATE, MAIN
    c.bits_in(B)
    return again(siv, c, name, ways, way, image, backend, name, bits, aad_bytes, text_bytes, in_place)


def pair(image, backend, name, bits, aad_bytes, text_bytes, other_aad=None):
    """seal_pair: twice `seal`."""
    c = Call(image, backend, bits)
    keys, h = c.key(), {k: c.fresh() for k in range(1, c.powers + 1)}
    c.hash_state(h, reflected)
    for i, n in enumerate((aad_bytes, aad_bytes if other_aad is None else other_aad)):
        at = MAIN + 0x1000000 * i
        nonce, aad, text = c.fresh(96), c.data(n), c.data(text_bytes)
        target = c.message(at, nonce, aad, text, text, n, text_bytes)
        other = spec.gcm_text(c.terms, keys, bits, nonce, text)
        c.expect(target, *other)
        blocks = spec.gcm_blocks(aad, other, n, text_bytes)
        s = c.hash(blocks, [len(blocks)], spec.multiply, h, reversed_bytes)
        c.returns(s ^ spec.cipher(c.terms, keys, bits, spec.counter_block(nonce, 1)), RESULT + 16 * i)
        c.m.r[C if i == 0 else D] = at
    c.m.r[OUT], c.m.r[A] = RESULT, STATE
    c.bits_in(B)
    return c.run(name)


def keystream(image, backend, name, bits, _, text_bytes, in_place=False):
    """keystream (counters from 2) and keystream_siv (from the tag): the text alone."""
    c = Call(image, backend, bits)
    keys, nonce, text = c.key(), c.fresh(96), c.data(text_bytes)
    target = c.message(MAIN, nonce, [], text, text, 0, text_bytes, in_place)
    c.m.r[OUT], c.m.r[B] = STATE, MAIN
    c.bits_in(A)
    if name == 'keystream_siv':
        tag = c.fresh()
        c.memory(TAG, [tag])
        c.m.r[C] = TAG
        c.expect(target, *spec.siv_text(c.terms, keys, bits, tag, text))
    else:
        c.expect(target, *spec.gcm_text(c.terms, keys, bits, nonce, text))
    return c.run(name)


def schedule(image, backend, name, bits, *_):
    """expand of single blocks: FIPS 197, 5.2."""
    c = Call(image, backend, bits)
    key = [c.fresh() for _ in range(bits // 128)]
    c.memory(MAIN + 3, key)
    c.m.mem.allow(STATE, 240, True)
    words = [k.slice(32 * j, 32) for k in key for j in range(4)]
    c.expect(STATE, *spec.schedule(c.terms, words, named(c)))
    c.m.r[OUT], c.m.r[A], c.m.r[B] = STATE, int(bits == 256), MAIN + 3
    return c.run('expand_schedule')


def named(c):
    """Gives each round key a symbol, which the machine's value gets as well."""
    def name(_, x):
        y = c.fresh()
        c.m.name(x, y)
        return y
    return name


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
    keys = c.key()
    h = c.fresh()
    c.m.name(spec.cipher(c.terms, keys, bits, ZERO), h)
    c.m.name(reflected(spec.cipher(c.terms, keys, bits, ZERO)), reflected(h))
    c.hash_state(powers(c, h, spec.multiply, reflected, c.powers), reflected, True)
    c.m.r[OUT] = STATE
    c.bits_in(A)
    return c.run(name)


def derive(image, backend, name, bits, blocks, *_):
    """derive (XAES) and derive_siv: the schedule of the derived key, and at least the powers that `blocks` blocks need."""
    c = Call(image, backend, bits)
    main, nonce = c.key(MAIN), c.fresh(96)
    c.memory(TAG + 3, [nonce])
    c.m.mem.allow(STATE, 240, True)
    if name == 'derive':
        k1 = c.fresh()
        c.memory(MAIN + 240, [k1])
        words = spec.xaes_key(c.terms, main, k1, nonce)
    else:
        h, words = spec.siv_keys(c.terms, main, bits, nonce)
    keys = spec.schedule(c.terms, words, named(c))
    c.expect(STATE, *keys)
    form, multiply = (reflected, spec.multiply) if name == 'derive' else (same, spec.dot)
    y = c.fresh()
    if name == 'derive':
        h = spec.cipher(c.terms, keys, bits, ZERO)
    c.m.name(h, y)
    c.m.name(form(h), form(y))
    found = powers(c, y, multiply, form, c.powers if blocks else 0) if blocks else {}
    c.hash_state({k: x for k, x in found.items() if k <= min(blocks, c.powers)}, form, True)
    if name == 'derive':
        c.m.r[OUT], c.m.r[A], c.m.r[B], c.m.r[C] = MAIN, TAG + 3, STATE, blocks
    else:
        c.m.r[OUT], c.m.r[B], c.m.r[C], c.m.r[D] = MAIN, TAG + 3, STATE, blocks
        c.bits_in(A)
    return c.run(name)


def main_key(image, backend, name, bits, *_):
    """expand_main: K1 of XAES."""
    c = Call(image, backend, 256)
    keys = c.key(MAIN)
    c.m.mem.allow(MAIN + 240, 16, True)
    c.expect(MAIN + 240, spec.xaes_k1(c.terms, keys))
    c.m.r[OUT] = MAIN
    return c.run(name)


PROOFS = {
    **dict.fromkeys(('seal', 'open', 'authenticate'), gcm),
    **dict.fromkeys(('seal_siv', 'open_siv', 'authenticate_siv'), siv),
    **dict.fromkeys(('keystream', 'keystream_siv'), keystream),
    **dict.fromkeys(('derive', 'derive_siv'), derive),
    'seal_pair': pair,
    'expand': expand,
    'expand_main': main_key,
    'expand_schedule': schedule,
}
