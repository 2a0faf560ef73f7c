"""Which cases are proved: lists of (function, backend, arguments) for the sample and for the bounded sweeps."""
from call import SHAPE

TEXTS = ('seal', 'open', 'authenticate', 'seal_siv', 'open_siv', 'authenticate_siv')
STREAMS = ('keystream', 'keystream_siv')
FUNCTIONS = (*TEXTS, *STREAMS, 'seal_pair', 'expand', 'derive', 'derive_siv', 'expand_main')

def within(group, register, aad):
    """Texts of each number of registers that fit into one group with the AAD: the code takes another way for each number."""
    ends = (n for end in range(register, group + 1, register) for n in (end - register + 1, end - 1, end))
    return [n for n in ends if -(-n // 16) - (-aad // 16) <= group // 16]

def bounded(backend, name):
    """All cases of a function: every length to two groups and a block more, apart and in place, and every way of the AAD."""
    registers, lanes, _ = SHAPE[backend]
    group = 16 * registers * lanes
    both = (128, 256)
    if name.startswith('expand'):
        return [(b,) for b in both if b == 256 or name != 'expand_main']
    if name in ('derive', 'derive_siv'):
        return [(b, n) for b in (both if name == 'derive_siv' else (256,)) for n in range(registers * lanes + 4)]
    if name == 'seal_pair':
        most = (registers - 4) * 16 * lanes
        texts = range(1, 64 * lanes + 1)
        return [(b, a, n, False, o) for i, n in enumerate(texts) for b in both for a, o in ((0, 0), (i % (most + 1), 13), (most, (7 * i) % (most + 1)), (i // 2 % 34, i % 31))] + \
               [(b, a, n, False, o) for b in both for n in (*range(1, 10), 15, 16) for a, o in ((16, n), (n, 16), (9 * n % (most + 1), most))] + \
               [('short', b, a, n) for b in both for a in (0, 20) for n in (5, 16 * lanes, 48 * lanes + 1)]
    # The last byte of a counter passes 255 after 254 blocks of text.
    far = [16 * n + 5 for n in range(254 - 2 * lanes, 258 + registers * lanes)] + [16 * 254, 16 * 256, 16 * 254 + 2 * group]
    every = [*range(2 * group + 18), *far]
    if name in STREAMS:
        return [(b, 0, n, bool((n + b // 128) % 2)) for b in both for n in every]
    # The ends of blocks, registers and groups.
    ends = sorted({0, 1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100, group - 17, group - 16, group - 1, group, group + 1, group + 40, 2 * group - 1})
    aads = sorted({1, 13, 16, 17, 32, 33, 16 * lanes, 16 * lanes + 1, group - 16, group - 3, group, group + 5, 2 * group + 1})
    return [(b, 0, n, bool((n + b // 128) % 2)) for b in both for n in every] + \
           [(b, a, n, bool((a + n + b // 128) % 2)) for b in both for a in aads for n in ends] + \
           [(256, a, n, False) for a in range(1, group + 34) for n in ((0, 5, 16)[a % 3],)] + \
           [(b, a, n, False) for b in both for a in (*range(1, 67), *range(group - 33, group + 34)) for n in (17 + a % 32, group + a % 16)] + \
           [(b, a, n, bool((a + n) % 2)) for b in both for a in (1, 13, 16, 17, 33) for n in within(group, 16 * lanes, a) if name in ('seal', 'open')] + \
           [('short', b, a, n) for b in both for a in (0, 20) for n in (5, 60, 2 * group + 5) if name in ('seal', 'open', 'open_siv')]

all_functions = lambda: [('aesni', 'expand_schedule')] + [(backend, name) for backend in SHAPE for name in FUNCTIONS]

def sample(backend, name, share, offset):
    """Every `share`th case."""
    return bounded(backend, name)[offset % share :: share] if name in TEXTS + STREAMS + ('seal_pair',) else bounded(backend, name)[:: 4 if 'derive' in name else 1]
