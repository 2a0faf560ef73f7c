# Limits hold without overflow: src/key/ledger.rs, and the ranges of a batch in src/key/ranges.rs.
import z3
from evaluate import Machine, constant, function
from memory import Slice, items
from report import forall
from values import NONE, Int, Option, Struct, Variant

LEDGER, RANGES = "src/key/ledger.rs", "src/key/ranges.rs"


def wide(value):
    return z3.ZeroExt(128, value.bits)


def product(a, b):
    """Of two numbers of 64 bits, in 192."""
    whole = Int.product(a, b) if Int.abstract else z3.ZeroExt(64, a) * z3.ZeroExt(64, b)
    return z3.ZeroExt(64, whole)


def saturated(number):
    most = z3.BitVecVal(2**64 - 1, 192)
    return z3.If(z3.UGT(number, most), most, number)


def machine(paths, text, after):
    made = Machine(paths, {"u32::MAX": 2**32 - 1})
    for name in ("check_lengths", "plus_messages", "plus", "allow_frames", "allow_decryption", "count_failure"):
        made.methods[name] = made.bind(function(text, name, after.get(name, "")))
    return made


AFTER = {
    "plus_messages": "impl Encrypted",
    "plus": "impl Encrypted",
    "check_lengths": "impl Bounds",
    "allow_frames": "impl<C: Bounded<N>",
    "allow_decryption": "impl<C: Bounded<N>",
    "count_failure": "impl<C: Bounded<N>",
}


def bounds(text):
    """The limits of each class of keys. Changed ones must be read by a person."""
    read = {name: constant(text, name) for name in ("MAX_MESSAGE_BYTES", "MAX_AAD_BYTES", "MAX_MESSAGES", "MAX_BLOCKS")}
    assert read == {"MAX_MESSAGE_BYTES": 2**36 - 32, "MAX_AAD_BYTES": 2**61 - 1, "MAX_MESSAGES": 2**32, "MAX_BLOCKS": 2**48}, read
    for line in (
        "Bounds { messages: u64::MAX, blocks: u64::MAX, ..GCM }",
        "Bounds { text: 1 << 36, aad: 1 << 36, messages: MAX_BLOCKS, blocks: MAX_BLOCKS }",
    ):
        assert line in text, f"the bounds are written in another way than {line}"
    gcm = (2**36 - 32, 2**61 - 1, 2**48)
    return {"AES-GCM": gcm, "XAES-256-GCM": (*gcm[:2], 2**64 - 1), "AES-GCM-SIV": (2**36, 2**36, 2**48)}


def sums(report, source, fault=None):
    """The sums after encryptions are exact or the call is refused; a batch adds each run of equal lengths with one such call. Blocks are
    those of the texts and one for each tag."""
    text = source(LEDGER)
    count, length, aad = (Int.new(name, "usize") for name in ("count", "text", "aad"))
    blocks, total = Int.new("blocks", "u64"), Int.new("bytes", "u64")
    shown = {"count": count.bits, "text": length.bits, "aad": aad.bits, "blocks": blocks.bits, "bytes": total.bits}
    for name, (most_text, most_aad, most_blocks) in bounds(text).items():
        fields = {"text": most_text, "aad": most_aad, "blocks": most_blocks}
        is_limited = most_blocks < 2**64 - 1
        bound = Struct("Bounds", {field: Int(z3.BitVecVal(value, 64), "u64") for field, value in fields.items()})

        def run(paths):
            made = machine(paths, text, AFTER)
            return made.methods["plus_messages"](Struct("Encrypted", {"blocks": blocks, "bytes": total}), bound, count, length, aad)

        def claim(answer):
            fits = z3.And(z3.ULE(length.bits, most_text), z3.ULE(aad.bits, most_aad))
            each = z3.LShR(length.bits + 15, 4) + 1  # without overflow: `fits` holds wherever this counts
            exact = wide(blocks) + product(each, count.bits)
            is_too_much = z3.UGT(exact, most_blocks) if is_limited else z3.BoolVal(False)
            if answer.name == "Err":
                return z3.Or(z3.Not(fits), is_too_much)
            after = answer.fields[0].fields
            bytes_hold = wide(after["bytes"]) == saturated(wide(total) + product(length.bits, count.bits))
            return z3.And(fits, z3.Not(is_too_much), wide(after["blocks"]) == saturated(exact), bytes_hold)

        held = [z3.ULE(blocks.bits, most_blocks)]
        what = (
            f"{most_blocks:#x} blocks are never exceeded, and all below are allowed" if is_limited else "blocks are counted, up to 2^64 - 1"
        )
        if fault:
            held.append(length.bits == 4080)  # 256 blocks with the tag: products are quick then
        Int.abstract = not fault
        try:
            forall(report, f"{name}: {what}", run, claim, held, shown, fault)
        finally:
            Int.abstract = False


def messages(report, source, fault=None):
    """Frames and failures never exceed their limits, and are not refused below."""
    text = source(LEDGER)
    taken, more, limit = (Int.new(name, "u64") for name in ("taken", "more", "limit"))
    nonces = type("Nonces", (), {"taken": lambda self: taken})()
    ledger = lambda: Struct(
        "Ledger", {"nonces": nonces, "limits": Struct("Limits", {"messages": limit, "failures": limit}), "failures": taken}
    )

    def claim(answer):
        fits = z3.ULE(wide(taken) + wide(more), wide(limit))
        return fits if answer.name == "Ok" else z3.Not(fits)

    shown = {"taken": taken.bits, "more": more.bits, "limit": limit.bits}
    run = lambda paths: machine(paths, text, AFTER).methods["allow_frames"](ledger(), more)
    forall(report, "frames are allowed exactly up to their limit", run, claim, (), shown, fault)

    def failing(paths):
        counted = ledger()
        return machine(paths, text, AFTER).methods["count_failure"](counted), counted.fields["failures"]

    def counted(value):
        error, after = value
        if error == "Error::Authentication":
            return z3.And(z3.ULT(taken.bits, limit.bits), after.bits == taken.bits + 1)
        return z3.And(error == "Error::FailuresExhausted", z3.UGE(taken.bits, limit.bits), after.bits == taken.bits)

    forall(report, "a failed decryption is counted once below its limit, and refused at it", failing, counted, (), shown, fault)


class Memory:
    """A part of message memory: where it begins and how long it is."""

    def __init__(self, start, length):
        self.start, self.length = start, length

    def len(self):
        return self.length

    def is_empty(self):
        return self.length.binary("==", 0)

    def split_at_checked(self, at):
        if not Int.paths.choose(z3.ULE(at.bits, self.length.bits)):
            return NONE
        rest = Memory(self.start.like(self.start.bits + at.bits), self.length.like(self.length.bits - at.bits))
        return Option("Some", [(Memory(self.start, at), rest)])


def batch(paths, text, memory):
    made = Machine(paths, {"MAX_RANGES": 2**32 - 1})
    for name in ("At", "Every"):
        made.names[f"Ends::{name}"] = lambda value, name=name: Variant(name, [value])
    made.methods["runs"] = made.bind(function(text, "runs"))
    made.methods["next"] = made.bind(function(text, "next"))

    def ranges(made_of, most):
        """The ranges that `Iter` gives, up to one more than `most`, and those that `runs` counts."""
        zero = memory.start.like(z3.BitVecVal(0, 64)).cast("u32")
        iterator = Struct("Iter", {"rest": memory, "ends": made_of.fields["ends"], "start": zero})
        given = []
        while len(given) <= most and (one := made.methods["next"](iterator)).some:
            given.append(one.fields[0])
        return given, items(made.methods["runs"](made_of))

    return made, ranges


def whole():
    length = Int.new("length", "usize")
    return Memory(length.like(z3.BitVecVal(0, 64)), length), z3.ULT(length.bits, 2**63)


def ends(report, source, fault=None):
    """Ends that `ending_at` accepts make ranges in the memory, one behind the other; it refuses exactly the others, with the first index.
    Each step looks at one end and the one before, so that three show all steps."""
    text, (memory, below) = source(RANGES), whole()
    given = [Int.new(f"end{i}", "u32") for i in range(3)]
    starts = [z3.BitVecVal(0, 32), *[end.bits for end in given]]
    descends = [z3.ULT(end.bits, start) for end, start in zip(given, starts)]
    outside = [z3.UGT(z3.ZeroExt(32, end.bits), memory.length.bits) for end in given]

    def run(paths):
        made, ranges = batch(paths, text, memory)
        answer = made.bind(function(text, "ending_at"))(memory, Slice(given))
        return answer, ranges(answer.fields[0], 3) if answer.name == "Ok" else None

    def claim(value):
        answer, found = value
        wrong = [z3.Or(*pair) for pair in zip(descends, outside)]
        if answer.name == "Err":
            index, error = answer.fields[0].fields["index"], answer.fields[0].fields["error"]
            first = z3.And(wrong[index], *[z3.Not(one) for one in wrong[:index]])
            return z3.And(first, descends[index] == (error == "Error::EndDescends"))
        ranges, runs = found
        if len(ranges) != 3 or len(runs) != 3 or not all(isinstance(one, Memory) for one in ranges):
            return z3.BoolVal(False)
        facts = [z3.Not(one) for one in wrong]
        for i, (one, (count, length)) in enumerate(zip(ranges, runs)):
            start = z3.ZeroExt(32, starts[i])
            facts += [
                one.start.bits == start,
                z3.ZeroExt(32, given[i].bits) == start + one.length.bits,
                length.bits == one.length.bits,
                count == 1,
            ]
        return z3.And(*facts)

    shown = {"length": memory.length.bits} | {f"end {i}": end.bits for i, end in enumerate(given)}
    forall(report, "ends make ranges inside of the memory, and no length of a run wraps", run, claim, [below], shown, fault)


def every(report, source, fault=None):
    """Ranges of one length cover the memory, for up to two of them in as much memory as CPUs address."""
    text, memory = source(RANGES), whole()[0]
    bytes = Int.new("bytes", "usize")
    few = [z3.ULT(memory.length.bits, 2**47), bytes.bits != 0, z3.ULT(bytes.bits, 2**47), z3.ULE(memory.length.bits, 2 * bytes.bits)]

    def run(paths):
        ranges = batch(paths, text, memory)[1]
        return ranges(Struct("Ranges", {"memory": memory, "ends": Variant("Every", [bytes])}), 2)

    def claim(value):
        ranges, runs = value
        if not all(isinstance(one, Memory) for one in ranges):
            return z3.BoolVal(False)
        end, facts, count = z3.BitVecVal(0, 64), [], z3.BitVecVal(0, 64)
        for i, one in enumerate(ranges):
            facts += [one.start.bits == end, one.length.bits == bytes.bits if i + 1 < len(ranges) else z3.ULE(one.length.bits, bytes.bits)]
            end = end + one.length.bits
        for number, length in runs:
            count = count + number.bits
        return z3.And(end == memory.length.bits, count == len(ranges), *facts)

    shown = {"length": memory.length.bits, "bytes": bytes.bits}
    Int.small_quotients = True
    try:
        forall(report, "up to two ranges of one length cover the memory, and runs count them", run, claim, few, shown, fault)
    finally:
        Int.small_quotients = False


PROOFS = [
    (
        sums,
        [
            ("text.div_ceil(16).saturating_add(1).saturating_mul(count)", "text.div_ceil(16).saturating_add(1).wrapping_mul(count)"),
            ("if blocks > bounds.blocks {", "if blocks >= bounds.blocks {"),
            ("blocks.saturating_add(self.blocks)", "blocks.wrapping_add(self.blocks)"),
            ("if aad as u64 > self.aad {", "if aad as u32 as u64 > self.aad {"),
        ],
    ),
    (
        messages,
        [
            ("self.nonces.taken().checked_add(more)", "Some(self.nonces.taken().wrapping_add(more))"),
            ("self.failures < self.limits.failures", "self.failures <= self.limits.failures"),
        ],
    ),
    (
        ends,
        [
            ("if *end < before {", "if *end + 1 < before {"),
            ("if *end as usize > memory.len() {", "if *end as usize > memory.len() + 1 {"),
            ("(self.start, self.ends) = (*end, Ends::At(after));", "self.ends = Ends::At(after);"),
        ],
    ),
    (
        every,
        [("let last = self.memory.len() % bytes;", "let last = self.memory.len() / bytes;"), ("self.rest = rest;", "self.rest = range;")],
    ),
]
