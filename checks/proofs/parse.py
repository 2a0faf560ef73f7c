# Reads functions of this repository's Rust source as trees. It knows the part of Rust that the proved functions use, and refuses all
# other syntax, so that a proof never passes over a line that it did not understand.
#
# A tree is a tuple whose first element is its kind: ('binary', '+', left, right).
import re

TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/                                   # not a token
    |(?P<life>'[a-z_]+(?!'))|(?P<string>"(?:\\.|[^"\\])*")
    |(?P<number>0x[0-9a-fA-F_]+(?:_?[ui](?:8|16|32|64|128|size))?|[0-9][0-9_]*(?:[ui](?:8|16|32|64|128|size))?)
    |(?P<name>\$?[A-Za-z_]\w*!?(?<!\!)|[a-z_]+!(?=[({\[]))
    |(?P<op>\.\.=|<<=|>>=|\.\.|::|->|=>|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^!=<>.,;:?(){}\[\]@\#])""",
    re.X | re.S,
)
BINARY = [["||"], ["&&"], ["==", "!=", "<", ">", "<=", ">="], ["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
ASSIGN = ["=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="]
END = ("end", "")


class Unreadable(Exception):
    pass


def tokens(text):
    at, found = 0, []
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Unreadable(f"a character that no token begins with: {text[at : at + 40]!r}")
        if match.lastgroup:
            found.append((match.lastgroup, match.group()))
        at = match.end()
    return found


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0

    def peek(self, ahead=0):
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else END

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def take(self, *texts):
        """The next token, if it is one of these."""
        if self.peek()[0] in ("op", "name") and self.peek()[1] in texts:
            return self.next()[1]
        return None

    def need(self, text):
        if not self.take(text):
            near = " ".join(token for _, token in self.tokens[max(0, self.at - 8) : self.at + 8])
            raise Unreadable(f"{text} is missing near: {near}")

    def name(self):
        kind, text = self.next()
        if kind != "name":
            raise Unreadable(f"a name is missing before {text}")
        return text

    def list(self, end, item):
        items = []
        while not self.take(end):
            items.append(item())
            if not self.take(","):
                self.need(end)
                break
        return items

    def skip_balanced(self, opening, closing):
        """Skips up to the token that closes the opening one, which was taken."""
        depth = 1
        while depth:
            _, text = self.next()
            if text == "":
                raise Unreadable(f"{closing} is missing")
            depth += (text.count(opening) if opening == "<" else text == opening) and text not in ("<=", "<<=") or 0
            if opening == "<":
                depth -= text.count(">") if text in (">", ">>") else 0
            else:
                depth -= text == closing

    def function(self):
        """fn name<generics>(pattern: type, …) -> type { … }"""
        self.need("fn")
        name = self.name()
        if self.take("<"):
            self.skip_balanced("<", ">")
        self.need("(")
        parameters = self.list(")", self.parameter)
        if self.take("->"):
            self.type("{")
        self.need("{")
        return ("function", name, parameters, self.block())

    def parameter(self):
        while self.take("&", "mut") or (self.peek()[0] == "life" and self.next()):
            pass
        pattern = self.pattern()
        kind = self.type(",", ")") if self.take(":") else None
        return pattern, kind

    def type(self, *ends):
        """The text of a type, up to one of the tokens that end it."""
        depth, parts = 0, []
        while depth > 0 or self.peek()[1] not in ends:
            kind, text = self.next()
            if text == "":
                raise Unreadable("a type does not end")
            depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1, ">>": -2}.get(text, 0)
            parts.append("" if kind == "life" else text)
        return "".join(parts)

    def block(self):
        """Statements up to the brace that closes the block, whose opening one was taken."""
        statements, value = [], None
        while not self.take("}"):
            if self.take("const"):
                self.need("{")
                self.skip_balanced("{", "}")
                self.take(";")
                continue
            if self.take("let"):
                statements.append(self.let())
                continue
            value = self.expression()
            if self.take(";"):
                statements.append(value)
                value = None
            elif self.peek()[1] != "}":
                if value[0] not in ("if", "iflet", "for", "while", "whilelet", "block", "match"):
                    raise Unreadable(f"; is missing before {self.peek()[1]}")
                statements.append(value)
                value = None
        return ("block", statements, value)

    def let(self):
        pattern = self.pattern()
        kind = self.type("=", ";") if self.take(":") else None
        self.need("=")
        value = self.expression()
        other = None
        if self.take("else"):
            self.need("{")
            other = self.block()
        self.need(";")
        return ("let", pattern, kind, value, other)

    def pattern(self):
        while self.take("&", "mut"):
            pass
        kind, text = self.peek()
        if text == "(":
            self.next()
            return ("ptuple", self.list(")", self.pattern))
        if text == "[":
            self.next()
            return ("parray", self.list("]", self.pattern))
        if text == "..":
            self.next()
            return ("prest", None)
        if kind == "number":
            return ("pvalue", self.number(self.next()[1]))
        name = self.name()
        while self.take("::"):
            name = self.name()
        if self.take("("):
            return ("pvariant", name, self.list(")", self.pattern))
        if self.take("{"):
            return ("pstruct", self.list("}", self.field_pattern))
        if self.take("@"):
            self.need("..")
            return ("prest", name)
        if name == "_":
            return ("pany",)
        return ("pvariant", name, []) if name[0].isupper() else ("pname", name)

    def field_pattern(self):
        if self.take(".."):
            return None
        name = self.name()
        return name, self.pattern() if self.take(":") else ("pname", name)

    def expression(self, struct=True):
        left = self.range(struct)
        operator = self.take(*ASSIGN)
        return ("assign", operator, left, self.expression(struct)) if operator else left

    def range(self, struct):
        if self.peek()[1] in ("..", "..="):
            left = None
        else:
            left = self.binary(0, struct)
        operator = self.take("..", "..=")
        if not operator:
            return left
        ends = self.peek()[1] in (")", "]", "}", ",", ";") or (self.peek()[1] == "{" and not struct)
        return ("range", left, None if ends else self.binary(0, struct), operator == "..=")

    def binary(self, level, struct):
        if level == len(BINARY):
            return self.cast(struct)
        left = self.binary(level + 1, struct)
        while operator := self.take(*BINARY[level]):
            left = ("binary", operator, left, self.binary(level + 1, struct))
        return left

    def cast(self, struct):
        value = self.unary(struct)
        while self.take("as"):
            value = ("cast", value, self.name())
        return value

    def unary(self, struct):
        operator = self.take("!", "-", "*", "&", "&&")
        if operator:
            self.take("mut")
            value = self.unary(struct)
            if operator == "*":
                return ("deref", value)
            return value if operator in ("&", "&&") else ("unary", operator, value)
        return self.postfix(self.primary(struct))

    def postfix(self, value):
        while True:
            if self.take("?"):
                value = ("try", value)
            elif self.take("("):
                value = ("call", value, self.list(")", self.expression))
            elif self.take("["):
                value = ("index", value, self.expression())
                self.need("]")
            elif self.take("."):
                kind, name = self.next()
                if kind == "number":
                    value = ("field", value, int(name))
                    continue
                generics = self.generics()
                if self.take("("):
                    value = ("method", value, name, generics, self.list(")", self.expression))
                else:
                    value = ("field", value, name)
            else:
                return value

    def generics(self):
        if not (self.peek()[1] == "::" and self.peek(1)[1] == "<"):
            return []
        self.next()
        self.next()
        items = []
        while not self.take(">"):
            kind, text = self.next()
            if kind not in ("name", "number") and text not in (",", "_"):
                raise Unreadable(f"{text} between < and >")
            if text != ",":
                items.append(self.number(text)[1] if kind == "number" else text)
        return items

    @staticmethod
    def number(text):
        match = re.fullmatch(r"(0x[0-9a-fA-F_]+?|[0-9_]+?)_?([ui](?:8|16|32|64|128|size))?", text)
        return ("number", int(match[1].replace("_", ""), 0), match[2])

    def primary(self, struct):
        kind, text = self.next()
        if kind == "number":
            return self.number(text)
        if text == "(":
            items = self.list(")", self.expression)
            return items[0] if len(items) == 1 and self.tokens[self.at - 2][1] != "," else ("tuple", items)
        if text == "[":
            if self.take("]"):
                return ("array", [])
            first = self.expression()
            if self.take(";"):
                count = self.expression()
                self.need("]")
                return ("repeat", first, count)
            return ("array", [first] + (self.list("]", self.expression) if self.take(",") else self.need("]") or []))
        if text == "{":
            return self.block()
        if text in ("|", "||"):
            parameters = [] if text == "||" else self.list("|", lambda: (self.pattern(), self.type(",", "|") if self.take(":") else None))
            return ("closure", parameters, self.expression())
        if kind == "name":
            return self.word(text, struct)
        raise Unreadable(f"{text} where a value should be")

    def word(self, text, struct):
        if text == "unsafe":
            self.need("{")
            return self.block()
        if text == "return":
            return ("return", None if self.peek()[1] in (";", "}") else self.expression())
        if text == "break":
            return ("break",)
        if text in ("true", "false"):
            return ("bool", text == "true")
        if text in ("if", "while"):
            kind, pattern = text, None
            if self.take("let"):
                kind, pattern = text + "let", self.pattern()
                self.need("=")
            condition = self.expression(struct=False)
            self.need("{")
            body, other = self.block(), None
            if text == "if" and self.take("else"):
                other = self.word("if", struct) if self.take("if") else self.need("{") or self.block()
            return (kind, condition, body, other) if pattern is None else (kind, pattern, condition, body, other)
        if text == "for":
            pattern = self.pattern()
            self.need("in")
            items = self.expression(struct=False)
            self.need("{")
            return ("for", pattern, items, self.block())
        if text == "match":
            value = self.expression(struct=False)
            self.need("{")
            return ("match", value, self.list_of_arms())
        return self.path(text, struct)

    def list_of_arms(self):
        arms = []
        while not self.take("}"):
            pattern = self.pattern()
            guard = self.expression(struct=False) if self.take("if") else None
            self.need("=>")
            arms.append((pattern, guard, self.expression()))
            self.take(",")
        return arms

    def path(self, text, struct):
        parts, generics = [text], self.generics()
        while self.take("::"):
            parts.append(self.name())
            generics = self.generics() or generics
        last = parts[-1]
        if struct and self.peek()[1] == "{" and last[0].isupper() and not last.isupper():
            self.next()
            fields = []
            while not self.take("}"):
                name = self.name()
                fields.append((name, self.expression() if self.take(":") else ("path", [name], [])))
                self.take(",")
            return ("struct", last, fields)
        return ("path", parts, generics)
