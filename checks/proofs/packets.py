# Packet numbers: `recover` of src/protocol/packet/number.rs gives the number of RFC 9000 A.3 for every input that it documents.
import z3
from evaluate import Machine, constant, function
from report import forall
from values import Int

PATH = "src/protocol/packet/number.rs"


def rfc_9000(expected, truncated, size):
    """RFC 9000 A.3, with its branches, in numbers too wide to overflow. Its `pn_hwin` and `pn_mask` follow from `pn_win`."""
    expected, truncated = z3.ZeroExt(64, expected), z3.ZeroExt(64, truncated)
    window = z3.BitVecVal(1 << 8 * size, 128)
    half, mask = z3.LShR(window, 1), window - 1
    candidate = (expected & ~mask) | truncated
    up = z3.And(candidate <= expected - half, candidate < (z3.BitVecVal(1, 128) << 62) - window)
    down = z3.And(candidate > expected + half, candidate >= window)
    return z3.If(up, candidate + window, z3.If(down, candidate - window, candidate))


def recovery(report, source, fault=None):
    text = source(PATH)
    tree, most = function(text, "recover"), constant(text, "MAX_NUMBER")
    assert most == 2**53 - 1
    expected, truncated = Int.new("expected", "u64"), Int.new("truncated", "u64")
    for size in (1, 2, 3, 4):
        # `expected` is one more than the largest number that was received.
        assume = [z3.ULE(expected.bits, most + 1), z3.ULT(truncated.bits, 1 << 8 * size)]
        forall(
            report,
            f"packet numbers of {size} bytes are those of RFC 9000 A.3",
            lambda paths: Machine(paths).bind(tree)(expected, truncated, size),
            lambda number: z3.ZeroExt(64, number.bits) == rfc_9000(expected.bits, truncated.bits, size),
            assume,
            {"expected": expected.bits, "truncated": truncated.bits},
            fault,
        )
        if fault:
            break


PROOFS = [
    (
        recovery,
        [
            ("(window >> 1).wrapping_sub(1)", "(window >> 2).wrapping_sub(1)"),
            ("(window >> 1).wrapping_sub(1)", "(window >> 1)"),
            ("number.wrapping_add(window & below_zero)", "number"),
        ],
    )
]
