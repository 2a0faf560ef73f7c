"""The CPU judges the executor: each distinct instruction runs alone on both, from the same random registers, memory and flags.

The executor runs on symbols where it can, whose values are put in afterwards, and once more on numbers. Jumps and returns run at each place,
with both ends in sight. Each CPU judges the backends that it has the instructions for."""
import ctypes
import mmap
import os
import random
import subprocess
import tempfile
from functools import partial
from itertools import product
from unittest.mock import patch

import vectors
from examples import substitute
from forms import PATTERNS, Unknown, Vector, bits
from image import Memory, Register
from machine import Machine
from state import CONDITIONS, OPPOSITE, Terms, Wrong

INFO = open('/proc/cpuinfo').read().split()
WIDE = 'avx512bw' in INFO  # else there are sixteen vector registers, of 256 bits
FLAGS = {'c': 0, 'p': 2, 'z': 6, 's': 7, 'o': 11}
SIZE, STUB = 512, 14  # bytes of memory for operands, and of a stub
GENERAL = 'rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15'.split()
# The state: general registers, flags, mask registers, vector registers.
AT_FLAGS, AT_MASKS, AT_VECTORS, STATE = 128, 136, 200, 200 + 32 * 64

NEEDS = {'aesni': ['avx2'], 'vaes256': ['avx2', 'vaes', 'vpclmulqdq'], 'vaes512': ['avx512bw', 'vaes', 'vpclmulqdq']}
able = lambda backend: all(x in INFO for x in NEEDS[backend])

def assembly():
    """enter(state, code) loads all registers and jumps to the code, which goes to `leave` or `elsewhere`: these store all, and return 0 or 1."""
    wide = [('vmovdqu64', f'zmm{i}', AT_VECTORS + 64 * i) for i in range(32)] + [('kmovq', f'k{i}', AT_MASKS + 8 * i) for i in range(8)]
    wide = wide if WIDE else [('vmovdqu', f'ymm{i}', AT_VECTORS + 64 * i) for i in range(16)]
    first, *others = [('mov', r, 8 * i) for i, r in enumerate(GENERAL)]
    load = lambda *moves: [f'{op} {r}, [rax + {at}]' for op, r, at in moves]
    store = lambda *moves: [f'{op} [rax + {at}], {r}' for op, r, at in moves]
    saved = 'rbx', 'rbp', 'r12', 'r13', 'r14', 'r15'
    return [
        '.intel_syntax noprefix', '.globl enter, leave, elsewhere', *[f'.lcomm {x}, 8' for x in ('stack', 'state', 'code', 'rax_after', 'end')],
        'enter:', *[f'push {r}' for r in saved], 'mov [rip + stack], rsp', 'mov [rip + state], rdi', 'mov [rip + code], rsi',
        'mov dword ptr [rip + end], 0', 'mov rax, rdi', *load(*wide), f'push qword ptr [rax + {AT_FLAGS}]', 'popfq', *load(*others, first),
        'jmp [rip + code]',
        'elsewhere:', 'mov dword ptr [rip + end], 1',
        'leave:', 'mov [rip + rax_after], rax', 'mov rax, [rip + state]', *store(*others), 'mov rcx, [rip + rax_after]', 'mov [rax], rcx',
        'mov rsp, [rip + stack]', 'pushfq', f'pop qword ptr [rax + {AT_FLAGS}]', *store(*wide), 'vzeroupper',
        *[f'pop {r}' for r in reversed(saved)], 'mov eax, [rip + end]', 'ret', '.section .note.GNU-stack, "", @progbits', '']

class Cpu:
    def __init__(self, image):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(['as', '-', '-o', f'{folder}/enter.o'], input='\n'.join(assembly()), text=True, check=True)
            subprocess.run(['ld', '-shared', f'{folder}/enter.o', '-o', f'{folder}/enter.so'], check=True)
            self.library = ctypes.CDLL(os.path.join(folder, 'enter.so'))
        self.leave = [ctypes.cast(x, ctypes.c_void_p).value.to_bytes(8, 'little') for x in (self.library.leave, self.library.elsewhere)]
        self.code = mmap.mmap(-1, max(start + length for start, length, _ in image.segments) + 8192, prot=7)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.code))
        for start, length, offset in image.segments:
            self.code[start : start + length] = bytes(image.data[offset : offset + length])
        self.buffer, self.state = ctypes.create_string_buffer(SIZE + 64), ctypes.create_string_buffer(STATE)
        self.area = ctypes.addressof(self.buffer) + 63 & ~63

    def run(self, at, ends, r, flags, k, v, memory):
        """Runs the code at `at` to one of one or two ends, which it returns. Stubs are at both ends; one jumps to `leave`, one to `elsewhere`."""
        words = [*r, 0x202 | sum(flags[f] << b for f, b in FLAGS.items()), *k]
        self.state[:] = b''.join(x.to_bytes(8, 'little') for x in words) + b''.join(x.to_bytes(16, 'little') for blocks in v for x in blocks)
        ctypes.memmove(self.area, memory, SIZE)
        kept = [self.code[end : end + STUB] for end in ends]
        for end, leave in zip(ends, self.leave):
            self.code[end : end + STUB] = b'\xff\x25\0\0\0\0' + leave
        which = self.library.enter(self.state, ctypes.c_void_p(self.base + at))
        for end, code in zip(ends, kept):
            self.code[end : end + STUB] = code
        return ends[which]

    word = lambda self, at, size=8: int.from_bytes(self.state[at : at + size], 'little')

COMBINATIONS = [dict(zip(FLAGS, values)) for values in product((0, 1), repeat=len(FLAGS))]
CONDITIONAL = 'set', 'cmov', 'adc', 'sbb', 'j'  # what reads flags
OPERAND, TOP = SIZE // 2 - 64, SIZE // 2  # where operands lie, and the stack

class Values:
    """Numbers for symbols; `whole` has the vectors of n bits that were made first, most of which a step leaves as they are."""
    def __init__(self, terms):
        self.terms, self.of, self.whole = terms, {}, {}

    def vector(self, n, value, symbolic):
        x = self.terms.fresh(n) if symbolic else Vector(n, value)
        if symbolic:
            self.of[next(iter(x.lin))] = value
        self.whole[id(x)] = x, value
        return x

    def value(self, s):
        if s not in self.of:
            name, x = self.terms.origin[s]
            self.of[s] = substitute(name, self(x))
        return self.of[s]

    def __call__(self, x):
        if isinstance(x, int):
            return x
        if id(x) in self.whole:
            return self.whole[id(x)][1]
        r = x.c
        for terms in (x.lin, x.quad):
            for s, p in terms.items():
                w = self.value(s) if isinstance(s, int) else sum(self.value(s[1]) << 128 * i for i in bits(self.value(s[0])))
                for i, mask in enumerate(PATTERNS[p]):
                    r ^= ((mask & w).bit_count() & 1) << i
        return r

class Judge:
    def __init__(self, image, seed=1):
        self.image, self.random, self.cpu = image, random.Random(seed), Cpu(image)

    def operands(self, ins, r):
        """Sets registers so that memory operands lie in the area; returns the registers that must stay numbers."""
        fixed = {4} if ins.op in ('push', 'pop', 'ret') else {1} if ins.op[:2] in ('sh', 'sa') else set()
        if 4 in fixed:
            r[4] = self.cpu.area + TOP
        for o in (o for o in ins.args if isinstance(o, Memory)):
            fixed |= {o.base, o.index} - {None}
            if ins.op == 'lea' or o.base is o.index is None:
                continue
            if o.base == o.index:
                raise Unknown('one register twice')
            to = self.cpu.area + OPERAND + (0 if (o.bits or 0) >= 128 else self.random.randrange(64)) - o.offset
            if o.index is not None:
                r[o.index] = to // o.scale % 2**64 if o.base is None else self.random.randrange(32)
            if o.base is not None:
                r[o.base] = (to - (o.scale * r[o.index] if o.index is not None else 0)) % 2**64
        return fixed

    def once(self, at, steps, symbolic=(0, 0, 0), constants=(), flags=None, ends=None, given=()):
        """Runs one instruction, or the steps of a dispatch. None if the executor knows nothing about these operands, else where both differ.
        `ends` are the places where a jump may go; `given` are registers."""
        pick, ins, cpu = self.random, steps[0], self.cpu
        m = Machine(self.image, Terms())
        values = Values(m.terms)
        r = [pick.getrandbits(64) if pick.random() < .8 else pick.getrandbits(6) for _ in range(16)]
        fixed = self.operands(ins, r)
        for register, x in dict(given).items():
            r[register] = x
        v = [[pick.getrandbits(128) if pick.random() < .9 else pick.choice((0, 2**128 - 1)) for _ in range(4)] for _ in range(32)]
        k = [pick.choice((pick.getrandbits(64), (1 << pick.randrange(65)) - 1)) for _ in range(8)]
        flags, memory = flags or {f: pick.getrandbits(1) for f in FLAGS}, pick.randbytes(SIZE)
        if ins.op == 'ret':
            memory = memory[:TOP] + (cpu.base + ends[-1]).to_bytes(8, 'little') + memory[TOP + 8 :]
        m.r = [values.vector(64, x, True) if symbolic[0] and i not in fixed else x for i, x in enumerate(r)]
        m.v = [[values.vector(128, x, symbolic[1] and i not in constants) for x in four] for i, four in enumerate(v)]
        m.k, m.flags, m.bottom = list(k), dict(flags), r[4]
        m.mem.allow(cpu.area, SIZE, True)
        for i in range(0, SIZE, 16):
            m.mem.put(cpu.area + i, values.vector(128, int.from_bytes(memory[i : i + 16], 'little'), symbolic[2]))
        try:
            for step in steps:
                m.next = step.after
                m.step(step)
        except (Unknown, Wrong):
            return ['a jump that the executor does not know'] if ends else None
        goes = ends[-1] if m.next is None else m.next - cpu.base if m.next >= cpu.base else m.next
        went = cpu.run(at, ends or (goes,), r, flags, k, v, memory)
        # Registers with an address of the library, which begins at zero for the executor.
        moved = [x.args[0].index for x in steps if len(steps) > 1 and x.op == 'add' or x.op == 'lea' and x.args[1].base is x.args[1].index is None]
        wrong = [f'goes to {goes:x}'] if went != goes else []
        wrong += [f'register {i}' for i in range(16) if cpu.word(8 * i) - (cpu.base if i in moved else 0) != values(m.r[i])]
        wrong += [f'flag {f}' for f, b in FLAGS.items() if m.flags[f] is not None and m.flags[f] != cpu.word(AT_FLAGS) >> b & 1]
        wrong += [f'mask {i}' for i in range(8) if WIDE and cpu.word(AT_MASKS + 8 * i) != m.k[i]]
        places = [(i, j) for i in range(32 if WIDE else 16) for j in range(4 if WIDE else 2)]
        wrong += [f'vector {i}.{j}' for i, j in places if cpu.word(AT_VECTORS + 64 * i + 16 * j, 16) != values(m.v[i][j])]
        now = ctypes.string_at(cpu.area, SIZE)
        return wrong + [f'memory {i}' for i in range(0, SIZE, 16) if values(m.mem.get(cpu.area + i, 16)) != int.from_bytes(now[i : i + 16], 'little')]

    def judge(self, at, ins):
        """How often both ran, and where they differed."""
        if ins.op == 'ret' or ins.op[0] == 'j':
            return self.jump(at, ins)
        sources = [o.index for o in ins.args if isinstance(o, Register) and o.kind == 'vector']
        modes = [((1, 1, 1), ()), ((1, 1, 0), ()), ((1, 1, 1), sources[-1:]), ((1, 1, 1), sources[:1]), ((0, 1, 1), ())]
        found = [next((x for mode in modes if (x := self.once(at, [ins], *mode)) is not None), None)]
        found += [self.once(at, [ins], flags=flags) for flags in (COMBINATIONS if ins.op.startswith(CONDITIONAL) else [None])]
        return total(found)

    def jump(self, at, ins):
        """No runs if its ends lie too close together for two stubs."""
        fixed = ins.args and isinstance(ins.args[0], int)
        to = ins.args[0] if fixed else at + 64
        given = {} if fixed or ins.op == 'ret' else {ins.args[0].index: self.cpu.base + to}
        some = [] if to < ins.after + STUB and at < to + STUB else COMBINATIONS if fixed and ins.op != 'jmp' else [None]
        return total([self.once(at, [ins], flags=flags, ends=(ins.after, to), given=given) for flags in some])

    def dispatch(self, at, before, code):
        """A jump table: the instructions that read an entry and go there, and moves between, for each entry."""
        start = max((x for x in before if code[x].op == 'lea' and code[x].args[1].base is None), default=at)
        places, found, table, entry = [x for x in before if x >= start] + [at], [], code[start].args[-1].offset if start < at else 0, 0
        if [code[x].op for x in places if code[x].op == 'movsxd' or 'mov' not in code[x].op[:4]] != ['lea', 'movsxd', 'add', 'jmp'] or len(places) > 8:
            return 1, [f'another dispatch at {at:x}']
        entries = memoryview(self.image.data)[self.image.place(table) :] if start < at else b''
        while (to := table + int.from_bytes(entries[4 * entry :][:4], 'little', signed=True)) in code:
            given = {4: self.cpu.area + TOP, code[at].args[0].index: entry}
            found.append(self.once(start, [code[x] for x in places], ends=(to,), given=given))
            entry += 1
        return total(found)

# How many ran, and what differed.
total = lambda found: (len(found) - found.count(None), sum((x for x in found if x), []))

def judged(image, kernels, share=1, seed=1):
    """Distinct encodings and their runs, runs of jumps and entries of jump tables, jumps that are too short, and what did not run or differs."""
    judge, seen, jumps, tables, wrong = Judge(image, seed), {}, [], [], []
    for code in (image.code(*kernel) for kernel in kernels):
        for at, ins in code.items():
            if ins.op == 'ret' or ins.op[0] == 'j':
                jumps.append((at, ins))
                if ins.op == 'jmp' and not isinstance(ins.args[0], int):
                    tables.append(judge.dispatch(at, sorted(x for x in code if x < at), code))
            elif ins.op not in ('nop', 'unknown'):
                seen.setdefault(ins.raw, (at, ins))
    each = {ins.op: (at, ins) for at, ins in seen.values() if ins.op.startswith(CONDITIONAL)}  # in every sample
    chosen = dict([*list(seen.values())[seed % share :: share], *each.values()]).items()
    alone, jumped = ([(ins, at, *judge.judge(at, ins)) for at, ins in some] for some in (chosen, jumps[share - 1 :: share]))
    wrong += [f'not run: {ins.text}' for ins, _, n, _ in alone if not n]
    wrong += [f'{ins.text} at {at:x}: {", ".join(differ[:5])}' for ins, at, _, differ in alone + jumped if differ] + [x for _, differ in tables for x in differ]
    runs = lambda found: sum(n for *_, n, _ in found)
    return len(alone), runs(alone), runs(jumped), sum(not n for *_, n, _ in jumped), runs(tables), wrong

def seeded(image, kernels):
    """Faults of the executor, one at a time; the number that the CPU shows, and those that it does not."""
    write, merging, simple = Machine.write, lambda o: o._replace(zeroing=False) if isinstance(o, Register) else o, dict(vectors.SIMPLE)
    method, block, pieces = partial(patch.object, Machine), partial(patch.dict, vectors.SIMPLE), partial(patch.dict, vectors.PIECES)
    place = lambda name, f: pieces({name: (*vectors.PIECES[name][:2], lambda j, i, known=vectors.PIECES[name][2]: f(known, j, i))})
    faults = {
        'shld': method('do_shld', lambda self, d, s, n: self.do_shl(d, n)),
        'sar': method('do_sar', lambda self, d, s: self.do_shr(d, s)),
        'sbb': method('do_sbb', lambda self, d, s: self.do_sub(d, s)),
        'inc': method('do_inc', lambda self, d: self.arithmetic(d, 1)),
        'vpxor': method('write', lambda self, o, x, vex, element=None: write(self, o, x, False, element)),
        'vmovdqu8': method('write', lambda self, o, x, vex, element=None: write(self, merging(o), x, vex, element)),
        'vshufpd': place('shufpd', lambda known, j, i: known(j, i & 3)),
        'vextracti64x4': place('extracti64x4', lambda known, j, i: known(j, i ^ 1)),
        'vpshufd': place('pshufd', lambda known, j, i: known(j, i ^ 64)),
        'pshufb': block(pshufb=('dss', lambda x, y: vectors.shuffle(x, y.mask(sum(15 << 8 * i for i in range(16)))), None)),
        'vpclmulhqhqdq': block(pclmulhqhqdq=simple['pclmullqlqdq']),
        'ja': patch.dict(OPPOSITE, a='b'), 'jg': patch.dict(OPPOSITE, g='l'),
        'je': patch.dict(CONDITIONS, e=('z', lambda z: 1 - z)), 'jbe': patch.dict(CONDITIONS, be=('cz', lambda c, z: c & z)),
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
