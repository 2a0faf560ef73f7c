"""Faults planted into the code and the constants that a case runs; the proof of that case must not survive any of them.

A fault that changes no bit of any result is not one, and is left out by its form: a load that only the alignment of a line needs."""
import re
from collections import Counter
from functools import partial

from cases import prove
from forms import Unknown
from image import Memory
from lengths import LOOPED, Loop
from state import Wrong, plain

# Name, pattern of the instruction, and what is flipped in its last byte, or in the condition of a jump, which its opcode holds.
BYTES = [
    ('the halves of a carry-less product', r'v?pclmul.*', 1),
    ('the order of words', r'v?pshufd .*', 4),
    ('a truth table', r'vpternlog.*', 0x0f),
    ('a lane that is taken out', r'vextracti.*', 1),
    ('a lane that is put in', r'vinserti.*', 1),
    ('a shift of bytes', r'v?psl+dq .*', 4),
    ('a halves exchange', r'vshufpd .*', 1),
    ('the address of a round key', r'(?:v?movdq[ua]|vbroadcasti\S*) [xyz]mm\d+,.*\[r\w\w?\+0x[1-9a-e]0\]', 0x10),
    ('the condition of a jump', r'j(?:e|ne|a|b|ae|be) .*', 1),
]
CONSTANTS = r'v?(?:pshufb|paddd|movdqa(?:64)?|pbroadcastq|movq) .*\[rip.*'

def candidates(code, ran):
    """(name, [(address, flipped bits)]) for each kind of fault in the instructions that ran."""
    seen = set()
    for at in sorted(ran):
        ins = code[at]
        for name, pattern, flip in BYTES:
            if name not in seen and re.fullmatch(pattern, ins.text):
                seen.add(name)
                yield name, ins, [(at + (ins.raw[0] == 0x0f) if ins.op[0] == 'j' else ins.after - 1, flip)]
        for o in ins.args:
            if isinstance(o, Memory) and o.base is None and o.index is None and o.offset not in seen and re.match(CONSTANTS, ins.text):
                seen.add(o.offset)
                # In every block of the constant: some instructions use one block of it alone.
                yield 'a constant', ins, [(o.offset + 3 + 16 * j, 1) for j in range(max(1, o.bits // 128))]

CASES = [('seal', 256, 20, 700), ('open', 256, 20, 4400), ('authenticate', 128, 20, 700), ('keystream', 128, 0, 4080), ('keystream', 128, 0, 8500), ('seal_pair', 256, 13, 40, False, 13),
         ('seal_siv', 256, 20, 1100), ('open_siv', 128, 20, 1100), ('expand', 256), ('derive', 256, 9), ('derive_siv', 256, 9), ('expand_schedule', 128)]

class Guess(Exception):
    """The fault shows in the runs that suggest an invariant, before anything is proved."""
def bounded(image, backend):
    """Proofs of exact lengths: (name, what, instructions that ran, the same proof of another image)."""
    for name, *case in CASES:
        # The code of powers and schedules differs little between the backends.
        if name[:3] not in ('exp', 'der') or backend == 'aesni':
            yield name, tuple(case), prove(image, backend, name, case).trace, partial(prove, backend=backend, name=name, case=case)

def inductive(image, backend):
    """Proofs of all lengths, for a share of the last groups of AAD and one rest."""
    for name in LOOPED:
        loop = induction(image, backend, name)
        yield name, ', all lengths', loop.covered, partial(induction, backend=backend, name=name, cuts=loop.cuts)

def induction(image, backend, name, cuts=None):
    try:
        loop = Loop(image, backend, name, 128, cuts)
    except (Wrong, Unknown) as e:
        raise Guess(str(e)) from None
    loop.weakened(loop.prove_aad, 36)
    loop.weakened(loop.prove_text, 37, False)
    return loop

def plant(image, backend, share, proofs):
    """Plants every `share`th candidate in code that proofs run; returns how many were refuted by kind, those that survived all, how many stopped."""
    kinds, survivors, refuted, guessed, order = Counter(), {}, set(), set(), {}
    for name, case, ran, again in proofs(image, backend):
        for kind, ins, flips in candidates(image.code(backend, name), ran):
            fault = name, kind, tuple(flips)
            if order.setdefault(fault, len(order)) % share:
                continue
            try:
                again(image.changed(flips))
                survivors[fault] = f'{kind}: {backend} {name}{case}: {ins.text}'
            except Guess:
                guessed.add(fault)
            except (Wrong, Unknown):
                refuted.add(fault)
                kinds[kind] += 1
    return kinds, [text for fault, text in survivors.items() if fault not in refuted], len(guessed - refuted)

def plant_invariants(image):
    """A wrong number, role and value in each invariant of a function, which the induction must find; returns how many, and those it does not."""
    loop, found, survivors = induction(image, 'aesni', 'seal'), 0, []
    over_aad, over_text = partial(loop.prove_aad, 36), partial(loop.prove_text, 37, False)
    wrong = {'number': lambda form: (form[0] + 1, form[1]), 'role': lambda role: (*role[:-1], 1 - role[-1]), 'same': lambda _: plain(loop.fresh(64))}
    for place, theorem in (('aad', over_aad), ('joint', over_aad), ('text', over_text)):
        good = loop.templates[place]
        for kind, change in wrong.items():
            slot, what = next((slot, what) for slot, (how, what) in good.items() if how == kind)
            loop.templates[place] = good | {slot: (kind, change(what))}
            loop.passes.clear()
            try:
                theorem()
                survivors.append(f'planted and proved: another {kind} in {slot} at the cut {place}')
            except (Wrong, Unknown):
                found += 1
        loop.templates[place] = good
    return found, survivors
