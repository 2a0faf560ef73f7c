"""The CPU judges the executor: each distinct instruction runs alone on both, from the same random registers, memory and flags.

The executor runs on symbols where it can, whose values are put in afterwards, and once more on numbers. Jumps, calls and returns are not
judged. Each CPU judges the backends that it has the instructions for; one without AVX-512 has sixteen registers of 256 bits."""
import ctypes
import mmap
import os
import random
import subprocess
import tempfile
from functools import partial
from itertools import product
from unittest.mock import patch

import blocks
from forms import PATTERNS, Unknown, Vector, bits
from image import Memory, Register
from machine import Machine
from state import Terms, Wrong

FLAGS = {'c': 0, 'p': 2, 'z': 6, 's': 7, 'o': 11}
COMBINATIONS = [dict(zip(FLAGS, values)) for values in product((0, 1), repeat=len(FLAGS))]
CONDITIONAL = 'set', 'cmov', 'adc', 'sbb'  # what reads flags besides jumps
SIZE, AREA = 4096, 1024
STATE = 200 + 32 * 64

CPU = open('/proc/cpuinfo').read().split()
WIDE = 'avx512bw' in CPU

def able(backend):
    needs = {'aesni': ['avx2'], 'vaes256': ['avx2', 'vaes', 'vpclmulqdq'], 'vaes512': ['avx512bw', 'vaes', 'vpclmulqdq']}[backend]
    return all(x in CPU for x in needs)

def sbox():
    """FIPS 197, 5.1.1, from powers of 3, whose inverses are powers of 1/3."""
    double = lambda x: x << 1 ^ (0x11b if x & 128 else 0)
    powers = [1]
    for _ in range(254):
        powers.append(powers[-1] ^ double(powers[-1]))
    box = [0x63] * 256
    for i, x in enumerate(powers):
        y = powers[-i % 255]
        for k in range(1, 5):
            box[x] ^= (y << k | y >> 8 - k) & 255
        box[x] ^= y
    return box, double

SBOX, DOUBLE = sbox()

def substitute(name, x):
    if name == 'S':
        return SBOX[x]
    if name[0] == '+':
        return x + int(name[1:]) & 2**32 - 1
    b = [SBOX[x >> 8 * (i + 4 * (i % 4)) % 128 & 255] for i in range(16)]
    if name == 'round':
        b = [DOUBLE(b[4 * c + r]) ^ DOUBLE(b[4 * c + (r + 1) % 4]) ^ b[4 * c + (r + 1) % 4] ^ b[4 * c + (r + 2) % 4] ^ b[4 * c + (r + 3) % 4] for c in range(4) for r in range(4)]
    return int.from_bytes(bytes(b), 'little')

class Values:
    """Numbers for symbols."""

    def __init__(self, terms):
        self.terms, self.of = terms, {}

    def symbol(self, n, value):
        x = self.terms.fresh(n)
        self.of[next(iter(x.lin))] = value
        return x

    def value(self, s):
        if s not in self.of:
            name, x = self.terms.origin[s]
            self.of[s] = substitute(name, self(x))
        return self.of[s]

    def __call__(self, x):
        if isinstance(x, int):
            return x
        r = x.c
        for terms in (x.lin, x.quad):
            for s, p in terms.items():
                w = self.value(s) if isinstance(s, int) else sum(self.value(s[1]) << 128 * i for i in bits(self.value(s[0])))
                for i, mask in enumerate(PATTERNS[p]):
                    r ^= ((mask & w).bit_count() & 1) << i
        return r

class Judge:
    def __init__(self, image, seed=1):
        self.image, self.random = image, random.Random(seed)
        folder = tempfile.mkdtemp()
        source = os.path.join(os.path.dirname(__file__), 'enter.s')
        subprocess.run(['as', '--defsym', f'WIDE={int(WIDE)}', source, '-o', f'{folder}/enter.o'], check=True)
        subprocess.run(['ld', '-shared', f'{folder}/enter.o', '-o', f'{folder}/enter.so'], check=True)
        self.cpu = ctypes.CDLL(f'{folder}/enter.so')
        self.leave = ctypes.cast(self.cpu.leave, ctypes.c_void_p).value
        top = max(start + length for start, length, _ in image.segments) + 8192
        self.code = mmap.mmap(-1, top, prot=7)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.code))
        for start, length, offset in image.segments:
            self.code[start : start + length] = bytes(image.data[offset : offset + length])
        self.buffer = ctypes.create_string_buffer(SIZE + 64)
        self.area = ctypes.addressof(self.buffer) + 63 & ~63
        self.state = ctypes.create_string_buffer(STATE)

    def operands(self, ins, r):
        """Sets registers so that memory operands lie in the area; returns the registers that must stay numbers."""
        fixed = {4} if ins.op in ('push', 'pop') else {1} if ins.op[:2] in ('sh', 'sa') else set()
        if 4 in fixed:
            r[4] = self.area + 2 * AREA
        for o in ins.args:
            if isinstance(o, Memory) and ins.op != 'lea' and (o.base is not None or o.index is not None):
                to = self.area + AREA + (0 if (o.bits or 0) >= 128 else self.random.randrange(64))
                if o.base == o.index:
                    raise Unknown('one register twice')
                if o.base is None:
                    r[o.index] = (to - o.offset) // o.scale % 2**64
                else:
                    if o.index is not None:
                        r[o.index] = self.random.randrange(32)
                    r[o.base] = (to - o.offset - (o.scale * r[o.index] if o.index is not None else 0)) % 2**64
            if isinstance(o, Memory):
                fixed |= {x for x in (o.base, o.index) if x is not None}
        return fixed

    def once(self, at, ins, symbolic, constants=(), flags=None):
        """None if the executor knows nothing about these operands, else where both differ."""
        pick = self.random
        m = Machine(self.image, Terms())
        values = Values(m.terms)
        r = [pick.getrandbits(64) if pick.random() < .8 else pick.getrandbits(6) for _ in range(16)]
        fixed = self.operands(ins, r)
        v = [[pick.getrandbits(128) if pick.random() < .9 else pick.choice((0, 2**128 - 1)) for _ in range(4)] for _ in range(32)]
        k = [pick.choice((pick.getrandbits(64), (1 << pick.randrange(65)) - 1)) for _ in range(8)]
        flags = flags or {f: pick.getrandbits(1) for f in FLAGS}
        memory = pick.randbytes(SIZE)
        m.r = [x if i in fixed or not symbolic[0] else values.symbol(64, x) for i, x in enumerate(r)]
        m.v = [[values.symbol(128, x) if symbolic[1] and i not in constants else Vector(128, x) for x in blocks] for i, blocks in enumerate(v)]
        m.k, m.flags, m.next = list(k), dict(flags), ins.after
        m.mem.allow(self.area, SIZE, True)
        for i in range(0, SIZE, 16):
            x = int.from_bytes(memory[i : i + 16], 'little')
            m.mem.put(self.area + i, values.symbol(128, x) if symbolic[2] else Vector(128, x))
        try:
            m.step(ins)
        except (Unknown, Wrong):
            return None
        words = [*r, 0x202 | sum(flags[f] << b for f, b in FLAGS.items()), *k]
        self.state[:STATE] = b''.join(x.to_bytes(8, 'little') for x in words) + b''.join(x.to_bytes(16, 'little') for blocks in v for x in blocks)
        ctypes.memmove(self.area, memory, SIZE)
        kept = self.code[ins.after : ins.after + 14]
        self.code[ins.after : ins.after + 14] = b'\xff\x25\0\0\0\0' + self.leave.to_bytes(8, 'little')
        self.cpu.enter(self.state, ctypes.c_void_p(self.base + at))
        self.code[ins.after : ins.after + 14] = kept
        word = lambda i, n=8: int.from_bytes(self.state[i : i + n], 'little')
        moved = ins.op == 'lea' and ins.args[1].base is None and ins.args[1].index is None
        wrong = [f'register {i}' for i in range(16) if word(8 * i) - (self.base if moved and i == ins.args[0].index else 0) != values(m.r[i])]
        wrong += [f'flag {f}' for f, b in FLAGS.items() if m.flags[f] is not None and m.flags[f] != word(128) >> b & 1]
        wrong += [f'mask {i}' for i in range(8) if WIDE and word(136 + 8 * i) != m.k[i]]
        wrong += [f'vector {i}.{j}' for i in range(32 if WIDE else 16) for j in range(4 if WIDE else 2) if word(200 + 64 * i + 16 * j, 16) != values(m.v[i][j])]
        now = ctypes.string_at(self.area, SIZE)
        changed = range(AREA - 64, AREA + 192, 16) if 4 not in fixed else range(2 * AREA - 32, 2 * AREA + 32, 16)
        wrong += [f'memory {i}' for i in changed if values(m.mem.get(self.area + i, 16)) != int.from_bytes(now[i : i + 16], 'little')]
        return wrong

    def judge(self, at, ins):
        """How often both ran, and where they differed."""
        sources = [o.index for o in ins.args if isinstance(o, Register) and o.kind == 'vector']
        modes = [((1, 1, 1), ()), ((1, 1, 0), ()), ((1, 1, 1), sources[-1:]), ((1, 1, 1), sources[:1]), ((0, 1, 1), ())]
        runs, wrong = 0, []
        for mode in modes:
            found = self.once(at, ins, *mode)
            if found is not None:
                runs, wrong = 1, found
                break
        for flags in COMBINATIONS if ins.op.startswith(CONDITIONAL) else [None]:
            found = self.once(at, ins, (0, 0, 0), (), flags)
            runs, wrong = runs + (found is not None), wrong + (found or [])
        return runs, wrong

def judged(image, kernels, share=1, seed=1):
    """Distinct encodings, runs, those that were never run, and those that differ."""
    judge, seen, runs, silent, wrong = Judge(image, seed), {}, 0, [], []
    for backend, name in kernels:
        for at, ins in image.code(backend, name).items():
            if ins.raw not in seen and ins.op[0] != 'j' and ins.op not in ('ret', 'nop', 'unknown'):
                seen[ins.raw] = at, ins
    each = {ins.op: (at, ins) for at, ins in seen.values() if ins.op.startswith(CONDITIONAL)}  # in every sample
    chosen = [*list(seen.values())[seed % share :: share], *each.values()]
    for at, ins in chosen:
        n, differ = judge.judge(at, ins)
        runs += n
        if not n:
            silent.append(ins.text)
        if differ:
            wrong.append(f'{ins.text}: {", ".join(differ[:5])}')
    return len(chosen), runs, silent, wrong

def seeded(image, kernels):
    """Faults of the executor, one at a time; the number that the CPU shows, and those that it does not."""
    write, inc, shufpd, simple = Machine.write, Machine.do_inc, Machine.op_shufpd, dict(blocks.SIMPLE)

    def no_zeroing(self, o, x, vex, element=None):
        write(self, o._replace(zeroing=False) if isinstance(o, Register) else o, x, vex, element)

    def carry(self, d, by=1, subtract=False):
        inc(self, d, by, subtract)
        self.flags['c'] = 0

    method, block = partial(patch.object, Machine), partial(patch.dict, blocks.SIMPLE)
    faults = {
        'shld': method('do_shld', lambda self, d, s, n: self.do_shl(d, n)),
        'sar': method('do_sar', lambda self, d, s: self.do_shr(d, s)),
        'sbb': method('do_sbb', lambda self, d, s: self.do_sub(d, s)),
        'inc': method('do_inc', carry),
        'vpxor': method('write', lambda self, o, x, vex, element=None: write(self, o, x, False, element)),
        'vmovdqu8': method('write', no_zeroing),
        'vshufpd': method('op_shufpd', lambda self, vex, d, s, t, i: shufpd(self, vex, d, s, t, i & 3)),
        'vextracti64x4': method('op_extracti64x4', lambda self, vex, d, s, i: Machine.op_extracti128(self, vex, d, s, i ^ 1, 2)),
        'pshufb': block(pshufb=(lambda x, y: blocks.shuffle(x, y.mask(sum(15 << 8 * i for i in range(16)))), 'dss', None)),
        'vpclmulhqhqdq': block(pclmulhqhqdq=simple['pclmullqlqdq']),
        'vpshufd': block(pshufd=(lambda x, i: simple['pshufd'][0](x, i ^ 64), 'dsi', None)),
    }
    judge, found, missed = Judge(image), 0, []
    for op, fault in faults.items():
        cases = [(at, ins) for kernel in kernels for at, ins in image.code(*kernel).items() if ins.op == op]
        with fault:
            if any(judge.judge(*case)[1] for case in cases[:: max(1, len(cases) // 12)]):
                found += 1
            elif cases or able('vaes512'):
                missed.append(op)
    return found, missed
