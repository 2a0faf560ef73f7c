"""A call cut at three places, and the invariants of the cuts: what registers and stack hold there, suggested by runs of numbers.

The cuts: `aad`, the head of the loop over additional data; `joint`, behind this loop; `text`, the head of the loop over whole groups of text.
Nothing of what runs suggest is trusted: `lengths.py` proves it, or weakens it."""
from functools import partial
from statistics import mode

import specification as spec
from affine import NUMBERS, VARIABLES, Number, make
from call import BITS, MAIN, RESULT, STATE, Call, pieces as cut, reflected, reversed_bytes
from forms import constant, join, pieces
from machine import STACK, Machine
from state import Wrong, plain, vector

NONCE, AAD, SOURCE, TARGET = MAIN + 0x10003, MAIN + 0x20005, 0x600000000007, 0x680000000009
LEAST = 2  # groups of a text that is proved by induction

class TooMuch(Wrong):
    """The invariant says of a slot what a segment does not keep; most such slots are dead."""
    def __init__(self, place, slot):
        super().__init__(f'the invariant of the cut {place} fails in {slot}')
        self.place, self.slot = place, slot

def limit(bounds):
    """Sets the bounds of the variables, whose values in the example lie far from the places of the entry."""
    VARIABLES.clear()
    NUMBERS.clear()
    VARIABLES.update({v: (low, high, min(high, max(low, 1000))) for v, (low, high) in bounds.items()})

variable = lambda v: make(0, {v: 1}) if VARIABLES[v][0] < VARIABLES[v][1] else VARIABLES[v][0]
evaluated = lambda form, numbers: sum((factor * numbers[u] for u, factor in form[1].items() if factor), form[0])
key = lambda x: (x.c, tuple(sorted(x.terms.items()))) if isinstance(x, Number) else x if x is None or isinstance(x, int) else x.key()
same = lambda *xs: len({key(x) for x in xs}) == 1

def slots(m):
    """What a machine holds, in words of 64 bits, and on the stack of fewer where there are no more."""
    found = {('r', i): x for i, x in enumerate(m.r)} | {('k', i): x for i, x in enumerate(m.k)}
    found |= {('v', i, j, n): plain(x.slice(64 * n, 64)) for i, blocks in enumerate(m.v) for j, x in enumerate(blocks) for n in (0, 1)}
    at = m.bottom - STACK
    while at < m.bottom:
        size = next((n for n in (8, 4) if at % n == 0 and all(at + i in m.mem.cells for i in range(n))), 1)
        if at in m.mem.cells:
            found['m', at, size] = plain(m.mem.get(at, size))
        at += size
    return found

def linear(xs, numbers):
    """(constant, {name: factor}) with which xs depend on the numbers. Each sample may add one number that differs from its first value."""
    factors, first = {}, numbers[0]
    for x, at in zip(xs, numbers):
        new = [u for u in at if at[u] != first[u] and u not in factors]
        if len(new) == 1:
            known = sum(factor * (at[u] - first[u]) for u, factor in factors.items())
            factors[new[0]], rest = divmod(x - xs[0] - known, at[new[0]] - first[new[0]])
            if rest:
                return None
    found = xs[0] - evaluated((0, factors), first), factors
    return found if all(evaluated(found, at) == x for x, at in zip(xs, numbers)) else None

def template(samples):
    """The invariant, {slot: (how, what)}, that samples suggest: (slots, numbers, roles, the last byte of the counter)."""
    found, names = {}, {}
    for role, x in samples[0][2].items():
        names.setdefault(key(x), []).append(role)
    for slot in samples[0][0]:
        xs = [s[0].get(slot) for s in samples]
        if any(x is None for x in xs):
            continue
        roles = [r for r in names.get(key(xs[0]), []) if all(same(s[2][r], x) for s, x in zip(samples, xs))]
        if samples[0][3] is not None and all(same(s[3], x) for s, x in zip(samples, xs)):
            found[slot] = 'low', None
        elif all(isinstance(x, int) for x in xs):
            if form := linear(xs, [s[1] for s in samples]):
                found[slot] = 'number', form
        elif same(*xs):
            found[slot] = 'same', xs[0]
        elif roles:
            found[slot] = 'role', roles[0]
    return found

class Cuts(Call):
    """The calls of a function with one length of keys."""
    def __init__(self, image, backend, name, bits, cuts=None):
        super().__init__(image, backend, bits)
        self.bytes, self.writes, self.target, self.code = 16 * self.group, name != 'authenticate', TARGET, image.code(backend, name)
        self.done = int(name == 'seal')  # groups before the first pass: `seal` hashes each a pass later
        self.ran, self.covered, self.keys, self.h = set(), set(), self.key(), self.some_powers(reflected)
        self.hashes = partial(self.hash, multiply=spec.multiply, h=self.h, form=reversed_bytes)
        self.nonce, self.entry = self.fresh(96), image.kernels[backend, name][0]
        self.memory(NONCE, [self.nonce])
        self.m.mem.allow(MAIN, 56, False)
        self.m.mem.allow(RESULT, 16, True)
        self.arguments(RESULT, STATE, BITS, MAIN)
        self.first, self.templates, self.passes = self.m, {}, set()
        limit({})
        self.cuts = cuts or self.find()
        self.guess_aad()
        self.guess_text()
        self.kept = self.terms.count

    def machine(self, aad_bytes, text_bytes):
        """The machine before the call."""
        m, before = Machine(self.image, self.terms), self.first
        self.m, self.aad_bytes, self.length = m, aad_bytes, text_bytes
        m.mem.cells, m.mem.ranges, m.r, m.v, m.bottom = dict(before.mem.cells), list(before.mem.ranges), list(before.r), list(before.v), before.r[4]
        for i, x in enumerate((NONCE, AAD, aad_bytes, SOURCE, text_bytes, self.target, text_bytes if self.writes else 0)):
            m.mem.put(MAIN + 8 * i, vector(x, 64))
        return m

    def given(self, at, size):
        blocks = self.data(size)
        self.memory(at, blocks)
        return blocks

    def text(self, at, size):
        """A text from `at` bytes on, to be read there and written to the target."""
        if self.writes:
            self.m.mem.allow(self.target + at, size, True)
        return self.given(SOURCE + at, size)
    counter = lambda self, word, j: join([self.nonce, self.terms.sum(word, j % 2**32).move(pieces(8, 3, 2, 1, 0))])
    def crypt(self, word, text):
        each = enumerate(text if self.writes else [])
        return [x ^ spec.cipher(self.terms, self.keys, self.bits, self.counter(word, j)).slice(0, x.n) for j, x in each]

    def roles(self, y, word=None, written=(), near=()):
        """What depends on the pass, by name, in halves of blocks; counters at the distances `near`."""
        found = {('written', j): x for j, x in enumerate(written)} | {('hash',): reversed_bytes(y)} | {('counter', j): self.counter(word, j) for j in near}
        return {(*name, half): plain(x.slice(64 * half, 64)) for name, x in found.items() for half in (0, 1)}

    def begin(self, aad_bytes, text_bytes, groups):
        """Before the call, with `groups` groups of text in sight: what they become, and the hashes before and after each group of AAD and text."""
        m = self.machine(aad_bytes, text_bytes)
        aad, text = self.given(AAD, aad_bytes), self.text(0, self.bytes * groups)
        out = self.crypt(constant(32, 2), text)
        ys = [spec.ZERO, *self.hashes(spec.ZERO, [*aad, spec.ZERO], cut(len(aad), self.group))]
        return m, out, ys, [ys[-1], *self.hashes(ys[-1], [*(out if self.done else text), spec.ZERO], [self.group] * groups)]

    def find(self):
        """The cuts: the first instruction that each pass runs, and the first new one after the loop over AAD."""
        passes = 7
        trace = self.traced(passes * self.bytes, 0, 0)
        head = next(at for at in trace if trace.count(at) == passes)
        last = max(i for i, at in enumerate(trace) if at == head)
        joint, groups = next(at for at in trace[last:] if at not in trace[:last]), 256 // self.group + 4
        # Many groups, with and without a carry in the counters. The first of the places that run most often.
        text = mode(self.traced(0, groups * self.bytes, groups + 1))
        return {'aad': head, 'joint': joint, 'text': text}

    def traced(self, *lengths):
        """The places of the instructions that a call runs."""
        m, *_ = self.begin(*lengths)
        m.run(self.code, self.entry)
        return m.trace

    def guess_aad(self):
        """The invariants of the first two cuts, from calls that differ in one number each."""
        first, samples = {'aad': 2 * self.bytes + 21, 'text': self.bytes + 5, 'target': TARGET, 'groups': 1, 'whole': 0, 'partial': 1}, {'aad': [], 'joint': []}
        changes = [{'aad': n} for n in (1, 16, 3 * self.bytes + 32, 5 * self.bytes + 50)]
        changes += [{'text': self.bytes + 53}, {'text': self.bytes + 64, 'partial': 0}, {'text': 3 * self.bytes + 5, 'groups': 3}, {'text': self.bytes, 'partial': 0, 'whole': 1}]
        for change in ({}, *changes, {'target': TARGET + 64}):
            numbers, at = first | change, self.entry
            self.target = numbers['target']
            m, _, ys, _ = self.begin(numbers['aad'], numbers['text'], 0)
            for i in range(1 if change else 3):
                at = m.run(self.code, at, [self.cuts['aad']])
                samples['aad'].append((slots(m), numbers | {'i': i}, self.roles(ys[i]), None))
            m.run(self.code, at, [self.cuts['joint']])
            samples['joint'].append((slots(m), numbers, self.roles(ys[-1]), None))
        self.templates |= {cut: template(s) for cut, s in samples.items()}

    def guess_text(self):
        """The invariant of the third cut: three passes of a call, and the first passes of others."""
        first, samples = {'aad': 13, 'groups': LEAST + 3, 'rest': 37, 'whole': 0, 'partial': 1, 'target': TARGET}, []
        changes = [{'aad': 0}, {'aad': 30}, {'aad': 64}, {'groups': LEAST + 8}, {'rest': 84}, {'rest': 80, 'partial': 0}, {'rest': 0, 'partial': 0, 'whole': 1}, {'target': TARGET + 64}]
        for change in ({}, *changes):
            numbers, at, near = first | change, self.entry, range(-self.group, 2 * self.group) if self.writes else ()
            self.target = numbers['target']
            m, out, _, ys = self.begin(numbers['aad'], numbers['groups'] * self.bytes + numbers['rest'], self.done + (0 if change else 2))
            for i in range(self.done, self.done + (1 if change else 3)):
                at = m.run(self.code, at, [self.cuts['text']])
                n = 2 + self.group * i
                roles = self.roles(ys[i - self.done], constant(32, n), out[self.group * (i - 1) : self.group * i] if self.done else (), near)
                samples.append((slots(m), numbers | {'i': i}, roles, n % 256))
        self.templates['text'] = template(samples)
        self.near = {what[1] for how, what in self.templates['text'].values() if how == 'role' and what[0] == 'counter'}

    def held(self, place, numbers, roles, low=None):
        """What each slot holds at a cut."""
        found = {'low': lambda _: low, 'same': lambda x: x, 'number': lambda form: evaluated(form, numbers), 'role': lambda role: roles[role]}
        return {slot: found[how](what) for slot, (how, what) in self.templates[place].items()}

    def resume(self, m, place, *known):
        """Registers and stack as a cut has them; what the invariant leaves open may be anything."""
        state = self.held(place, *known)
        half = lambda *at: vector(state[at], 64) if at in state else self.fresh(64)
        m.r = [state.get(('r', j), self.fresh(64)) for j in range(16)]
        m.k = [state.get(('k', j)) for j in range(8)]
        m.v = [[join([half('v', j, n, 0), half('v', j, n, 1)]) for n in range(4)] for j in range(32)]
        for slot, x in state.items():
            if slot[0] == 'm':
                m.mem.put(slot[1], vector(x, 8 * slot[2]))

    def arrives(self, m, place, *known):
        """What a machine at a cut holds must be what the invariant says."""
        if m.next != self.cuts[place]:
            raise Wrong(f'does not come to the cut {place}')
        have = slots(m)
        for slot, x in self.held(place, *known).items():
            if slot not in have or not same(have[slot], x):
                raise TooMuch(place, slot)

    def wrote(self, start, out):
        self.expected = []
        self.expect(self.target + start, *out)
        self.written()
