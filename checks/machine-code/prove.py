#!/usr/bin/env python3
"""Proves kernels of a library: prove.py LIBRARY PACKED [--whole] [--lengths] [--encodings] [--only=PART OF `backend function`]. See docs/proof.md."""
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import faults
import judge
import sweeps
from cases import prove
from examples import differs
from forms import Unknown
from image import Image, section
from lengths import prove_lengths
from reasons import explain, needless
from state import Wrong

def same_code(library, packed):
    """The package's binary was stripped of its symbols, and is otherwise the library."""
    ours, theirs = (open(path, 'rb').read() for path in (library, packed))
    for name in ('.text', '.rodata'):
        if section(ours, name) != section(theirs, name):
            raise SystemExit(f'{name} of {packed} is not that of {library}')

def prove_cases(library, backend, name, cases):
    """Proves cases of one function; returns which instructions ran, how many steps they were, what failed, and the seconds."""
    image = Image(library)
    ran, failed, began, steps = set(), [], time.process_time(), 0
    for case in cases:
        try:
            m = prove(image, backend, name, case)
            ran |= m.covered
            steps += m.steps
        except (Wrong, Unknown) as e:
            example = differs(image, backend, name, case) if isinstance(e, Unknown) and len(failed) < 3 else ''
            failed.append(f'{"wrong" if isinstance(e, Wrong) else "unknown"}: {backend} {name}{case}: {e}{example}')
    return ran, steps, failed, time.process_time() - began

def sweeps_of(pool, library, kernels, whole):
    """Begins to prove the cases of all kernels; yields for each (kernel, cases, ran, steps, failed, seconds)."""
    begun = []
    for i, (backend, name) in enumerate(kernels):
        cases = sweeps.bounded(backend, name) if whole else sweeps.sample(backend, name, 97, 13 * i)
        count = len(cases) // 600 + 1
        begun.append((len(cases), [pool.submit(prove_cases, library, backend, name, cases[at::count]) for at in range(count)]))
    return ((kernel, count, *collected([part.result() for part in parts])) for kernel, (count, parts) in zip(kernels, begun))

def collected(parts):
    ran, steps, failed, seconds = zip(*parts)
    return set().union(*ran), sum(steps), sum(failed, []), sum(seconds)

def stop(problems):
    """Ends the process if there are problems."""
    if problems:
        print(*problems[:40], sep='\n', flush=True)
        raise SystemExit(1)

def judged_by_cpu(library, kernels, share):
    kernels = [x for x in kernels if judge.able(x[0])]
    if not kernels:
        print('not judged: this CPU has no AVX2, so the executor was not compared with it')
        return
    count, runs, jumps, short, entries, wrong = judge.judged(Image(library), kernels, share)
    found, missed = judge.seeded(Image(library), kernels)
    print(f'judged by the CPU: {", ".join(dict.fromkeys(x[0] for x in kernels))}: {count} encodings, {runs} runs; jumps and returns, {jumps} runs ({short} too short); {entries} entries of jump tables; '
          f'seeded and found: {found} faults of the executor')
    stop(wrong + [f'seeded and not found: {x}' for x in missed])

def main():
    library, packed, *options = sys.argv[1:]
    whole, inductive = '--whole' in options, '--lengths' in options
    only = next((x[7:] for x in options if x.startswith('--only=')), '')
    same_code(library, packed)
    pool = ProcessPoolExecutor()
    try:
        last = prove_all(pool, library, whole, inductive, only)
        if not only:
            judged_by_cpu(library, sweeps.all_functions(), 1 if '--encodings' in options else 10 if whole else 60)
        print(last)
    finally:
        pool.shutdown(cancel_futures=True)

def prove_all(pool, library, whole, inductive, only):
    """The sweeps, the inductions and the planted faults, on all CPUs; returns a line that sums up."""
    began, proved, in_code, executed, left, problems, reasons, all_code = time.time(), 0, 0, 0, 0, [], {}, []
    kernels, image = [x for x in sweeps.all_functions() if only in ' '.join(x)], Image(library)
    swept = sweeps_of(pool, library, kernels, whole)
    looped = [x for x in kernels if x[1] in ('seal', 'open', 'authenticate')]
    loops = [(*x, bits) for i, x in enumerate(looped) for bits in (128, 256) if whole or inductive or bits == (128, 256)[i % 2]]
    lengths = [pool.submit(prove_lengths, library, *x, 1 if inductive else 31 if whole else 193) for x in loops]
    if not only:
        planted = pool.submit(faults.plant, library, 1 if whole else 4)
        into_loops = pool.submit(faults.plant_lengths, library, 1 if inductive else 7 if whole else 29)
        into_invariants = pool.submit(faults.plant_invariants, library)
    for (backend, name), count, ran, steps, failed, seconds in swept:
        code = image.code(backend, name)
        real = {at for at, ins in code.items() if ins.op != 'nop'}
        all_code.append((code, ran, f'{backend} {name}'))
        explained, unexplained = explain(*all_code[-1])
        problems += failed + [f'no case runs, without a reason: {x}' for x in unexplained if whole]
        for reason, n in explained.items():
            reasons[reason] = reasons.get(reason, 0) + n
        proved, in_code, executed, left = proved + count - len(failed), in_code + len(real), executed + steps, left + len(real - ran)
        print(f'{backend} {name}: {count - len(failed)} of {count} cases proved, {len(real & ran)} of {len(real)} instructions ran, {seconds:.1f} s', flush=True)
    for reason, n in sorted(reasons.items(), key=lambda x: -x[1]) if whole else ():
        print(f'{n} instructions that no case runs: {reason}')
    if whole and not only:
        problems += [f'planted and not found: the deletion of the reason `{x}`' for x in needless(all_code)]
    stop(problems)
    for (*loop, bits), done in zip(loops, lengths):
        rests, of, parts, failed, seconds = done.result()
        print(f'{" ".join(loop)}, AES-{bits}, all lengths: additional data and {rests} of {of} rests of texts proved, in {parts} parts, {seconds:.1f} s', flush=True)
        problems += failed
    stop(problems)
    if not only:
        (kinds, survivors), (inductions, alive), (invariants, kept) = planted.result(), into_loops.result(), into_invariants.result()
        print(f'planted and refuted: {sum(kinds.values())} faults: ' + ', '.join(f'{n} in {kind}' for kind, n in sorted(kinds.items())) + f'; by induction: {sum(inductions.values())}; in invariants: {invariants}')
        stop(survivors + alive + kept + ([] if kinds and inductions else ['nothing was planted']))
    return f'{len(kernels)} kernels: {proved} cases proved, {in_code - left} of {in_code} instructions ran, {executed} steps, {time.time() - began:.0f} s'

if __name__ == '__main__':
    main()
