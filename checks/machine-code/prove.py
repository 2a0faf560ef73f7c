"""Proves kernels of a library: prove.py LIBRARY PACKED [--whole] [--lengths] [--encodings]. See docs/proof.md."""
import gc
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import faults
import judge
from call import SHAPE
from cases import KERNELS, bounded, prove, sample
from examples import differs
from forms import Unknown
from image import contents, opened
from lengths import LOOPED, prove_lengths
from reasons import explain, needless
from state import Wrong

gc.set_threshold(50_000, 50)  # most objects are patterns, which stay

def prove_cases(image, backend, name, cases):
    """Proves cases of one function; returns which instructions ran, how many steps they were, what failed, and the seconds."""
    ran, failed, began, steps = set(), [], time.process_time(), 0
    for case in cases:
        try:
            m = prove(image, backend, name, case)
            ran.update(m.trace)
            steps += len(m.trace)
        except (Wrong, Unknown) as e:
            example = differs(image, backend, name, case) if len(failed) < 3 else ''
            failed.append(f'{"wrong" if isinstance(e, Wrong) or example else "unknown"}: {backend} {name}{case}: {e}{example}')
    return ran, steps, failed, time.process_time() - began

def judge_cpu(image, share):
    """A line that says what the CPU judged, and what differs."""
    kernels = [x for x in KERNELS if judge.able(x[0])]
    if not kernels:
        return 'not judged: this CPU has no AVX2, so the executor was not compared with it', []
    count, runs, jumps, short, entries, wrong = judge.judged(image, kernels, share)
    found, missed = judge.seeded(image, kernels)
    return f'judged by the CPU: {", ".join(dict.fromkeys(x[0] for x in kernels))}: {count} encodings, {runs} runs; jumps and returns, {jumps} runs ' \
           f'({short} too short); {entries} entries of jump tables; seeded and found: {found} faults of the executor', \
           wrong + [f'seeded and not found: {x}' for x in missed]

def stop(problems):
    """Ends the process if there are problems."""
    if problems:
        print(*problems[:40], sep='\n', flush=True)
        raise SystemExit(1)

def with_image(f, library, *args):
    return f(opened(library), *args)

def main():
    library, packed, *options = sys.argv[1:]
    if any(contents(library, section) != contents(packed, section) for section in ('.text', '.rodata')):
        raise SystemExit(f'{packed} has other code or constants than {library}')
    image, pool = opened(library), ProcessPoolExecutor()
    for kernel in KERNELS:
        image.code(*kernel)  # or there is no such kernel
    submit = lambda f, *args: pool.submit(with_image, f, library, *args)
    try:
        print(prove_all(submit, image, *(x in options for x in ('--whole', '--lengths', '--encodings'))))
    finally:
        pool.shutdown(cancel_futures=True)

def merged(jobs):
    kinds, survivors, guessed = zip(*(job.result() for job in jobs))
    return sum(kinds, Counter()), sum(survivors, []), sum(guessed)

def prove_all(submit, image, whole, lengths, encodings):
    """The sweeps, the inductions, the planted faults and the judgement of the CPU, on all CPUs; returns a line that sums up."""
    began, counts, problems, reasons, all_code, swept = time.time(), Counter(), [], Counter(), [], []
    # What takes longest goes first.
    shares = (faults.bounded, 1 if whole else 4), (faults.inductive, 1 if lengths else 7 if whole else 29)
    planted = [[submit(faults.plant, backend, share, proofs) for backend in SHAPE] for proofs, share in shares]
    invariants, judged = submit(faults.plant_invariants), submit(judge_cpu, 1 if encodings else 10 if whole else 60)
    looped = enumerate(x for x in KERNELS if x[1] in LOOPED)
    loops = [(*x, bits) for i, x in looped for bits in (128, 256) if whole or lengths or bits == (128, 256)[i % 2]]
    induced = [submit(prove_lengths, *x, 1 if lengths else 31 if whole else 193) for x in loops]
    for i, kernel in enumerate(KERNELS):
        cases = bounded(*kernel) if whole else sample(*kernel, 97, 13 * i)
        swept.append((kernel, len(cases), [submit(prove_cases, *kernel, cases[at : at + 500]) for at in range(0, len(cases), 500)]))
    for (backend, name), count, parts in swept:
        ran, steps, failed, seconds = zip(*(part.result() for part in parts))
        ran, failed, code = set().union(*ran), sum(failed, []), image.code(backend, name)
        real = {at for at, ins in code.items() if ins.op != 'nop'}
        counts.update(proved=count - len(failed), real=len(real), ran=len(real & ran), steps=sum(steps))
        problems += failed
        all_code.append((code, ran, f'{backend} {name}'))
        print(f'{backend} {name}: {count - len(failed)} of {count} cases proved, {len(real & ran)} of {len(real)} instructions ran, {sum(seconds):.1f} s', flush=True)
    stop(problems)
    for (*loop, bits), done in zip(loops, induced):
        ran, rests, of, parts, failed, seconds = done.result()
        next(x for x in all_code if x[2] == ' '.join(loop))[1].update(ran)
        print(f'{" ".join(loop)}, AES-{bits}, all lengths: additional data and {rests} of {of} rests of texts proved, in {parts} parts, {seconds:.1f} s', flush=True)
        problems += failed
    if whole:
        for explained, unexplained in (explain(*x) for x in all_code):
            reasons.update(explained)
            problems += [f'neither cases nor inductions run, without a reason: {x}' for x in unexplained]
        print(*(f'{n} instructions that nothing runs: {reason}' for reason, n in reasons.most_common()), sep='\n', flush=True)
        problems += [f'planted and not found: the deletion of the reason `{x}`' for x in needless(all_code)]
    stop(problems)
    (kinds, alive, _), (inductions, also, guessed) = map(merged, planted)
    found, survivors = invariants.result()
    print(f'planted and refuted: {kinds.total()} faults: {", ".join(f"{n} in {kind}" for kind, n in sorted(kinds.items()))}; by induction: '
          f'{inductions.total()}, and {guessed} that stop the runs before it; in invariants: {found}')
    line, wrong = judged.result()
    print(line)
    stop(alive + also + survivors + wrong + ([] if kinds and inductions else ['nothing was planted']))
    return f'{len(all_code)} kernels: {counts["proved"]} cases proved, {counts["ran"]} of {counts["real"]} instructions ran, {counts["steps"]} steps, {time.time() - began:.0f} s'

if __name__ == '__main__':
    try:
        main()
    except Unknown as e:
        raise SystemExit(f'nothing is proved: {e}') from None
