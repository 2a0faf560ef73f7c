# Runs the trees of parse.py on symbolic values: the proved model of a function is its own source.
import re
from pathlib import Path

import z3
from memory import Cell, Slice, items
from parse import Parser, Unreadable
from values import BITS, NONE, Break, Int, Option, Some, Stop, Struct, Variant, from_bool_or_int, from_le_bytes

ROOT = Path(__file__).resolve().parents[2]


def text_of(path, fault=None):
    """The text of a source file. `fault` is a planted change: (old text, new text); the old one must be there exactly once."""
    text = (ROOT / path).read_text()
    if fault and fault[0] in text:
        assert text.count(fault[0]) == 1, f"the planted change fits {text.count(fault[0])} places of {path}: {fault[0]}"
        return text.replace(*fault), True
    return text, False


def function(text, name, after=""):
    """The tree of the function `name`, the first one after the text `after`."""
    begin = text.index(after)
    match = re.compile(rf"\bfn {name}\b").search(text, begin)
    if not match:
        raise Unreadable(f"there is no function {name} after {after!r}")
    end, depth = text.index("{", match.start()), 0
    while True:  # to the brace that closes the function
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            break
    return Parser(text[match.start() : end]).function()


def constant(text, name):
    """The value of `const NAME: type = …`, an expression of literals and of constants that were read before."""
    match = re.search(rf"\bconst {name}: [^=]+= ([^;]+);", text)
    if not match:
        raise Unreadable(f"there is no constant {name}")
    source = re.sub(r"\bas \w+|_?[ui](8|16|32|64|128|size)\b|(?<=[0-9a-f])_(?=[0-9a-f])", "", match[1])
    source = source.replace("u32::MAX", str(2**32 - 1)).replace("u64::MAX", str(2**64 - 1))
    if not re.fullmatch(r"[0-9a-fA-FxX\s()<>+*/-]+", source):
        raise Unreadable(f"the constant {name} is {match[1]}")
    return eval(source)  # digits and operators only


class Scope:
    def __init__(self, parent=None, names=None):
        self.parent, self.names = parent, names or {}

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope
            scope = scope.parent
        return None


class Machine:
    """Functions of the source, by the names under which they call each other, and what stands for all other names."""

    def __init__(self, paths, names=None, methods=None):
        self.paths, self.names, self.methods = paths, dict(names or {}), dict(methods or {})
        for kind in BITS:
            self.names[f"{kind}::from"] = from_bool_or_int(kind)
            self.names[f"{kind}::from_le_bytes"] = from_le_bytes(kind)
            self.names[f"{kind}::try_from"] = lambda value, kind=kind: TryFrom(value, kind)
        for name in ("Some", "Ok", "Err"):
            self.names[name] = (lambda name: lambda value: Option(name, [value]) if name == "Some" else Variant(name, [value]))(name)
        self.names["None"] = NONE
        Int.paths = paths

    def bind(self, tree, **names):
        """The function as a Python one. `names`: constants such as generics."""
        _, _, parameters, body = tree

        def call(*arguments, generics=()):
            scope = Scope(names=dict(names))
            if len(parameters) != len(arguments):
                raise Unreadable(f"{tree[1]} takes {len(parameters)} arguments")
            for (pattern, _), argument in zip(parameters, arguments):
                assert self.match(pattern, argument, scope)
            try:
                return self.run(body, scope)
            except Stop as stop:
                return stop.value

        return call

    def match(self, pattern, value, scope):
        kind = pattern[0]
        if kind == "pany":
            return True
        if kind == "pname":
            scope.names[pattern[1]] = value
            return True
        if kind == "pvalue":
            return self.paths.choose(self.binary("==", value, pattern[1][1]))
        if kind in ("ptuple", "parray"):
            values = value.items() if isinstance(value, Slice) else list(value)
            return self.match_list(pattern[1], values, scope)
        if kind == "pvariant":
            if isinstance(value, Variant) and (pattern[1] == value.name or pattern[1] == "Self"):
                return self.match_list(pattern[2], value.fields, scope)
            if pattern[1] == "Self" or not isinstance(value, Variant):
                raise Unreadable(f"the pattern {pattern[1]} meets {type(value).__name__}")
            return False
        if kind == "pstruct":
            return all(field is None or self.match(field[1], value.fields[field[0]], scope) for field in pattern[1])
        raise Unreadable(f"the pattern {pattern}")

    def match_list(self, patterns, values, scope):
        if patterns and patterns[-1][0] == "prest":
            if patterns[-1][1]:
                scope.names[patterns[-1][1]] = Slice(values[len(patterns) - 1 :])
            patterns, values = patterns[:-1], values[: len(patterns) - 1]
        if len(patterns) != len(values):
            raise Unreadable(f"{len(patterns)} patterns meet {len(values)} values")
        return all(self.match(pattern, value, scope) for pattern, value in zip(patterns, values))

    def run(self, tree, scope):
        return getattr(self, "run_" + tree[0])(scope, *tree[1:])

    def run_number(self, scope, value, kind):
        return from_bool_or_int(kind)(value) if kind else value

    def run_bool(self, scope, value):
        return value

    def run_path(self, scope, parts, generics):
        name = "::".join(parts)
        if len(parts) == 1 and (found := scope.find(name)):
            return found.names[name]
        if name in self.names:
            return self.names[name]
        if parts[-2:-1] == ["Error"]:
            return name
        if name.split("::")[-1] == "MAX" and parts[0] in BITS:
            return (1 << BITS[parts[0]]) - 1
        raise Unreadable(f"the name {name}")

    def run_block(self, scope, statements, value):
        scope = Scope(scope)
        for statement in statements:
            self.run(statement, scope)
        return self.run(value, scope) if value else ()

    def run_let(self, scope, pattern, kind, value, other):
        value = self.run(value, scope)
        if other is not None and isinstance(value, Option) and not value.some:
            return self.run(other, scope)
        assert self.match(pattern, value, scope)

    def run_assign(self, scope, operator, target, value):
        value = self.run(value, scope)
        if operator != "=":
            value = self.binary(operator[:-1], self.run(target, scope), value)
        self.assign(scope, target, value)
        return ()

    def assign(self, scope, target, value):
        if target[0] == "tuple":
            for one, part in zip(target[1], value):
                self.assign(scope, one, part)
        elif target[0] == "field":
            self.run(target[1], scope).fields[target[2]] = value
        elif target[0] == "path" and (found := scope.find(target[1][0])):
            found.names[target[1][0]] = value
        elif target[0] == "deref" and isinstance(place := self.run(target[1], scope), Cell):
            place.value = value
        else:
            raise Unreadable(f"an assignment to {target}")

    def run_tuple(self, scope, values):
        return tuple(self.run(value, scope) for value in values)

    def run_array(self, scope, values):
        return Slice([self.run(value, scope) for value in values])

    def run_repeat(self, scope, value, count):
        return Slice([from_bool_or_int("u8")(self.run(value, scope)) for _ in range(self.run(count, scope))])

    def run_range(self, scope, start, end, inclusive):
        start, end = (None if one is None else self.run_deref(scope, one) for one in (start, end))
        return (start, end + inclusive if inclusive else end)

    def run_deref(self, scope, value):
        value = self.run(value, scope)
        return value.value if isinstance(value, Cell) else value

    def run_unary(self, scope, operator, value):
        value = self.run(value, scope)
        if isinstance(value, Int):
            return value.like(~value.bits if operator == "!" else -value.bits)
        if isinstance(value, bool) or not isinstance(value, int):
            return not value if isinstance(value, bool) else z3.simplify(z3.Not(value))
        return ~value if operator == "!" else -value

    def run_binary(self, scope, operator, left, right):
        left = self.run(left, scope)
        if operator in ("&&", "||"):
            chosen = self.paths.choose(left)
            return chosen if chosen == (operator == "||") else self.run(right, scope)
        return self.binary(operator, left, self.run(right, scope))

    def binary(self, operator, left, right):
        left, right = (one.value if isinstance(one, Cell) else one for one in (left, right))
        if isinstance(left, Int):
            return left.binary(operator, right)
        if isinstance(right, Int) and operator not in ("<<", ">>"):
            return from_bool_or_int(right.kind)(left).binary(operator, right)
        if isinstance(left, int) and isinstance(right, int):
            if operator in ("/", "%"):
                return left // right if operator == "/" else left % right
            return eval(f"left {operator} right")
        if operator in ("==", "!="):
            return left == right if operator == "==" else left != right
        raise Unreadable(f"{type(left).__name__} {operator} {type(right).__name__}")

    def run_cast(self, scope, value, kind):
        value = self.run(value, scope)
        if isinstance(value, Cell):
            value = value.value
        if kind not in BITS or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        return value.cast(kind) if isinstance(value, Int) else from_bool_or_int(kind)(value)

    def run_index(self, scope, value, at):
        return self.run(value, scope).cells[self.run(at, scope)].value

    def run_field(self, scope, value, name):
        value = self.run(value, scope)
        if isinstance(value, tuple):
            return value[name]
        return value.fields[name] if hasattr(value, "fields") else getattr(value, name)

    def run_method(self, scope, value, name, generics, arguments):
        value = self.run(value, scope)
        arguments = [self.run(one, scope) for one in arguments]
        if isinstance(value, (Struct, Variant)) and name in self.methods:
            return self.methods[name](value, *arguments)
        if isinstance(value, str) and value.startswith("Error::") and name == "into":
            return Struct("ErrorAt", {"error": value, "index": 0})
        if isinstance(value, Cell) and not hasattr(value, name):
            value = value.value
        if isinstance(value, int) and not isinstance(value, bool):
            value = from_bool_or_int("u64")(value)
        method = getattr(value, name, None)
        if method is None:
            raise Unreadable(f"the method {name} of {type(value).__name__}")
        return method(*generics, *arguments)

    def run_call(self, scope, callee, arguments):
        arguments = [self.run(one, scope) for one in arguments]
        if callee[0] == "path":
            name = "::".join(callee[1])
            if name == "Self" or (name not in self.names and not scope.find(name) and name[0].isupper() and len(callee[1]) == 1):
                return Variant(name, arguments)
            if callee[2]:
                return self.run(("path", callee[1], []), scope)(*arguments, generics=[self.generic(one, scope) for one in callee[2]])
        return self.run(callee, scope)(*arguments)

    @staticmethod
    def generic(name, scope):
        """The value of a generic constant; a type stays a name."""
        found = scope.find(name) if isinstance(name, str) else None
        return found.names[name] if found else name

    def run_struct(self, scope, name, fields):
        return Struct(name, {field: self.run(value, scope) for field, value in fields})

    def run_closure(self, scope, parameters, body):
        def call(*arguments):
            inner = Scope(scope)
            for (pattern, _), argument in zip(parameters, arguments):
                assert self.match(pattern, argument, inner)
            return self.run(body, inner)

        return call

    def run_if(self, scope, condition, body, other):
        if self.paths.choose(self.run(condition, scope)):
            return self.run(body, scope)
        return self.run(other, scope) if other else ()

    def run_iflet(self, scope, pattern, value, body, other):
        inner = Scope(scope)
        if self.match(pattern, self.run(value, scope), inner):
            return self.run(body, inner)
        return self.run(other, scope) if other else ()

    def run_match(self, scope, value, arms):
        value = self.run(value, scope)
        for pattern, guard, body in arms:
            inner = Scope(scope)
            if self.match(pattern, value, inner) and (guard is None or self.paths.choose(self.run(guard, inner))):
                return self.run(body, inner)
        raise Unreadable("no arm fits")

    def run_for(self, scope, pattern, values, body):
        values = self.run(values, scope)
        if isinstance(values, tuple) and all(isinstance(one, int) for one in values) and len(values) == 2:
            values = range(*values)
        for value in items(values):
            inner = Scope(scope)
            assert self.match(pattern, value, inner)
            try:
                self.run(body, inner)
            except Break:
                break
        return ()

    def run_while(self, scope, condition, body, _):
        while (holds := self.run(condition, scope)) is True or (holds is not False and self.paths.choose(holds)):
            try:
                self.run(body, scope)
            except Break:
                break
        return ()

    def run_return(self, scope, value):
        raise Stop(() if value is None else self.run(value, scope))

    def run_break(self, scope):
        raise Break

    def run_try(self, scope, value):
        value = self.run(value, scope)
        if value.name in ("Ok", "Some"):
            return value.fields[0]
        raise Stop(value)


class TryFrom:
    """Of usize into u64, which always fits here."""

    def __init__(self, value, kind):
        self.value, self.kind = value, kind

    def ok(self):
        assert BITS[self.kind] >= self.value.size and not self.value.signed
        return Some(self.value.cast(self.kind))
