"""The CPU judges where the executor goes: jumps and returns, each alone, for all combinations of flags; and jump tables.

A jump runs at its place in a copy of the code. Both its ends get a stub, which writes into al which end it is, and leaves."""
import ctypes
from unittest.mock import patch

from forms import Vector
from judge import COMBINATIONS, FLAGS, SIZE, STATE
from machine import Machine
from state import CONDITIONS, OPPOSITE, Terms

STUB = 16

def stub(judge, end):
    return bytes([0xb0, end]) + b'\xff\x25\0\0\0\0' + judge.leave.to_bytes(8, 'little')

def arrives(judge, at, ends, registers, flags):
    """Runs the instruction at `at`; returns the end where the CPU arrives, and the stack pointer there."""
    kept = [(end, judge.code[end : end + STUB]) for end in ends]
    for i, end in enumerate(ends):
        judge.code[end : end + STUB] = stub(judge, i)
    words = [*registers, 0x202 | sum(flags[f] << b for f, b in FLAGS.items())]
    judge.state[:STATE] = b''.join(x.to_bytes(8, 'little') for x in words).ljust(STATE, b'\0')
    judge.cpu.enter(judge.state, ctypes.c_void_p(judge.base + at))
    for end, code in kept:
        judge.code[end : end + STUB] = code
    return ends[judge.state[0][0]], int.from_bytes(judge.state[32:40], 'little')

def judged(judge, image, kernels, share=1, only=None):
    """Runs of the jumps of all kernels, those too short for two stubs, and those that differ."""
    runs, short, wrong, i = 0, 0, [], 0
    for kernel in kernels:
        for at, ins in image.code(*kernel).items():
            jump = ins.op[0] == 'j'
            if not jump and ins.op != 'ret' or only not in (None, ins.op) or (i := i + 1) % share:
                continue
            fixed = jump and isinstance(ins.args[0], int)
            to = ins.args[0] if fixed else at + 64
            if not ins.after + STUB <= to and not to + STUB <= at:
                short += 1
                continue
            stack = judge.area + SIZE // 2
            registers = [0x1000 + n for n in range(16)]
            registers[4] = stack
            if not fixed and jump:
                registers[ins.args[0].index] = judge.base + to
            ctypes.memmove(stack, (judge.base + to).to_bytes(8, 'little'), 8)
            for flags in COMBINATIONS if fixed and ins.op != 'jmp' else COMBINATIONS[:1]:
                m = Machine(image, Terms())
                m.r, m.flags, m.next, m.bottom = list(registers), dict(flags), ins.after, stack
                m.step(ins)
                want = (to, stack + 8) if not jump else (m.next if fixed else m.next - judge.base, stack)
                runs += 1
                if arrives(judge, at, (ins.after, to), registers, flags) != want or (not jump and m.next is not None):
                    wrong.append(f'{ins.text} at {at:x} with flags {flags}')
    return runs, short, wrong

def dispatched(judge, image, kernels):
    """Jump tables: the instructions that read an entry and go there, and moves between, for each entry: runs, and those that differ."""
    runs, wrong = 0, []
    for kernel in kernels:
        code = image.code(*kernel)
        places = sorted(code)
        for n, at in enumerate(places):
            if code[at].op != 'jmp' or isinstance(code[at].args[0], int):
                continue
            steps = places[max([i for i in range(n) if code[places[i]].op == 'lea' and code[places[i]].args[1].base is None], default=0) : n + 1]
            if [x for x in steps if 'mov' not in code[x].op[:4] or code[x].op == 'movsxd'] != [steps[0], steps[1], steps[2], at] or len(steps) > 8:
                wrong.append(f'another dispatch at {at:x}')
                continue
            for entry in range(64):
                registers = [0x1000 + i for i in range(16)]
                registers[4], registers[code[at].args[0].index] = judge.area + SIZE // 2, entry
                m = Machine(image, Terms())
                m.r = list(registers)
                m.mem.allow(judge.area, SIZE, True)
                m.mem.put(judge.area, Vector(8 * SIZE))
                for x in steps:
                    m.step(code[x])
                if m.next not in code:
                    break
                runs += 1
                if arrives(judge, steps[0], (m.next,), registers, COMBINATIONS[0])[0] != m.next:
                    wrong.append(f'entry {entry} at {at:x}')
    return runs, wrong

FAULTS = {'ja': (OPPOSITE, 'a', 'b'), 'jg': (OPPOSITE, 'g', 'l'), 'je': (CONDITIONS, 'e', ('z', lambda z: 1 - z)),
          'jbe': (CONDITIONS, 'be', ('cz', lambda c, z: c & z))}

def seeded(judge, image, kernels):
    """Faults of the executor's conditions: how many the CPU shows in jumps, and those that it does not."""
    missed = []
    for op, (table, key, wrong) in FAULTS.items():
        with patch.dict(table, {key: wrong}):
            if not judged(judge, image, kernels, 3, op)[2]:
                missed.append(op)
    return len(FAULTS) - len(missed), missed
