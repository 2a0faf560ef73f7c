"""Invariants of cuts: what registers and stack hold there, suggested by samples. `lengths.py` proves or weakens them."""
from affine import NUMBERS, VARIABLES, Number, make
from machine import STACK
from state import Wrong, plain

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
