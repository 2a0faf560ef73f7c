"""Reads the library: its bytes at virtual addresses, the kernels by symbol, and objdump's listing of a kernel, decoded strictly."""
import re
import struct
import subprocess
import tempfile
from collections import namedtuple
from copy import copy
from functools import cache

from forms import Unknown

KERNEL = re.compile(r'^(\w{16}) (\w{16}) t (?:<?)hardware_aes_gcm::backend::(\w+)::(?:ENTRY|SINGLE_BLOCKS)(?:>?)::(\w+)$')

# The kind is `general`, `vector` or `mask`; the shift is 8 for ah to bh.
Register = namedtuple('Register', 'kind index bits shift mask zeroing', defaults=(0, None, False))
Memory = namedtuple('Memory', 'bits base index scale offset broadcast mask', defaults=(False, None))
# The operands are registers, memory, and numbers: immediates and targets of jumps.
Instruction = namedtuple('Instruction', 'op args after raw text')

def contents(path, section):
    """What is at each address of a section, in objdump's words."""
    return _run('objdump', '-s', '-j', section, path).partition('Contents of')[2]

class Image:
    def __init__(self, path):
        self.data = bytearray(open(path, 'rb').read())
        # ELF's table of segments: loaded, and not writable.
        at, (size, count) = struct.unpack_from('<Q', self.data, 32)[0], struct.unpack_from('<HH', self.data, 54)
        entries = [struct.unpack_from('<IIQQQQ', self.data, at + i * size) for i in range(count)]
        self.segments = [(x[3], x[5], x[2]) for x in entries if x[0] == 1 and not x[1] & 2]
        self.kernels = {}
        for line in _run('nm', '-S', '-C', path).splitlines():
            if m := KERNEL.match(line):
                name = 'expand_schedule' if 'SINGLE_BLOCKS' in line and m[4] == 'expand' else m[4]
                self.kernels[m[3], name] = int(m[1], 16), int(m[2], 16)
        self.listings = {}

    def place(self, at, size=1):
        """The offset in the file, or None for an address that is not constant memory."""
        return next((at - start + offset for start, length, offset in self.segments if start <= at <= start + length - size), None)

    def code(self, backend, name):
        if (backend, name) not in self.kernels:
            raise Unknown(f'{backend} has no function {name}')
        if (backend, name) not in self.listings:
            start, size = self.kernels[backend, name]
            first = self.place(start)
            self.listings[backend, name] = disassemble(bytes(self.data[first : first + size]), start)
        return self.listings[backend, name]

    def changed(self, flips):
        """A copy with flipped bits, which leave the length of instructions: [(address, bits)]."""
        other = copy(self)
        other.data = bytearray(self.data)
        for at, bits in flips:
            other.data[self.place(at)] ^= bits
        other.listings = {kernel: dict(code) for kernel, code in self.listings.items()}
        for code in other.listings.values():
            for at in {at for flipped, _ in flips for at in range(flipped - 14, flipped + 1) if at in code and flipped < code[at].after}:
                raw = bytes(other.data[self.place(at) : self.place(at) + len(code[at].raw)])
                code[at] = disassemble(raw, at).get(at, Instruction('unknown', [], 0, raw, ''))._replace(after=code[at].after)
        return other

@cache
def opened(path):
    """The image with all kernels decoded, once for processes that are forked afterwards."""
    image = Image(path)
    for kernel in image.kernels:
        image.code(*kernel)
    return image

def _run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Unknown(f'{command[0]}: {"".join(done.stderr.splitlines()[:1])}')
    return done.stdout

def disassemble(code, start):
    """The instructions of `code` by address."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        listing = _run('objdump', '-D', '-w', '-b', 'binary', '-m', 'i386:x86-64', '-M', 'intel', f'--adjust-vma={start:#x}', file.name)
    found = {}
    for line in listing.splitlines():
        if m := re.match(r'^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(.*)$', line):
            at, raw = int(m[1], 16), bytes.fromhex(m[2])
            body, address = re.fullmatch(r'(.*?)(?:\s+# 0x([0-9a-f]+))?', m[3].strip()).groups()
            try:
                op, args = _decode(body, address and int(address, 16))
            except Unknown as unknown:
                op, args = 'unknown', [str(unknown)]
            found[at] = Instruction(op, args, at + len(raw), raw, body)
    return found

# A prefix that objdump shows is one that the encoding does not need. Only padding has such prefixes.
PADDING = re.compile(r'(?:data16 |cs )*(?:nop.*|xchg\s+ax,ax)|int3')
BODY = re.compile(r'([a-z0-9]+)(?:\s+(\S.*))?')

def _decode(body, address):
    if PADDING.fullmatch(body):
        return 'nop', []
    m = BODY.fullmatch(body)
    if not m or m[1] in ('lock', 'rep', 'repz', 'repnz', 'bnd', 'notrack', 'data16', 'addr32', 'cs', 'ds', 'es', 'ss', 'fs', 'gs'):
        raise Unknown(f'prefix: {body}')
    return m[1], [_operand(x, address) for x in re.findall(r'(?:\[[^\]]*\]|\{[^}]*\}|[^,\[{])+', m[2] or '')]

NAMES = {f'k{i}': Register('mask', i, 64) for i in range(8)}
for _i, _names in enumerate(['rax eax ax al', 'rcx ecx cx cl', 'rdx edx dx dl', 'rbx ebx bx bl', 'rsp esp sp spl', 'rbp ebp bp bpl', 'rsi esi si sil',
                             'rdi edi di dil', *[f'r{i} r{i}d r{i}w r{i}b' for i in range(8, 16)]]):
    NAMES |= {name: Register('general', _i, bits) for name, bits in zip(_names.split(), (64, 32, 16, 8))}
NAMES |= {name: Register('general', i, 8, 8) for i, name in enumerate(('ah', 'ch', 'dh', 'bh'))}
SIZES = {'BYTE': 8, 'WORD': 16, 'DWORD': 32, 'QWORD': 64, 'XMMWORD': 128, 'YMMWORD': 256, 'ZMMWORD': 512}
VECTOR = re.compile(r'([xyz])mm(\d+)(?:\{k([1-7])\}(\{z\})?)?')
MEMORY = re.compile(r'(?:(\w+) (PTR|BCST) )?\[([a-z0-9]+(?:[+\-*][a-z0-9]+)*)\](?:\{k([1-7])\})?')

def _operand(text, address):
    text = text.strip()
    if text in NAMES:
        return NAMES[text]
    if m := VECTOR.fullmatch(text):
        return Register('vector', int(m[2]), {'x': 128, 'y': 256, 'z': 512}[m[1]], 0, m[3] and int(m[3]), bool(m[4]))
    if m := MEMORY.fullmatch(text):
        bits, mask, broadcast = SIZES[m[1]] if m[1] else None, m[4] and int(m[4]), m[2] == 'BCST'
        if m[3].startswith('rip'):
            return Memory(bits, None, None, 1, address, broadcast, mask)
        base, index, scale, offset = None, None, 1, 0
        for sign, name, factor in re.findall(r'([+-]?)([^+*-]+)(?:\*([1248]))?', m[3]):
            if name in NAMES and NAMES[name].bits == 64 and sign != '-' and (factor or base is not None) and index is None:
                index, scale = NAMES[name].index, int(factor or 1)
            elif name in NAMES and NAMES[name].bits == 64 and sign != '-' and not factor and base is None:
                base = NAMES[name].index
            elif re.fullmatch(r'0x[0-9a-f]+', name) and not factor:
                offset += int(sign + name, 16)
            else:
                raise Unknown(f'operand {text}')
        return Memory(bits, base, index, scale, (offset + 2**63) % 2**64 - 2**63, broadcast, mask)
    if re.fullmatch(r'0x[0-9a-f]+|1', text):
        return int(text, 16)
    raise Unknown(f'operand {text}')
