"""Runs single instructions on the CPU, at their place in a copy of the library: from a given state, to stubs that end the run."""
import ctypes
import mmap
import os
import subprocess
import tempfile

INFO = open('/proc/cpuinfo').read().split()
WIDE = 'avx512bw' in INFO  # else there are sixteen vector registers, of 256 bits
FLAGS = {'c': 0, 'p': 2, 'z': 6, 's': 7, 'o': 11}
SIZE, STUB = 512, 14  # bytes of memory for operands, and of a stub
GENERAL = 'rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15'.split()
# The state: general registers, flags, mask registers, vector registers.
AT_FLAGS, AT_MASKS, AT_VECTORS, STATE = 128, 136, 200, 200 + 32 * 64

def able(backend):
    needs = {'aesni': ['avx2'], 'vaes256': ['avx2', 'vaes', 'vpclmulqdq'], 'vaes512': ['avx512bw', 'vaes', 'vpclmulqdq']}[backend]
    return all(x in INFO for x in needs)

def assembly():
    """enter(state, code) loads all registers and jumps to the code, which jumps to `leave` or `elsewhere`; these store all registers. It
    returns 1 for `elsewhere`."""
    vectors = [('vmovdqu64', f'zmm{i}', AT_VECTORS + 64 * i) for i in range(32)] + [('kmovq', f'k{i}', AT_MASKS + 8 * i) for i in range(8)]
    vectors = vectors if WIDE else [('vmovdqu', f'ymm{i}', AT_VECTORS + 64 * i) for i in range(16)]
    first, *others = [('mov', r, 8 * i) for i, r in enumerate(GENERAL)]
    load = lambda *moves: [f'{op} {r}, [rax + {at}]' for op, r, at in moves]
    store = lambda *moves: [f'{op} [rax + {at}], {r}' for op, r, at in moves]
    saved = 'rbx', 'rbp', 'r12', 'r13', 'r14', 'r15'
    return [
        '.intel_syntax noprefix', '.globl enter, leave, elsewhere', *[f'.lcomm {x}, 8' for x in ('stack', 'state', 'code', 'rax_after', 'end')],
        'enter:', *[f'push {r}' for r in saved], 'mov [rip + stack], rsp', 'mov [rip + state], rdi', 'mov [rip + code], rsi',
        'mov dword ptr [rip + end], 0', 'mov rax, rdi', *load(*vectors), f'push qword ptr [rax + {AT_FLAGS}]', 'popfq', *load(*others, first),
        'jmp [rip + code]',
        'elsewhere:', 'mov dword ptr [rip + end], 1',
        'leave:', 'mov [rip + rax_after], rax', 'mov rax, [rip + state]', *store(*others), 'mov rcx, [rip + rax_after]', 'mov [rax], rcx',
        'mov rsp, [rip + stack]', 'pushfq', f'pop qword ptr [rax + {AT_FLAGS}]', *store(*vectors), 'vzeroupper',
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

    def word(self, at, size=8):
        """Of the state after a run."""
        return int.from_bytes(self.state[at : at + size], 'little')
