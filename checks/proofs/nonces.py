# Nonces never repeat: the arithmetic of src/key/nonce.rs and of the chunks in src/protocol/chunks.rs.
import z3
from evaluate import Machine, constant, function
from memory import Slice
from report import forall
from values import Int, Struct, Variant

NONCE = "src/key/nonce.rs"
CHUNKS = "src/protocol/chunks.rs"


def byte_list(name, count):
    return [Int.new(f"{name}{i}", "u8") for i in range(count)]


def little(values):
    """The number of bytes, the least significant one first."""
    return z3.Concat(*[value.bits for value in reversed(values)])


def machine(paths, text, size):
    made = Machine(paths)
    for name in ("words", "from_words"):
        made.names[name] = made.bind(function(text, name), N=size)
    return made


def counted(report, source, fault=None):
    """`take_run` and `take`: the nonces of a run are salt + taken, salt + taken + 1, …"""
    text = source(NONCE)
    for size in (12, 24):
        salt, taken, count = byte_list("salt", size), Int.new("taken", "u64"), Int.new("count", "u64")

        def run(paths):
            made = machine(paths, text, size)
            made.methods["prepare"] = lambda nonces: Variant("Ok", [()])
            nonces = Struct("FrameNonces", {"salt": Slice(salt), "taken": taken})
            answer = made.bind(function(text, "take_run"), N=size)(nonces, count)
            if answer.name == "Err":
                return answer, nonces.fields["taken"], []
            take = made.bind(function(text, "take", "> Run<N> {"), N=size)
            return answer, nonces.fields["taken"], [take(answer.fields[0]).items() for _ in range(3)]

        def claim(value):
            answer, after, nonces = value
            fits = z3.BVAddNoOverflow(taken.bits, count.bits, False)
            if answer.name == "Err":
                return z3.And(z3.Not(fits), after.bits == taken.bits)
            first = little(salt) + z3.ZeroExt(8 * size - 64, taken.bits)
            each = [little(nonce) == first + i for i, nonce in enumerate(nonces)]
            return z3.And(fits, after.bits == taken.bits + count.bits, *each)

        shown = {"salt": little(salt), "taken": taken.bits, "count": count.bits}
        name = f"the n-th nonce of {size} bytes is salt + n modulo 2^{8 * size}, and a failed call takes none"
        forall(report, name, run, claim, (), shown, fault)
        if fault:
            return
    # A conclusion, without the source: the counter itself is never the same twice.
    a, b = z3.BitVec("a", 64), z3.BitVec("b", 64)
    for size in (12, 24):
        salt = z3.BitVec("salt", 8 * size)
        nonce = lambda n: salt + z3.ZeroExt(8 * size - 64, n)
        differs = z3.And(nonce(a) != nonce(b), z3.Extract(63, 0, nonce(a)) != z3.Extract(63, 0, nonce(b)))
        name = f"two nonces of {size} bytes under one salt differ, also in their first eight bytes"
        forall(report, name, lambda paths: None, lambda _: differs, [a != b], {"a": a, "b": b, "salt": salt})


def numbered(report, source, fault=None):
    """`sequence_nonce`: the IV XOR `path·2^64 + sequence`, big-endian; so two numbers never have the same nonce."""
    text = source(NONCE)
    iv, path, sequence = byte_list("iv", 12), Int.new("path", "u32"), Int.new("sequence", "u64")
    other_path, other_sequence = Int.new("other path", "u32"), Int.new("other sequence", "u64")

    def run(paths):
        made = machine(paths, text, 12)
        nonce = made.bind(function(text, "sequence_nonce"), N=12)
        return [nonce(Slice(iv), *number).items() for number in ((path, sequence), (other_path, other_sequence))]

    def big(values):
        return little(values[::-1])

    def claim(value):
        first, second = (big(nonce) for nonce in value)
        same = z3.And(path.bits == other_path.bits, sequence.bits == other_sequence.bits)
        return z3.And(first == big(iv) ^ z3.Concat(path.bits, sequence.bits), (first == second) == same)

    shown = {
        "iv": big(iv),
        "path": path.bits,
        "sequence": sequence.bits,
        "other path": other_path.bits,
        "other sequence": other_sequence.bits,
    }
    forall(report, "the nonce of a packet is IV XOR path·2^64 + number, and no two numbers share one", run, claim, (), shown, fault)


def chunked(report, source, fault=None):
    """`end` of chunks: the numbers first … first + count - 1 are below 2^38, or the call is refused."""
    text = source(CHUNKS)
    most = constant(text, "MAX_CHUNKS")
    assert most == 2**38, most
    first, count = Int.new("first", "u64"), Int.new("count", "usize")

    def claim(answer):
        end = z3.ZeroExt(64, first.bits) + z3.ZeroExt(64, count.bits)
        if answer.name == "Err":
            return z3.UGT(end, most)
        return z3.And(z3.ULE(end, most), z3.ZeroExt(64, answer.fields[0].bits) == end)

    run = lambda paths: Machine(paths, {"MAX_CHUNKS": most}).bind(function(text, "end"))(first, count)
    shown = {"first": first.bits, "count": count.bits}
    forall(report, "chunks have numbers below 2^38, which never wrap, and a call beyond is refused", run, claim, (), shown, fault)


PROOFS = [
    (
        counted,
        [
            ("low.overflowing_add(self.taken)", "low.overflowing_add(taken)"),
            ("let (next, carry) = low.overflowing_add(1);", "let (next, carry) = low.overflowing_add(2);"),
            ("self.taken.checked_add(count).ok_or(Error::EncryptionsExhausted)?", "self.taken.wrapping_add(count)"),
            ("Ok(Run { low, high: high.wrapping_add(u128::from(carry)) })", "Ok(Run { low, high })"),
        ],
    ),
    (
        numbered,
        [
            ("u64::from(path) << 32 | sequence >> 32", "u64::from(path) << 31 | sequence >> 32"),
            ("(sequence as u32).swap_bytes()", "(sequence as u16 as u32).swap_bytes()"),
            ("u64::from(path) << 32 | sequence >> 32", "u64::from(path) << 32 | sequence >> 33"),
        ],
    ),
    (chunked, [("first.checked_add(count)", "Some(first.wrapping_add(count))"), ("*end <= MAX_CHUNKS", "*end <= MAX_CHUNKS + 1")]),
]
