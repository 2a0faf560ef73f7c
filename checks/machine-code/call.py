"""One call of a kernel: memory and registers before it, the run, and what must hold after it.

The callers' promises are the preconditions: ranges do not overlap, unless the text is in place; a state is aligned and holds what the kernels
`expand` and `derive` are proved to write. Ranges of bytes start at odd addresses. Registers hold unknown values unless a caller sets them.
"""
from contextlib import suppress

import specification as spec
from forms import Unknown, constant, join
from machine import STACK, Machine
from state import Terms, Wrong, vector

SHAPE = {'aesni': (6, 1, 0), 'vaes256': (6, 2, 3), 'vaes512': (8, 4, 3)}  # registers in a group, blocks in a register, gap of the state
BASE = 0x7f0000000000
STATE, MAIN, RESULT, TAG = (BASE + 0x1000 * i for i in range(4))
SAVED = (3, 5, 12, 13, 14, 15)  # registers that a function preserves: rbx, rbp, r12 to r15
BITS = None  # as an argument: KeyBits

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

    def memory(self, at, blocks):
        """What may be read."""
        self.m.mem.allow(at, sum(b.n for b in blocks) // 8, False)
        for b in blocks:
            self.m.mem.put(at, b)
            at += b.n // 8

    def data(self, size):
        self.terms.count |= 4095
        return [self.fresh(min(128, 8 * (size - at))) for at in range(0, size, 16)]

    def expect(self, at, *blocks):
        for b in blocks:
            self.expected.append((at, b))
            at += b.n // 8

    def arguments(self, *values):
        """The registers of the first arguments. The ABI leaves what is above the 32 bits of KeyBits open."""
        for register, x in zip((7, 6, 2, 1, 8), values):
            bits = join([constant(32, int(self.bits == 256)), self.m.r[register].slice(32, 32)])
            self.m.r[register] = bits if x is BITS else x

    def message(self, at, nonce, aad, source, aad_bytes, text_bytes, in_place=False, room=None):
        """A `Message` at `at`, and the ranges that it names; returns where the target is. Only a target as long as the text is written."""
        room = text_bytes if room is None else room
        n, a, s, t = at + 0x10003, at + 0x20005, at + 0x100007, at + (0x100007 if in_place else 0x200009)
        for place, blocks in (n, [nonce]), (a, aad), (s, source):
            self.memory(place, blocks)
        if room == text_bytes:
            self.m.mem.allow(t, room, True)
        self.memory(at, [constant(64, x) for x in (n, a, aad_bytes, s, text_bytes, t, room)])
        return t

    def key(self, at=STATE):
        """A schedule, as the kernel `expand` of single blocks leaves it, with a symbol for each round key."""
        keys = [self.fresh() for _ in range(spec.ROUNDS[self.bits] + 1)]
        self.memory(at, keys)
        return keys

    def some_powers(self, form):
        """Any powers of H, which the state holds in this form. Without a form, there are none."""
        h = {}
        for k in range(1, self.powers + 1) if form else ():
            h[k] = self.terms.power(k, h, spec.dot if form is same else spec.multiply)
        self.hash_state(h, form)
        return h

    def hash_state(self, h, form, write=False):
        """The powers {k: H^k} of a state, in the form that the code computes with, and the sums of their halves."""
        at = STATE + 240
        for k, x in h.items():
            p = form(x)
            half = p.slice(0, 64) ^ p.slice(64, 64)
            for place, value in ((at + 16 * (self.powers - k), p), (at + 16 * (2 * self.powers + self.gap - k), join([half, half]))):
                self.expect(place, value) if write else self.m.mem.put(place, value)
        self.m.mem.allow(at, 32 * self.powers + 16 * self.gap, write)

    def hash(self, y, blocks, counts, multiply, h, form):
        """Sums of blocks times powers of H, from y on, as the code forms them: for each of `counts`, so many blocks share a reduction. Each sum
        is written by Horner's rule; the machine's value for it, `form` of it, gets a symbol, unless it is the last."""
        self.terms.count |= 4095
        found, at = [], 0
        for count in counts:
            total = spec.ZERO
            for i in range(count):
                total ^= multiply(blocks[at + i].widen(128) ^ (spec.ZERO if i else y), h[count - i])
            at, y = at + count, total
            if at < len(blocks) and not total.constant():
                y = self.fresh()
                self.m.name(form(total), form(y))
            found.append(y)
        return found

    def run(self, name, *arguments):
        self.arguments(*arguments)
        self.m.bottom = self.m.r[4]
        self.m.run(self.image.code(self.backend, name), self.image.kernels[self.backend, name][0])
        self.returned()
        return self.m

    def written(self):
        for at, want in self.expected:
            if self.m.mem.get(at, want.n // 8) != want:
                raise Wrong(f'bytes {at:#x} to {at + want.n // 8:#x} are not those of the specification')

    def returned(self):
        self.written()
        for i, x in self.saved.items():
            if vector(self.m.r[i], 64) != x:
                raise Wrong(f'register {i} is not preserved')

    def named(self, x, form=lambda x: x):
        """A symbol for a value, which the machine's value gets as well, also in another form."""
        self.terms.count |= 4095
        y = self.fresh()
        self.m.name(x, y)
        self.m.name(form(x), form(y))
        return y

    def writes(self, at, *blocks):
        self.m.mem.allow(at, sum(b.n for b in blocks) // 8, True)
        self.expect(at, *blocks)

reversed_bytes = lambda x: x.move(spec.pieces(8, *range(15, -1, -1)))

def reflected(h):
    """How a state holds a power of GHASH's H (RFC 8452, appendix A): bytes reversed, times x modulo POLYVAL's polynomial."""
    x = reversed_bytes(h)
    top = x.slice(127, 1)
    return x.shift(1) ^ join([top, constant(120), top, constant(4), top, top])

same = lambda x: x
pieces = lambda n, size: [min(size, n - at) for at in range(0, n, size)]

def sums(call, name, aad, text, text_bytes):
    """Ways in which the code may share reductions, the likely one first. Each is a way to write the same hash."""
    whole = text_bytes // (16 * call.group) * call.group  # blocks in whole groups
    if name in ('seal', 'open', 'seal_pair') and aad + text + 1 <= call.powers:
        return [[aad + text + 1]]
    if name == 'authenticate_siv':
        tail = pieces(text - whole, call.lanes) or [0]
        return [pieces(aad, call.group) + pieces(whole, call.group) + tail[:-1] + [tail[-1] + 1]]
    ways = [pieces(aad, call.group) + way for way in endings(text, call.group)]
    apart = name == 'authenticate' or whole == text and (name == 'seal_siv' or name == 'open' and call.lanes < 4)
    return ways[::-1] if apart else ways

def either(ways, prove):
    """Proves in the first of the ways to form sums that succeeds."""
    *ways, last = ways
    for way in ways:
        with suppress(Unknown, Wrong):
            return prove(way)
    return prove(last)

def endings(blocks, group):
    """Ways to share the reductions of blocks and of the length block: the last group with the length block, or both apart."""
    whole = pieces(blocks, group)
    return [whole[:-1] + [whole[-1] + 1], whole + [1]] if whole else [[1]]
