# GHASH and POLYVAL: src/kernel/products.rs, hash.rs, and the reductions of the backends, for all inputs and keys.
from algebra import ONE, ZERO, Register, add, modulo, multiply, number, times, variables
from evaluate import Machine, constant, function
from report import algebraic
from values import Struct, Variant

KERNEL, HASH, X86, ARM = "src/kernel/products.rs", "src/kernel/hash.rs", "src/backend/words.rs", "src/backend/armv8.rs"
# RFC 8452 section 3, without x^128.
POLYVAL = [127, 126, 121, 0]
# x^-128 modulo this polynomial, RFC 8452 section 3; a claim below proves that it is.
INVERSE = [127, 124, 121, 114, 0]


def x86(text):
    """The methods of the macro, with the documented meaning of the instructions that it is given."""
    made = Machine(None)
    made.names |= {
        "$xor": lambda a, b: a.xor(b),
        "$permute": lambda a, generics: {0x4E: a.swapped}[generics[0]](),
        "$clmul": lambda a, b, generics: a.select(b, generics[0] & 1, generics[0] >> 4),
        "$up": lambda a, generics: {8: a.words_up}[generics[0]](),
        "$down": lambda a, generics: {8: a.words_down}[generics[0]](),
        "$set": lambda low: Register.of(low),
        "$crate::backend::words::POLYNOMIAL": constant(text, "POLYNOMIAL"),
    }
    methods = {name: made.bind(function(text, name)) for name in ("xor", "low", "high", "halves", "words_up", "words_down", "reduce")}
    return methods, lambda register: Variant("Self", [register])


def arm(text):
    made = Machine(None)
    made.names |= {
        "POLYNOMIAL": constant(text, "POLYNOMIAL"),
        "xor": lambda a, b: Variant("N1", [a.fields[0].xor(b.fields[0])]),
        "vextq_u8": lambda a, b, generics: Register(a.bits[8 * generics[0] :] + b.bits[: 8 * generics[0]]),
        "vdupq_n_u8": lambda value: {0: Register.of(0)}[value],
        "vdupq_n_u64": lambda value: Register.of(value << 64 | value),
        "vgetq_lane_p64": lambda a, generics: a.word(generics[0]),
        "vmull_p64": lambda a, b: Register(multiply(a, b) + [ZERO]),
    }
    for name in ("vreinterpretq_p64_u8", "vreinterpretq_u8_p128", "vreinterpretq_u8_u64"):
        made.names[name] = lambda value: value
    made.names["swap_halves"] = made.bind(function(text, "swap_halves"))
    tree = function(text, "product")
    made.names["product"] = lambda a, b, generics: made.bind(tree, I=generics[0], J=generics[1])(a, b)
    methods = {name: made.bind(function(text, name, "fn swap_halves")) for name in ("words_up", "words_down", "reduce")}
    methods["low"] = lambda a, b: made.names["product"](a, b, generics=[0, 0])
    methods["high"] = lambda a, b: made.names["product"](a, b, generics=[1, 1])
    methods["xor"], methods["halves"] = made.names["xor"], lambda a: made.names["xor"](a, made.names["swap_halves"](a))
    return methods, lambda register: Variant("N1", [register])


def instructions(report, source, fault=None):
    """What the other proofs take the methods of `Lanes` for is what the backends compute."""
    a, b = Register(variables("a", 128)), Register(variables("b", 128))
    for title, path, read in (("x86", X86, x86), ("arm64", ARM, arm)):
        methods, wrap = read(source(path))
        for name, arguments in (("low", 2), ("high", 2), ("halves", 1), ("words_up", 1), ("words_down", 1)):
            ours = methods[name](*[wrap(one) for one in (a, b)[:arguments]]).fields[0]
            theirs = getattr(a, name)(*[b][: arguments - 1])
            algebraic(report, f"`{name}` of {title} is as `Lanes` says", ours.bits, theirs.bits, fault)


def reduction(report, source, fault=None):
    """`reduce`: low + middle·x^64 + high·x^128, times x^-128, modulo POLYVAL's polynomial."""
    low, middle, high = (variables(name, 128) for name in ("low", "middle", "high"))
    zeros = [ZERO] * 64
    theirs = modulo(add(add(low, zeros + middle), zeros + zeros + high), POLYVAL, 128)
    for title, path, read in (("x86", X86, x86), ("arm64", ARM, arm)):
        methods, wrap = read(source(path))
        ours = methods["reduce"](*[wrap(Register(one)) for one in (low, middle, high)]).fields[0].bits
        # Both sides times x^128, which has an inverse.
        algebraic(report, f"`reduce` of {title} is the reduction, times x^-128", modulo([ZERO] * 128 + ours, POLYVAL, 128), theirs, fault)


def kernel(source):
    """`multiply` and the sums of products.rs, and the elements of hash.rs, on registers of one lane."""
    text, hash, methods = source(KERNEL), source(HASH), x86(source(X86))[0]
    made = Machine(None)
    reduce = lambda *parts: methods["reduce"](*[Variant("Self", [part]) for part in parts]).fields[0]
    made.names |= {"V::reduce": reduce, "zero": lambda: Register.of(0), "X129": constant_block(hash)}
    after = "impl<V: Lanes> Products<V>"
    made.names["Products::of"] = made.bind(function(text, "of", after))
    made.names["Self::of"] = made.names["Products::of"]
    for name in ("plus", "modulo"):
        made.methods[name] = made.bind(function(text, name, after))
    made.names["multiply"] = made.bind(function(text, "multiply"))
    made.names["B::splat"] = lambda block: block
    made.names["Ghash::key"] = made.bind(function(hash, "key", "impl Hash for Ghash"))
    made.names["Polyval::key"] = made.bind(function(hash, "key", "impl Hash for Polyval"))
    made.names["Ghash::elements"] = made.bind(function(hash, "elements", "impl Hash for Ghash"))
    return made


def constant_block(text):
    """X129, whose bytes hash.rs sets one by one."""
    import re

    body = text[text.index("const X129") : text.index("};", text.index("const X129"))]
    places = re.findall(r"block\[(\d+)\] = (0x[0-9a-f]+);", body)
    assert len(places) == 2 and "[0; 16]" in body, "X129 is written in another way"
    return Register.of(sum(int(value, 16) << 8 * int(place) for place, value in places))


def dot(a, b):
    """RFC 8452 section 3: a·b·x^-128."""
    inverse = [ONE if i in INVERSE else ZERO for i in range(128)]
    return modulo(multiply(modulo(multiply(a, b), POLYVAL, 128), inverse), POLYVAL, 128)


def inverse(report, source, fault=None):
    exponents = INVERSE if not fault else fault
    product = [ZERO] * 128 + [ONE if i in exponents else ZERO for i in range(128)]
    algebraic(report, "x^127 + x^124 + x^121 + x^114 + 1 is x^-128", modulo(product, POLYVAL, 128), number(1, 128), fault)


def products(report, source, fault=None):
    """Karatsuba's product and its reduction are RFC 8452's `dot`; with the key of GHASH, they are SP 800-38D's product."""
    made, a, b = kernel(source), variables("a", 128), variables("b", 128)
    ours = made.names["multiply"](Register(a), Register(b)).bits
    algebraic(report, "`multiply` is RFC 8452's dot", ours, dot(a, b), fault)
    if not fault:
        ours = made.names["Polyval::key"](Register(b)).bits
        algebraic(report, "the key of POLYVAL is used as it is", ours, b, fault)
    # RFC 8452 appendix A: mulX of the reflected key.
    key = made.names["Ghash::key"](Register(b))
    reflected = Register(b).reflect().bits
    algebraic(
        report,
        "the key of GHASH is mulX of its reflection (RFC 8452 appendix A)",
        key.bits,
        modulo([ZERO] + reflected, POLYVAL, 128),
        fault,
    )
    ours = made.names["multiply"](made.names["Ghash::elements"](Register(a)), key).reflect().bits
    algebraic(report, "a product of GHASH is that of SP 800-38D 6.3, bit by bit", ours, sp_800_38d(a, b), fault)


def sp_800_38d(x, y):
    """SP 800-38D 6.3, steps 1 to 4, on blocks whose bit 0 is the highest one of the first byte."""
    left_to_right = [8 * byte + bit for byte in range(16) for bit in reversed(range(8))]
    x, v = ([value[i] for i in left_to_right] for value in (x, y))
    z, r = [ZERO] * 128, [ONE if i in (0, 1, 2, 7) else ZERO for i in range(128)]
    for i in range(128):
        z = [old ^ times(x[i], bit) for old, bit in zip(z, v)]
        last = v[127]
        v = [bit ^ times(last, extra) for bit, extra in zip([ZERO] + v[:127], r)]
    block = [ZERO] * 128
    for place, bit in zip(left_to_right, z):
        block[place] = bit
    return block


def sums(report, source, fault=None):
    """Sums of products with stored powers and stored halves, reduced once, are the sum of the reduced products."""
    made, count = kernel(source), 2
    blocks = [variables(f"x{i}", 128) for i in range(count)]
    powers = [variables(f"h{i}", 128) for i in range(count)]
    total = Struct("Products", {name: Register.of(0) for name in ("low", "middle", "high")})
    theirs = [ZERO] * 128
    for block, power in zip(blocks, powers):
        factor = Struct("Factor", {"h": Register(power), "halves": Register(power).halves()})
        total = made.methods["plus"](total, made.names["Products::of"](Register(block), factor))
        theirs = add(theirs, dot(block, power))
    ours = made.methods["modulo"](total).bits
    algebraic(report, f"a sum of {count} products with stored halves has one reduction", ours, theirs, fault)


KARATSUBA = ("let middle = self.middle.xor(self.low).xor(self.high);", "let middle = self.middle.xor(self.low);")
STORED = ("middle: x.halves().low(power.halves)", "middle: x.halves().low(power.h)")
PROOFS = [
    (inverse, [[127, 124, 121, 113, 0]]),
    (
        instructions,
        [
            ("$clmul::<0x11>(self.0, rhs.0)", "$clmul::<0x10>(self.0, rhs.0)"),
            ("vextq_u8::<8>(vdupq_n_u8(0), x)", "vextq_u8::<8>(x, vdupq_n_u8(0))"),
        ],
    ),
    (
        reduction,
        [
            ("0xc200_0000_0000_0000_u64 as i64", "0xc100_0000_0000_0000_u64 as i64"),
            ("u64 = 0xc200_0000_0000_0000;", "u64 = 0xe100_0000_0000_0000;"),
            (
                "$xor($xor(high, $permute::<0x4e>(middle)), $clmul::<0x00>(middle, polynomial))",
                "$xor($xor(high, $permute::<0x4e>(low)), $clmul::<0x00>(middle, polynomial))",
            ),
        ],
    ),
    (products, [KARATSUBA, ("block[15] = 0x46;", "block[15] = 0xc2;"), STORED]),
    (sums, [STORED]),
]
