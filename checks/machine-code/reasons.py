"""Why no case runs an instruction: each piece of code that stays unexecuted needs its guard, which is found, and its reason, which is written.

A piece is what hangs together by jumps and by order. It is guarded if every way into it is a jump that cases ran, with a condition that went
the other way each time. Rows match what a piece does, not where: `shape` writes its instructions without addresses and registers."""
import re
from bisect import bisect_left

from image import Memory, Register

# Functions, the shape of a piece, its reason.
TEXT = 'seal|open|seal_siv|open_siv|authenticate|authenticate_siv|keystream|keystream_siv|seal_pair'
ROWS = [(re.compile(rf'(?:\w+ )?(?:{functions})'), re.compile(shape), reason) for functions, shape, reason in (
    ('keystream|keystream_siv|seal_siv', 'jump', 'the end of a target before its source; both have one length'),
    ('seal|open|open_siv|authenticate|authenticate_siv|seal_pair', 'jump', 'the step to zeros for a register past the powers of a group; a hash shares a reduction among no more blocks than there are powers'),
    (TEXT, '(jump )?(move )*zero( zero)+( move)*( jump)?', 'what a range without bytes gives; chunks, the rest after a test, and the powers of a register all have bytes'),
    ('keystream_siv|seal_siv', 'zero move add:rr je:i', 'what a range without bytes gives; a chunk has bytes'),
    ('seal|open|seal_pair', '(move )+jump|move( move)?|move move lea:rm add:ri jump', 'an early return of `registers`, `last` or `texts`, or a number of registers for another length'),
    ('seal_siv', 'add:r[rs] (move )?cmp:ri mov:ri cmovb:rr movzx:rm .*', 'the rest in `absorb_text`, which `seal_siv` gives whole groups alone'),
    ('vaes256 .*', '(neg:r add:rr|test:rr) je:i cmp:ri vmovdqu:xm move cmovae:rr vmovdqu:xm jump zero zero jump', 'one power for a register of two, before the length block'),
    ('vaes256 .*', 'vmovdqa:xm vmovdqa:xm( jump)?|vmovdqa:xm vmovaps:xm jump|vmovaps:xm move vmovaps:xm jump', 'one power for a register of two, which is not the last'),
    ('vaes256 (open|authenticate_siv)', 'vmovdqu:xm( move)* jump|vmovdqu:xm cmp:ri jb:i', 'sixteen bytes in the second half of a register that was tested to have less than 32'),
    ('vaes256 authenticate_siv', 'vmovdqu:xm shl:ri lea:rm vmovdqu:xm', 'one power for the last register and the length block, which are two blocks'),
    ('seal_pair', '(move )*(vpunpcklqdq:xxx zero vinserti128:yyxi (move )?vpxor:yyy v)?aesenclast:(xx|yyy)( move)*( jump)', 'a last register without a byte, which `texts` refuses'),
    ('seal_pair', 'mov:mr jump', 'one byte in a register that was tested to have several'),
    ('vaes512 (seal|open)', 'vmovdqa64:zm( vpaddd:zzm| vpshufb:zzz)+', 'a carry in the rest, whose first counter is 2 modulo 32: fewer than seven registers do not pass 256'),
)]

def kind(o):
    if isinstance(o, Register):
        return {'general': 'r', 'mask': 'k'}.get(o.kind) or {128: 'x', 256: 'y', 512: 'z'}[o.bits]
    return ('s' if o.base == 4 else 'm') if isinstance(o, Memory) else 'i'

def word(ins):
    """An instruction by its name and the kinds of its operands: r, x, y, z, k for registers, s for the stack, m for other memory, i."""
    registers = {(o.kind, o.index) for o in ins.args if isinstance(o, Register)}
    kinds = ''.join(map(kind, ins.args))
    if 'xor' in ins.op and len(registers) == 1 and len(ins.args) > 1 and not set(kinds) & set('smi'):
        return 'zero'
    if ins.op == 'jmp':
        return 'jump'
    if ins.op.lstrip('v').startswith('mov') and re.fullmatch('[rxyzs]{2}', kinds):
        return 'move'
    return f'{ins.op}:{kinds}' if kinds else ins.op

def pieces(code, ran):
    """The unexecuted pieces of a function: their places, and the ways into each: the jumps that choose, and others."""
    places = sorted(at for at in code if code[at].op != 'nop' or at in ran)
    after, ways, into, found = dict(zip(places, places[1:])), {}, {}, []
    for at in places:
        op, args = code[at].op, code[at].args
        ways[at] = [after.get(at)] if op not in ('ret', 'ud2', 'unknown', 'jmp') else []
        if op[0] == 'j' and isinstance(args[0], int) and args[0] in code:
            ways[at].append(places[bisect_left(places, args[0])])
        for to in ways[at]:
            into.setdefault(to, []).append(at)
    left = set(places) - ran
    while left:
        piece, todo = set(), [min(left)]
        while todo:
            at = todo.pop()
            if at in left:
                left.remove(at)
                piece.add(at)
                todo += into.get(at, []) + ways[at]
        entries = {x for at in piece for x in into.get(at, []) if x in ran}
        choose = {x for x in entries if code[x].op[0] == 'j' and code[x].op != 'jmp'}
        found.append((sorted(piece), sorted(choose), sorted(entries - choose)))
    return found

def explain(code, ran, function, rows=ROWS):
    """The reasons of a function's unexecuted instructions, {reason: number}, and the pieces that have none."""
    reasons, unexplained = {}, []
    for places, guards, others in pieces(code, ran):
        shape = ' '.join(word(code[at]) for at in places)
        row = next((row for row in rows if row[0].fullmatch(function) and row[1].fullmatch(shape)), None)
        if row is None or others or not guards:
            ways_in = ', '.join(f'{at:x} {code[at].text}' for at in others or guards) or 'nothing'
            unexplained.append(f'{function} {places[0]:x}, {len(places)} instructions, {shape[:120]}; from {ways_in}')
        else:
            reasons[row[2]] = reasons.get(row[2], 0) + len(places)
    return reasons, unexplained

def needless(functions):
    """Rows whose deletion leaves nothing unexplained in any of the functions, [(code, ran, name)]: they explain nothing, or what others do."""
    return [row[2] for row in ROWS if not any(explain(*x, [other for other in ROWS if other is not row])[1] for x in functions)]
