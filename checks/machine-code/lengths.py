"""All lengths: the loop over whole groups of `seal` and `open`, by induction, joined to its entry and to what follows it.

Three passes of a run with an unknown number of groups show what registers and stack hold at the loop's head: constants, numbers that grow by a
step, counters, the last ciphertext, the hash. This guess is the invariant, and nothing of it is trusted. The entry must reach it. From it, for any
number of passes, any upper bytes of the counter and any hash, the next pass must reach it again, or the code after the loop return the tag."""
from math import gcd
from time import process_time

import specification as spec
from affine import NUMBERS, VARIABLES, Number, Split, make
from call import A, B, C, MAIN, OUT, RESULT, SHAPE, STATE, Call, pieces as cut, reflected, reversed_bytes
from forms import Unknown, Vector, join, pieces
from image import Image
from machine import STACK, Machine
from state import Wrong, plain, vector

SOURCE, TARGET = 0x600000000007, 0x680000000009
MOST = 2**36  # groups and bytes of AAD; the API refuses longer texts
LEAST = 2  # groups

def advance(c, m, at, head=None, counts=None):
    """Runs from `at` to the head, and returns it, or to the end, and returns None."""
    code, first = c.image.code(c.backend, c.name), True
    while at is not None and (first or at != head):
        if at not in code or m.steps > 10**5:
            raise Wrong('jumps out of the function, or does not end')
        first, ins, m.next = False, code[at], code[at].after
        m.steps += 1
        c.ran.add(at)
        if counts is not None:
            counts[at] = counts.get(at, 0) + 1
        try:
            m.step(ins)
        except (Unknown, Wrong) as e:
            raise type(e)(f'{e}, at {at:x}: {ins.text}') from None
        at = m.next
    return at

def limit(bounds):
    """Sets the bounds of the variables, whose values in the example lie far from the places of the entry."""
    VARIABLES.clear()
    NUMBERS.clear()
    VARIABLES.update({v: (low, high, min(high, max(low, 1000))) for v, (low, high) in bounds.items()})

def variable(v):
    return make(0, {v: 1}) if VARIABLES[v][0] < VARIABLES[v][1] else VARIABLES[v][0]

def key(x):
    return (x.c, tuple(sorted(x.terms.items()))) if isinstance(x, Number) else x if x is None or isinstance(x, int) else x.key()

def same(*xs):
    return len({key(x) for x in xs}) == 1

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

class Loop:
    """A call for texts of whole groups and a rest, cut at the head of the loop over groups."""

    def __init__(self, image, backend, name, bits, rest, in_place, aads):
        c = self.c = Call(image, backend, bits)
        self.rest, self.target, self.aads, self.group, self.bytes = rest, SOURCE if in_place else TARGET, aads, c.group, 16 * c.group
        c.name, c.ran, self.keys, self.h = name, set(), c.key(), {k: c.fresh() for k in range(1, c.powers + 1)}
        c.hash_state(self.h, reflected)
        self.nonce, self.aad = c.fresh(96), c.data(max(aads))
        self.entry = image.kernels[backend, name][0]
        self.done = int(name == 'seal')  # groups before the first pass: `seal` hashes each a pass later
        c.memory(MAIN + 0x10003, [self.nonce])
        c.m.mem.allow(MAIN, 56, False)
        c.m.mem.allow(RESULT, 16, True)
        c.m.r[OUT], c.m.r[A], c.m.r[C] = RESULT, STATE, MAIN
        c.bits_in(B)
        self.first = c.m

    def machine(self, groups, aad_bytes):
        """The machine before the call."""
        m, before = Machine(self.c.image, self.c.terms), self.first
        self.c.m, self.aad_bytes, self.length = m, aad_bytes, groups * self.bytes + self.rest
        m.mem.cells, m.mem.ranges, m.r, m.v, m.bottom = dict(before.mem.cells), list(before.mem.ranges), list(before.r), list(before.v), before.r[4]
        for i, x in enumerate((MAIN + 0x10003, MAIN + 0x20005, aad_bytes, SOURCE, self.length, self.target, self.length)):
            m.mem.put(MAIN + 8 * i, vector(x, 64))
        return m

    def text(self, at, size):
        """A text from `at` bytes on, to be read there and written to the target."""
        text, mem = self.c.data(size), self.c.m.mem
        mem.allow(SOURCE + at, size, self.target == SOURCE)
        mem.allow(self.target + at, size, True)
        for i, x in enumerate(text):
            mem.put(SOURCE + at + 16 * i, x)
        return text

    def counter(self, word, j):
        return join([self.nonce, self.c.terms.sum(word, j % 2**32).move(pieces(8, 3, 2, 1, 0))])

    def crypt(self, word, text):
        return [x ^ spec.cipher(self.c.terms, self.keys, self.c.bits, self.counter(word, j)).slice(0, x.n) for j, x in enumerate(text)]

    def hashes(self, y, blocks, counts):
        """The hash after each of `counts` blocks, from y on; all but the last get symbols."""
        found, at = [], 0
        for count in counts:
            total = spec.ZERO
            for i in range(count):
                total ^= spec.multiply(blocks[at + i].widen(128) ^ (spec.ZERO if i else y), self.h[count - i])
            at, y = at + count, total
            if at < len(blocks):
                y = self.c.fresh()
                self.c.m.name(reversed_bytes(total), reversed_bytes(y))
            found.append(y)
        return found

    def roles(self, word, written, y, near):
        """What depends on the pass, by name, in halves of blocks; counters at the distances `near`."""
        found = {('written', j): x for j, x in enumerate(written)} | {('hash',): reversed_bytes(y)} | {('counter', j): self.counter(word, j) for j in near}
        return {(*name, half): plain(x.slice(64 * half, 64)) for name, x in found.items() for half in (0, 1)}

    def begin(self, groups, count, aad_bytes):
        """Before the entry, with `count` groups of text in sight: the text, what it becomes, and the hashes before and after each group."""
        m = self.machine(groups, aad_bytes)
        aad = [x.slice(0, min(128, 8 * (aad_bytes - 16 * i))) for i, x in enumerate(self.aad[: -(-aad_bytes // 16)])]
        self.c.memory(MAIN + 0x20005, aad)
        text = self.text(0, self.bytes * count)
        out = self.crypt(Vector(32, 2), text)
        y = self.hashes(spec.ZERO, [*aad, spec.ZERO], [*cut(len(aad), self.group), 1])[-2] if aad else spec.ZERO
        return m, out, [y, *self.hashes(y, [*(out if self.done else text), spec.ZERO], [self.group] * count)]

    def find_head(self):
        """The first instruction that each pass runs: those of many groups of numbers, with and without a carry in the counters."""
        limit({})
        counts = {}
        m, *_ = self.begin(256 // self.group + 4, 256 // self.group + 5, 0)
        advance(self.c, m, self.entry, None, counts)
        return next(at for at, n in counts.items() if n == max(counts.values()))

    def guess(self):
        """The invariant, {slot: (how, what)}, from three passes with the last AAD, and from the first pass with each."""
        limit({'groups': (LEAST + 3, MOST)})
        seen = []
        for aad_bytes in (self.aads[-1], *self.aads[:-1]):
            m, out, ys = self.begin(variable('groups'), self.done if seen else self.done + 2, aad_bytes)
            at = self.entry
            for i in range(self.done, self.done + (1 if seen else 3)):
                at = advance(self.c, m, at, self.head)
                n = 2 + self.group * i
                written = out[self.group * (i - 1) : self.group * i] if self.done else []
                seen.append((slots(m), self.roles(Vector(32, n), written, ys[i - self.done], range(-self.group, 2 * self.group)), n % 256))
        names = {key(x): role for role, x in seen[2][1].items()}
        self.template = {}
        for slot in seen[0][0]:
            a, b, z, *others = xs = [s[0].get(slot) for s in seen]
            role, number = names.get(key(z)), all(isinstance(x, int) for x in xs)
            if None in map(key, xs) or isinstance(a, Vector) and any(s < 0 for s in a.lin):
                continue
            if [key(x) for x in xs[:3]] == [s[2] for s in seen[:3]]:
                self.template[slot] = 'low', None
            elif same(*xs):
                self.template[slot] = 'number' if number else 'same', (a, 0) if number else a
            elif number and same(a, b, z) and all(same(x - a, n - self.aads[-1]) for x, n in zip(others, self.aads)):
                self.template[slot] = 'aad', a - self.aads[-1]
            elif number and same(b - a, z - b) and not isinstance(b - a, Number) and same(a, *others):
                self.template[slot] = 'number', (a, b - a)
            elif role and all(same(s[1][role], x) for s, x in zip(seen[:3], xs)):
                self.template[slot] = 'role', role
        self.near = {what[1] for how, what in self.template.values() if how == 'role' and what[0] == 'counter'}

    def expected(self, i, m, low, word, written, y):
        """What each slot holds after i groups, with m groups to come."""
        roles, found = self.roles(word, written, y, self.near), {'low': lambda _: low, 'same': lambda x: x, 'aad': lambda c: self.aad_bytes + c}
        found['role'] = lambda role: roles[role]
        in_groups = lambda x: make(x.c, {}) + (i + m) * x.terms.get('groups', 0) if isinstance(x, Number) else x
        found['number'] = lambda what: in_groups(what[0]) + (i - self.done) * what[1] if what[1] else in_groups(what[0])
        return {slot: found[how](what) for slot, (how, what) in self.template.items()}

    def compare(self, m, want):
        have = slots(m)
        for slot, x in want.items():
            if slot not in have or not same(have[slot], x):
                raise Wrong(f'the invariant fails in {slot}')

    def enter(self, aad_bytes):
        """From the entry to the head, with the invariant before the first pass."""
        to_come = variable('m')
        m, out, ys = self.begin(to_come + self.done, self.done, aad_bytes)
        if advance(self.c, m, self.entry, self.head) is None:
            raise Wrong('returns before the loop')
        n = 2 + self.group * self.done
        self.compare(m, self.expected(self.done, to_come, n, Vector(32, n), out, ys[0]))
        if any(m.mem.get(self.target + 16 * j, 16) != x for j, x in enumerate(out)):
            raise Wrong('the target of the entry')

    def step(self, least, way=0):
        """From the head after i groups, with m groups to come, to the head again, or to the end."""
        c, group = self.c, self.group
        i, to_come, low = variable('i'), variable('m'), 2 % gcd(group, 256) + variable('u') * gcd(group, 256)
        last = not isinstance(to_come, Number)
        m = self.machine(i + to_come, variable('aad'))
        word, start, y = join([vector(low, 8), c.fresh(24)]), i * self.bytes, c.fresh()
        text = self.text(start, self.bytes * to_come + self.rest if last else self.bytes)
        written = [c.fresh() for _ in range(group)] if self.done else []
        if self.done:
            m.mem.allow(self.target + start - self.bytes, self.bytes, False)
        for j, x in enumerate(written):
            m.mem.put(self.target + start - self.bytes + 16 * j, x)
        state = self.expected(i, to_come, low, word, written, y)
        half = lambda *at: vector(state[at], 64) if at in state else c.fresh(64)
        m.r = [state.get(('r', j), c.fresh(64)) for j in range(16)]
        m.k = [state.get(('k', j)) for j in range(8)]
        m.v = [[join([half('v', j, n, 0), half('v', j, n, 1)]) for n in range(4)] for j in range(32)]
        for slot, x in state.items():
            if slot[0] == 'm':
                m.mem.put(slot[1], vector(x, 8 * slot[2]))
        out = self.crypt(word, text)
        blocks, ways = written + (out if self.done else text), [[group]]
        if last:
            tail, whole = len(text) - group * to_come, [group] * (to_come + self.done)
            ways = [whole + [tail + 1], whole + [tail, 1]] if tail else [whole[:-1] + [group + 1], whole + [1]]
            number = lambda x: vector(8 * x, 64).move(pieces(8, *range(7, -1, -1)))
            blocks.append(join([number(self.aad_bytes), number(self.length)]))
        ys = self.hashes(y, blocks + ([] if last else [spec.ZERO]), ways[way])
        try:
            if advance(c, m, self.head, self.head) is not None:
                if last or VARIABLES['m'][0] <= least:
                    raise Wrong('comes back with too few groups to come')
                self.compare(m, self.expected(i + 1, to_come - 1, low + group & 255, c.terms.sum(word, group), out[:group] if self.done else [], ys[0]))
                out = out[:group]
            elif not last or m.mem.get(RESULT, 16) != ys[-1] ^ spec.cipher(c.terms, self.keys, c.bits, spec.counter_block(self.nonce, 1)):
                raise Wrong('the tag')
            elif any(m.r[j] != x for j, x in c.saved.items()):
                raise Wrong('a register is not preserved')
            if any(m.mem.get(self.target + start + 16 * j, x.n // 8) != x for j, x in enumerate(out)):
                raise Wrong('the target')
        except (Unknown, Wrong):
            if way + 1 == len(ways):
                raise
            self.step(least, way + 1)

def split(prove, bounds):
    """Proves for all values within bounds, which are divided where the code goes different ways; returns the number of parts."""
    todo, count = [bounds], 0
    while todo:
        part = todo.pop()
        limit(part)
        try:
            prove()
            count += 1
        except Split as s:
            v, at = s.args
            low, high = part[v]
            if not low < at <= high:
                raise Unknown(f'a division of {v} at {at}') from None
            todo += [{**part, v: (low, at - 1)}, {**part, v: (at, high)}]
    return count

def prove_rest(image, backend, name, bits, rest, head=None):
    """All texts of at least two groups and this rest: the number of parts, and the loop. Entries for three lengths of AAD, the others for any."""
    group = 16 * SHAPE[backend][0] * SHAPE[backend][1]
    loop = Loop(image, backend, name, bits, rest, bool((rest + bits // 128) % 2), (0, 13, group + 21))
    loop.head = head or loop.find_head()
    loop.guess()
    # The groups to come in the last pass: `open` of some backends leaves a whole last group to the code after the loop.
    for least in range(1, LEAST - loop.done + 1):
        try:
            passes = {'i': (loop.done, MOST), 'm': (least, MOST), 'u': (0, 256 // gcd(loop.group, 256) - 1), 'aad': (0, MOST)}
            count = split(lambda: loop.step(least), passes)
            break
        except (Unknown, Wrong):
            if least == LEAST - loop.done:
                raise
    return count + sum(split(lambda: loop.enter(a), {'m': (LEAST - loop.done, MOST)}) for a in loop.aads), loop

def prove_rests(library, backend, name, share=1):
    """For every `share`th rest and both key sizes: how many are proved, of how many, in how many parts, what failed, and the seconds."""
    image, head, proved, parts, failed, began = Image(library), None, 0, 0, [], process_time()
    group = 16 * SHAPE[backend][0] * SHAPE[backend][1]
    cases = [(bits, rest) for rest in range(group) for bits in (128, 256)][::share]
    for bits, rest in cases:
        try:
            count, loop = prove_rest(image, backend, name, bits, rest, head)
            head, proved, parts = loop.head, proved + 1, parts + count
        except (Unknown, Wrong) as e:
            failed.append(f'{type(e).__name__.lower()}: {backend} {name}, all lengths with a rest of {rest}, AES-{bits}: {e}')
    return proved, len(cases), parts, failed, process_time() - began
