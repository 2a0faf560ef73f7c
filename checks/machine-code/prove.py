#!/usr/bin/env python3
"""Proves kernels of a library: prove.py LIBRARY PACKED [--whole] [--encodings] [--only=PART OF `backend function`]. See docs/proof.md."""
import sys
import time

import faults
import judge
import sweeps
from cases import PROOFS
from forms import Unknown
from image import Image, section
from state import Wrong


def same_code(library, packed):
    """The package's binary was stripped of its symbols, and is otherwise the library."""
    ours, theirs = (open(path, 'rb').read() for path in (library, packed))
    for name in ('.text', '.rodata'):
        if section(ours, name) != section(theirs, name):
            raise SystemExit(f'{name} of {packed} is not that of {library}')


def prove_function(library, backend, name, cases):
    """Proves cases of one function; returns its instructions, those that ran, and what failed."""
    image = Image(library)
    code = image.code(backend, name)
    ran, failed, began, steps = set(), [], time.process_time(), 0
    for case in cases:
        try:
            m = PROOFS[name](image, backend, name, *case)
            ran |= m.covered
            steps += m.steps
        except (Wrong, Unknown) as e:
            failed.append(f'{type(e).__name__.lower()}: {backend} {name}{case}: {e}')
    real = {at for at, ins in code.items() if ins.op != 'nop'}
    left = [f'{backend} {name} {at:x}: {code[at].text}' for at in sorted(real - ran)]
    return len(real), steps, left, failed, time.process_time() - began


def judged_by_cpu(library, kernels, share):
    if not judge.able():
        print('not judged: this CPU has no AVX-512, so the executor was not compared with it')
        return
    image = Image(library)
    count, runs, silent, wrong = judge.judged(image, kernels, share)
    found, missed = judge.seeded(image, kernels)
    print(f'judged by the CPU: {count} encodings, {runs} runs; seeded and found: {found} faults of the executor')
    if silent or wrong or missed:
        print(*(f'not run: {x}' for x in silent), *wrong, *(f'seeded and not found: {x}' for x in missed), sep='\n')
        raise SystemExit(1)


def main():
    library, packed, *options = sys.argv[1:]
    whole = '--whole' in options
    only = next((x[7:] for x in options if x.startswith('--only=')), '')
    same_code(library, packed)
    began, proved, in_code, executed, never, problems = time.time(), 0, 0, 0, [], []
    kernels = [x for x in sweeps.all_functions() if only in ' '.join(x)]
    for i, (backend, name) in enumerate(kernels):
        cases = sweeps.bounded(backend, name) if whole else sweeps.sample(backend, name, 97, 13 * i)
        real, steps, left, failed, seconds = prove_function(library, backend, name, cases)
        problems += failed
        never += left
        proved, in_code, executed = proved + len(cases) - len(failed), in_code + real, executed + steps
        print(f'{backend} {name}: {len(cases) - len(failed)} of {len(cases)} cases proved, {real - len(left)} of {real} instructions ran, {seconds:.1f} s', flush=True)
    for text in never if whole else ():
        print(f'no case ran {text}')
    if problems:
        print(*problems[:40], sep='\n')
        raise SystemExit(1)
    kinds, survivors = faults.plant(library, 1 if whole else 4)
    print(f'planted and refuted: {sum(kinds.values())} faults: ' + ', '.join(f'{n} in {kind}' for kind, n in sorted(kinds.items())))
    if survivors or not kinds:
        print(*survivors, sep='\n')
        raise SystemExit(1)
    if not only:
        judged_by_cpu(library, kernels, 1 if '--encodings' in options else 10 if whole else 60)
    print(f'{len(kernels)} kernels: {proved} cases proved, {in_code - len(never)} of {in_code} instructions ran, {executed} steps, {time.time() - began:.0f} s')


if __name__ == '__main__':
    main()
