# GF(2^256), the field of shares: src/kernel/gf2_256.rs for all elements.
import re

from algebra import Register, modulo, multiply, variables
from evaluate import Machine, function
from report import algebraic
from values import Struct, Variant

PATH = "src/kernel/gf2_256.rs"
# x^256 + x^10 + x^5 + x^2 + 1, without x^256.
POLYNOMIAL = [10, 5, 2, 0]


def machine(source):
    text = source(PATH)
    places = re.search(r"const X256: Block = \[(.*?)\];", text)[1].split(",")
    made = Machine(None)
    made.names |= {"X256": Register.of(int.from_bytes(bytes(int(one, 0) for one in places), "little")), "V::splat": lambda block: block}
    made.names["product"] = made.bind(function(text, "product"))
    for name in ("times", "squared", "reduce"):
        made.methods[name] = made.bind(function(text, name))
    return made, text


def element(bits):
    return Struct("Elements", {"low": Register(bits[:128]), "high": Register(bits[128:])})


def bits(element):
    return element.fields["low"].bits + element.fields["high"].bits


def reduction(report, source, fault=None):
    made, wide = machine(source)[0], variables("x", 512)
    ours = made.methods["reduce"](Variant("Wide", [[Register(wide[i : i + 128]) for i in range(0, 512, 128)]]))
    algebraic(report, "512 bits are reduced modulo x^256 + x^10 + x^5 + x^2 + 1", bits(ours), modulo(wide, POLYNOMIAL, 256), fault)


def products(report, source, fault=None):
    made, a, b = machine(source)[0], variables("a", 256), variables("b", 256)
    square = made.methods["squared"](element(a))
    algebraic(report, "`squared` is the square in GF(2^256)", bits(square), modulo(multiply(a, a), POLYNOMIAL, 256), fault)
    product = made.methods["times"](element(a), element(b))
    algebraic(report, "`times` is the product in GF(2^256)", bits(product), modulo(multiply(a, b), POLYNOMIAL, 256), fault)


class Power:
    """A power of x, by its exponent."""

    def __init__(self, exponent):
        self.exponent = exponent

    def times(self, other):
        return Power(self.exponent + other.exponent)

    def squared(self):
        return Power(2 * self.exponent)


def inversion(report, source, fault=None):
    """`inverse` is x^(2^256 - 2) by its squares and products, which is 1/x for every x but 0, and 0 for 0."""
    made, text = machine(source)
    exponent = made.bind(function(text, "inverse"))(Power(1)).exponent
    wrong = None if exponent == 2**256 - 2 else f"the exponent {exponent:#x}"
    report.settle("`inverse` raises to the power 2^256 - 2", fault, wrong)


PROOFS = [
    (
        reduction,
        [
            ("[0x25, 0x04, 0,", "[0x23, 0x04, 0,"),
            (".xor(second.words_up())", ""),
            ("high.xor(second.words_down())", "high.xor(second.words_up())"),
        ],
    ),
    (
        products,
        [
            ("low.high(low), high.low(high)", "high.low(high), low.high(low)"),
            ("(c.xor(g).xor(a).xor(d)", "(c.xor(g).xor(a)"),
            ("above.xor(highest.words_down());", "above.xor(highest.words_up());"),
        ],
    ),
    (inversion, [("while k < 255", "while k < 127"), ("        b.squared()\n", "        b\n")]),
]
