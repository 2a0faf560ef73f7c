"""All lengths of `seal`, `open` and `authenticate`: by induction over the groups of additional data, and over those of the text.

Each segment between call, cuts and return is proved to reach the invariant at its end from the invariant at its start, for any lengths, any
upper bytes of the counter and any hash. docs/proof.md lists the segments."""
from math import gcd
from time import process_time

import specification as spec
from affine import VARIABLES, Number, Split
from call import RESULT, SHAPE, either, endings
from cuts import AAD, LEAST, SOURCE, TARGET, Cuts, TooMuch, limit, variable
from forms import Unknown, constant, join, pieces
from state import Wrong, vector

MOST = 2**32  # groups of text, and blocks of AAD: more than SP 800-38D allows, and no two ranges of such lengths meet
ANY_AAD = 0, 16 * MOST + 16
LOOPED = 'seal', 'open', 'authenticate'

class Loop(Cuts):
    """The segments of the calls of a function, and the theorems that they add up to."""
    def call_to_aad(self):
        """AAD of 16 p + s bytes; a text of g groups, b blocks, and t bytes."""
        aad, text = 16 * variable('p') + variable('s'), self.bytes * variable('g') + 16 * variable('b') + variable('t')
        self.target = variable('target')
        m = self.machine(aad, text)
        m.run(self.code, self.entry, [self.cuts['aad']])
        self.arrives(m, 'aad', {'aad': aad, 'text': text, 'target': self.target, **self.of_text(variable('g')), 'i': 0}, self.roles(spec.ZERO))

    def of_text(self, groups, rest=None):
        """What an invariant may know of a text besides its length: its groups, whether there is more, and whether its last block is partial."""
        known = isinstance(rest, int) and not isinstance(rest, Number)
        whole, partial = (int(rest == 0), int(rest % 16 > 0)) if known else (variable('whole'), variable('partial'))
        return {'groups': groups, 'whole': whole, 'partial': partial}

    def aad_on(self, last=0):
        """A whole group of AAD with more to come, or the last group, of `last` bytes."""
        i, size, text, self.target = variable('i'), last or self.bytes, variable('text'), variable('target')
        aad = i * self.bytes + size + (0 if last else variable('more'))
        m, y = self.machine(aad, text), self.fresh()
        numbers = {'aad': aad, 'text': text, 'target': self.target, **self.of_text(variable('g'))}
        blocks = self.given(AAD + i * self.bytes, size)
        self.resume(m, 'aad', numbers | {'i': i}, self.roles(y))
        y, = self.hashes(y, [*blocks, spec.ZERO], [len(blocks)])
        m.run(self.code, self.cuts['aad'], [self.cuts['aad'], self.cuts['joint']])
        self.arrives(m, 'joint' if last else 'aad', numbers | {'i': i + 1}, self.roles(y))

    def at_joint(self, aad_bytes, groups, rest, visible):
        """A machine behind the loop over AAD, or before a call without AAD: where it is, a text in sight, and the hash."""
        text_bytes = groups * self.bytes + rest
        m, y = self.machine(aad_bytes, text_bytes), spec.ZERO
        text = self.text(0, visible)
        if not VARIABLES['aad'][1]:
            return m, self.entry, text, y
        y = self.fresh()
        self.resume(m, 'joint', {'aad': aad_bytes, 'text': text_bytes, 'target': self.target, **self.of_text(groups, rest)}, self.roles(y))
        return m, self.cuts['joint'], text, y

    # What the invariant of the third cut may depend on.
    numbers = lambda self, aad, groups, rest, i: {'aad': aad, 'rest': rest, **self.of_text(groups, rest), 'target': self.target, 'i': i}
    def joint_to_text(self, rest):
        """At least two groups of text; with any AAD, or without."""
        aad_bytes, groups = variable('aad'), variable('m') + self.done
        m, at, text, y = self.at_joint(aad_bytes, groups, rest, self.done * self.bytes)
        out = self.crypt(constant(32, 2), text)
        m.run(self.code, at, [self.cuts['text']])
        n = 2 + self.group * self.done
        self.arrives(m, 'text', self.numbers(aad_bytes, groups, rest, self.done), self.roles(y, constant(32, n), out, self.near), n)
        self.wrote(0, out)

    def joint_to_end(self, size):
        """A text of exactly this size."""
        def end(way):
            m, at, text, y = self.at_joint(variable('aad'), *divmod(size, self.bytes), size)
            out = self.crypt(constant(32, 2), text)
            self.ends(m, at, 0, out, out if self.done else text, y, way)
        either(endings(-(-size // 16), self.group), end)

    def text_on(self, rest, least):
        """From the head after i groups, with m groups to come, to the head again, or to the end."""
        group, i, to_come, aad_bytes = self.group, variable('i'), variable('m'), variable('aad')
        low, start = 2 % gcd(group, 256) + variable('u') * gcd(group, 256), i * self.bytes
        last = not isinstance(to_come, Number) and to_come <= least
        size = self.bytes * to_come + rest if last else self.bytes

        def begun():
            m = self.machine(aad_bytes, (i + to_come) * self.bytes + rest)
            word, y = join([vector(low, 8), self.fresh(24)]), self.fresh()
            text = self.text(start, size)
            written = self.given(self.target + start - self.bytes, self.bytes) if self.done else []
            self.resume(m, 'text', self.numbers(aad_bytes, i + to_come, rest, i), self.roles(y, word, written, self.near), low)
            out = self.crypt(word, text)
            return m, word, y, out, written + (out if self.done else text)

        def end(way):
            m, _, y, out, blocks = begun()
            self.ends(m, self.cuts['text'], start, out, blocks, y, way)

        if last:
            return either(endings(-(-size // 16) + self.done * group, group), end)
        m, word, y, out, blocks = begun()
        y, = self.hashes(y, [*blocks, spec.ZERO], [group])
        if m.run(self.code, self.cuts['text'], [self.cuts['text']]) is not None and VARIABLES['m'][0] <= least:
            raise Wrong('comes back with too few groups to come')
        word = self.terms.sum(word, group)
        self.arrives(m, 'text', self.numbers(aad_bytes, i + to_come, rest, i + 1), self.roles(y, word, out[:group] if self.done else (), self.near), low + group & 255)
        self.wrote(start, out[:group])

    def ends(self, m, at, start, out, blocks, y, way):
        """Runs to the end, which must give the text and the tag."""
        number = lambda x: vector(8 * x, 64).move(pieces(8, *range(7, -1, -1)))
        y = self.hashes(y, [*blocks, join([number(self.aad_bytes), number(self.length)])], way)[-1]
        if m.run(self.code, at, [at]) is not None:
            raise Wrong('comes back with too few groups to come')
        self.wrote(start, out)
        self.expect(RESULT, y ^ spec.cipher(self.terms, self.keys, self.bits, spec.counter_block(self.nonce, 1)))
        self.returned()

    def split(self, prove, **bounds):
        """Proves for all values within bounds, which are divided where the code goes different ways; returns the number of parts."""
        todo, count = [bounds], 0
        while todo:
            part = todo.pop()
            limit(part)
            self.terms.count = self.kept
            try:
                prove()
                self.ran.update(self.m.trace)
                count += 1
            except Split as s:
                v, at = s.args
                low, high = part[v]
                if not low < at <= high or len(todo) > 50:
                    raise Unknown(f'a division of {v} at {at}') from None
                todo += [{**part, v: (low, at - 1)}, {**part, v: (at, high)}]
        return count

    def weakened(self, prove, *args):
        """Proves again from the start with a weaker invariant, which says nothing of the slot where it failed."""
        for _ in range(60):
            self.ran.clear()
            try:
                parts = prove(*args)
                self.covered |= self.ran
                return parts
            except TooMuch as e:
                how, _ = self.templates[e.place].pop(e.slot)
                if how == 'role':
                    raise
        raise Wrong('no invariant')

    def texts(self, least):
        """Bounds for all texts of at least so many blocks: with a partial block, of blocks, and of groups."""
        for partial, whole, b in ((1, 0, (0, self.group - 1)), (0, 0, (1, self.group - 1)), (0, 1, (0, 0))):
            some = max(b[0], least - partial), b[1]
            for g, blocks in ((0, 0), some), ((1, MOST + 1), b):
                if blocks[0] <= blocks[1]:
                    yield {'g': g, 'b': blocks, 't': (partial, 15 * partial), 'partial': (partial, partial), 'whole': (whole, whole)}

    def prove_aad(self, share=1):
        """All AAD but none, all texts, up to the cut behind the loop, if both together have more blocks than a group; a share of the last groups."""
        least, target = self.group if self.writes else 0, (0, 2**47)
        starts = [{'p': (p, p), **text} for p in range(0, least, share) for text in self.texts(least - p)]
        starts += [{'p': (least, MOST), **text} for text in self.texts(0)]
        bounds = {'i': (0, MOST // self.group), 'text': (0, self.bytes * (MOST + 2)), 'g': (0, MOST + 1), 'whole': (0, 1), 'partial': (0, 1), 'target': target}
        count = sum(self.split(lambda: self.aad_on(last), **bounds) for last in sampled(1, self.bytes, share))
        count += self.split(self.aad_on, more=(1, ANY_AAD[1]), **bounds)
        return count + sum(self.split(self.call_to_aad, s=(1, 16), target=target, **start) for start in starts)

    def prove_text(self, rest, in_place):
        """All texts with this rest, after any AAD: from the cut behind its loop, or without AAD from the call, if there are two groups."""
        self.target, some = SOURCE if in_place else TARGET, {'aad': (1, ANY_AAD[1])}
        count = sum(self.split(lambda: self.joint_to_end(n * self.bytes + rest), **some) for n in range(LEAST))
        for aad in ((0, 0), some['aad']):
            count += self.split(lambda: self.joint_to_text(rest), aad=aad, m=(LEAST - self.done, MOST))
        others = {'i': (self.done, MOST), 'u': (0, 256 // gcd(self.group, 256) - 1), 'aad': ANY_AAD}
        # The groups to come in the last pass: `open` of some backends leaves a whole last group to the code after the loop.
        for least in range(1, LEAST - self.done + 1):
            # Other passes are proved for all rests at once, and again when the invariant says less.
            passes = least, in_place, rest > 0, len(self.templates['text'])
            try:
                if passes not in self.passes:
                    rests, whole = ((1, self.bytes - 1), (0, 0)) if rest else ((0, 0), (1, 1))
                    count += self.split(lambda: self.text_on(variable('rest'), least), m=(least + 1, MOST), rest=rests, whole=whole, partial=(0, 1), **others)
                    self.passes.add(passes)
                return count + self.split(lambda: self.text_on(rest, least), m=(least, least), **others)
            except (Unknown, Wrong) as e:
                if isinstance(e, TooMuch) or least == LEAST - self.done:
                    raise

def sampled(first, last, share):
    """Every `share`th length, and always the ends of the range and a whole block."""
    return sorted({first, 16, last, *range(first + 37 % share, last + 1, share)})

def prove_lengths(image, backend, name, bits, share=1):
    """For AAD and every `share`th rest: what ran, how many are proved, of how many, in how many parts, what failed, and the seconds."""
    began, parts, proved, failed, loop = process_time(), 0, 0, [], None
    rests = sampled(0, 16 * SHAPE[backend][0] * SHAPE[backend][1] - 1, share)
    try:
        loop = Loop(image, backend, name, bits)
        parts += loop.weakened(loop.prove_aad, share)
        for rest in rests:
            parts += loop.weakened(loop.prove_text, rest, bool((rest + bits // 128) % 2))
            proved += 1
    except (Unknown, Wrong) as e:
        failed = [f'not proved: {backend} {name}, all lengths, AES-{bits}, after {proved} rests: {e}']
    return loop.covered if loop else set(), proved, len(rests), parts, failed, process_time() - began
