# Digits and ranges: the texts of shares in src/protocol/shamir/text.rs, `same` of src/secret.rs, and lib/cipher/base/key-text.cts.
import re

import z3
from evaluate import Machine, function
from memory import Slice
from parse import Parser
from report import forall
from values import Int

TEXT, SECRET, KEY_TEXT = "src/protocol/shamir/text.rs", "src/secret.rs", "lib/cipher/base/key-text.cts"
BASE32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"  # RFC 4648 section 6
HEX = b"0123456789abcdef"


def machine(paths, text):
    made = Machine(paths, {"Choice::from": lambda bit: bit.bits == 1})
    for name in ("between", "choice"):
        made.names[name] = made.bind(function(text, name))
    return made


def symbols(name, count):
    return [Int.new(f"{name}{i}", "u8") for i in range(count)]


def joined(values):
    """The number of bytes, the first one the highest."""
    return z3.Concat(*[value.bits for value in values]) if len(values) > 1 else values[0].bits


def digit(alphabet, value):
    """The character of a value, from the standard's table."""
    result = z3.BitVecVal(0, 8)
    for place, character in enumerate(alphabet):
        result = z3.If(value == place, z3.BitVecVal(character, 8), result)
    return result


def value_of(alphabet, character, size):
    """The value of a character, and whether it has one."""
    value, known = z3.BitVecVal(0, size), z3.BoolVal(False)
    for place, one in enumerate(alphabet):
        value, known = z3.If(character == one, z3.BitVecVal(place, size), value), z3.Or(known, character == one)
    return value, known


def ranges(report, source, fault=None):
    """`between` for bounds and values of small numbers, and no subtraction in it overflows."""
    text = source(TEXT)
    least, value, most = (Int.new(name, "i32") for name in ("least", "value", "most"))
    small = [z3.And(one.bits >= -(2**16), one.bits <= 2**16) for one in (least, value, most)]
    shown = {one: number.bits for one, number in (("least", least), ("value", value), ("most", most))}
    inside = z3.And(least.bits <= value.bits, value.bits <= most.bits)
    claim = lambda mask: mask.bits == z3.If(inside, z3.BitVecVal(-1, 32), z3.BitVecVal(0, 32))
    run = lambda paths: machine(paths, text).names["between"](least, value, most)
    forall(report, "`between` is a mask of least ≤ value ≤ most", run, claim, small, shown, fault)


def encode(report, source, fault=None):
    """Five bytes are eight digits, so the lengths up to five show all that there is; the rest of a text repeats it."""
    text = source(TEXT)
    for count in (1, 2, 3, 4, 5, 6):
        values, digits = symbols("byte", count), -(-8 * count // 5)

        def run(paths, name, digits=digits):
            target = Slice(symbols("old", digits))
            machine(paths, text).bind(function(text, name))(Slice(values), target)
            return target.items()

        padded = z3.ZeroExt(5 * digits - 8 * count, joined(values)) << 5 * digits - 8 * count
        group = lambda i: z3.ZeroExt(3, z3.Extract(5 * (digits - i) - 1, 5 * (digits - i) - 5, padded))
        claim = lambda found: z3.And(*[one.bits == digit(BASE32, group(i)) for i, one in enumerate(found)])
        forall(
            report,
            f"{count} bytes are {digits} digits of base32 (RFC 4648 6)",
            lambda paths: run(paths, "encode_base32"),
            claim,
            (),
            {"bytes": joined(values)},
            fault,
        )
    values = symbols("byte", 2)
    claim = lambda found: z3.And(
        *[one.bits == digit(HEX, z3.ZeroExt(4, z3.Extract(15 - 4 * i, 12 - 4 * i, joined(values)))) for i, one in enumerate(found)]
    )
    forall(
        report, "two bytes are four digits of hex", lambda paths: run(paths, "encode_hex", 4), claim, (), {"bytes": joined(values)}, fault
    )


def decode(report, source, fault=None):
    """A text is accepted exactly if all characters are digits and the bits after the last byte are 0, and gives the bytes it stands for."""
    text = source(TEXT)

    def run(paths, name, digits, count):
        target = Slice(symbols("old", count))
        valid = machine(paths, text).bind(function(text, name))(Slice(digits), target)
        return valid, target.items()

    def claim(found, values, known, count):
        valid, target = found
        bits = z3.Concat(*values)
        rest = bits.size() - 8 * count
        whole = z3.And(*known, z3.Extract(rest - 1, 0, bits) == 0) if rest else z3.And(*known)
        same = joined(target) == z3.Extract(bits.size() - 1, rest, bits)
        return z3.And(valid == whole, z3.Implies(valid, same))

    for length in (2, 4, 5, 7, 8, 10):
        digits, count = symbols("digit", length), 5 * length // 8
        values, known = zip(*[value_of(BASE32, one.bits, 5) for one in digits])
        name = f"{length} characters are decoded exactly if they are base32 of {count} bytes"
        forall(
            report,
            name,
            lambda paths: run(paths, "decode_base32", digits, count),
            lambda found: claim(found, values, known, count),
            (),
            {"text": joined(digits)},
            fault,
        )
    digits = symbols("digit", 4)
    either = [value_of(HEX, z3.If(z3.And(one.bits >= 65, one.bits <= 70), one.bits + 32, one.bits), 4) for one in digits]
    values, known = zip(*either)
    name = "four characters are decoded exactly if they are hex of either case"
    forall(
        report,
        name,
        lambda paths: run(paths, "decode_hex", digits, 2),
        lambda found: claim(found, values, known, 2),
        (),
        {"text": joined(digits)},
        fault,
    )


def equality(report, source, fault=None):
    """`same`, with `ct_eq` of subtle: 1 for equal numbers, otherwise 0."""
    text = source(SECRET)
    a, b = symbols("a", 16), symbols("b", 16)

    class Equal:
        def __init__(self, truth):
            self.truth = truth

        def into(self):
            return self.truth

    def run(paths):
        made = Machine(paths, {"u128::from_ne_bytes": lambda block: Int(joined(block.items()[::-1]), "u128")})
        Int.ct_eq = lambda one, other: Equal(one.bits == one.of(other))
        return made.bind(function(text, "same"))(Slice(a), Slice(b))

    forall(
        report,
        "two tags are the same exactly if all bytes are equal",
        run,
        lambda truth: truth == (joined(a) == joined(b)),
        (),
        {"a": joined(a), "b": joined(b)},
        fault,
    )


def key_texts(report, source, fault=None):
    """`within` of key-text.cts and the characters that its loop accepts, for every byte. A number of JavaScript that stays within 32 bits is
    the same as an i32, and the proof asks that it stays there."""
    text = source(KEY_TEXT)
    body = re.search(r"function within\(byte: number, least: number, most: number\): number \{\s*return ([^\n]+)\n\}", text)[1]
    loop = text[text.index("const byte = key[i] as number\n", text.index("let base64 = -1")) : text.index("if (hex !== 0)")]
    lines = [re.sub(r"^const ", "let ", line.split("//")[0].strip()) for line in loop.strip().split("\n") if line.strip() != "}"]
    names = ("hex", "base64", "printable", "visible")
    arguments = ", ".join(f"{name}: i32" for name in names)
    rust = f"fn looks(key: i32, i: i32, {arguments}) {{ {' '.join(f'{line};' for line in lines)} ({', '.join(names)}) }}"
    byte = Int.new("byte", "i32")

    def run(paths):
        made = Machine(paths)
        made.names["within"] = made.bind(Parser(f"fn within(byte: i32, least: i32, most: i32) {{ {body} }}").function())
        ones, none = (Int(z3.BitVecVal(value, 32), "i32") for value in (-1, 0))
        return made.bind(Parser(rust).function())(Slice([byte]), 0, ones, ones, ones, none)

    def claim(masks):
        known = [
            z3.Or(*[byte.bits == one for one in alphabet])
            for alphabet in (
                b"0123456789abcdefABCDEF",
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=",
                bytes(range(0x20, 0x7F)) + b"\t\n\r",
                bytes(range(0x21, 0x7F)),
            )
        ]
        return z3.And(*[mask.bits == z3.If(one, z3.BitVecVal(-1, 32), z3.BitVecVal(0, 32)) for mask, one in zip(masks, known)])

    bytes_below = [byte.bits >= 0, byte.bits < 0x80]
    forall(
        report, "a byte counts as a digit of hex or base64, as printable and as visible exactly if it is", run, claim, bytes_below, {"byte": byte.bits}, fault
    )


PROOFS = [
    (
        ranges,
        [
            ("!((value - least) | (most - value)) >> 31", "!((value - least) | (most - value - 1)) >> 31"),
            ("!((value - least) | (most - value)) >> 31", "!((value - least) & (most - value)) >> 31"),
        ],
    ),
    (
        encode,
        [
            ("between(26, value, 31) & 41", "between(25, value, 31) & 41"),
            ("between(10, value, 15) & 39", "between(10, value, 15) & 38"),
            (">> (11 - shift)", ">> (10 - shift)"),
        ],
    ),
    (
        decode,
        [
            ("choice(valid & between(0, rest, 0))", "choice(valid)"),
            ("between(50, digit, 55)", "between(50, digit, 56)"),
            ("between(97, digit, 102)", "between(97, digit, 101)"),
            ("window << 5 | (letter & (digit - 65))", "window << 5 | (letter & (digit - 64))"),
        ],
    ),
    (equality, [("(difference >> 64) as u64", "(difference >> 65) as u64")]),
    (
        key_texts,
        [
            ("(byte - 1 - most)) >> 31", "(byte - most)) >> 31"),
            ("within(lower, 0x61, 0x7a)", "within(lower, 0x5b, 0x7a)"),
            ("const lower = byte | 0x20", "const lower = byte | 0x30"),
            ("space | within(byte, 0x20, 0x7e)", "space | within(byte, 0x20, 0x7f)"),
            ("visible |= within(byte, 0x21, 0x7e)", "visible |= within(byte, 0x20, 0x7e)"),
        ],
    ),
]
