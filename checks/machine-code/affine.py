"""Numbers of which only bounds are known: c + k1·v1 + k2·v2 …, for variables that stand for all values between their bounds.

A `Number` is an int, so that the executor computes with it; its value is one example, which nothing may look at but memory. What would have
different results within the bounds stops the run: by `Split` if one variable decides, so that the proof goes on for both parts of its range."""
from forms import Unknown, constant, join, symbol

M64 = 2**64 - 1
VARIABLES = {}  # the bounds of each variable, and its value in the example
SYMBOLS, NUMBERS = {}, {}

class Split(Exception):
    """(variable, value): the run goes differently below this value, at it, or above it."""
def make(c, terms):
    terms = {v: k for v, k in terms.items() if k}
    if not terms:
        return c
    x = int.__new__(Number, c + sum(k * VARIABLES[v][2] for v, k in terms.items()))
    x.c, x.terms = c, terms
    return x

class Number(int):
    def bounds(self):
        ends = [sorted((k * VARIABLES[v][0], k * VARIABLES[v][1])) for v, k in self.terms.items()]
        return self.c + sum(e[0] for e in ends), self.c + sum(e[1] for e in ends)

    def __add__(self, other):
        c, terms = (other.c, other.terms) if isinstance(other, Number) else (int(other), {})
        return make(self.c + c, {v: self.terms.get(v, 0) + terms.get(v, 0) for v in {*self.terms, *terms}})

    def __mul__(self, other):
        if isinstance(other, Number):
            raise Unknown('a product of numbers')
        return make(self.c * other, {v: k * other for v, k in self.terms.items()})

    __radd__, __rmul__ = __add__, __mul__
    __neg__, __sub__, __rsub__ = (lambda x: x * -1), (lambda x, y: x + -y), (lambda x, y: -x + y)

    def crosses(self, zero):
        """Whether this is at least zero: in all cases or in none."""
        x = self - zero
        if not isinstance(x, Number):
            return x >= 0
        low, high = x.bounds()
        if low >= 0 or high < 0:
            return low >= 0
        v, k = max(x.terms.items(), key=lambda term: abs(term[1]) * (VARIABLES[term[0]][1] - VARIABLES[term[0]][0]))
        raise Split(v, VARIABLES[v][0] + 1 if len(x.terms) > 1 else -(x.c // k) if k > 0 else x.c // -k + 1)

    __ge__, __lt__ = crosses, lambda x, y: not x.crosses(y)
    __gt__, __le__ = (lambda x, y: x.crosses(y + 1)), (lambda x, y: not x.crosses(y + 1))
    __eq__ = lambda x, y: isinstance(y, int) and x.crosses(y) and not x.crosses(y + 1)
    __ne__, __bool__, __hash__ = (lambda x, y: not x == y), (lambda x: not x == 0), int.__hash__

    def __rshift__(self, n):
        """Divided by 2^n: exact if the remainders of all parts stay within one quotient."""
        whole = {v: (k + (1 << n - 1) >> n if n else k) for v, k in self.terms.items()}
        rest = make(self.c, {v: k - (whole[v] << n) for v, k in self.terms.items()})
        low, high = rest.bounds() if isinstance(rest, Number) else (rest, rest)
        if low >> n != high >> n:
            rest.crosses((low >> n) + 1 << n)
        return make(low >> n, whole)

    __lshift__ = lambda x, n: x * (1 << n)

    def __and__(self, mask):
        below = mask if mask & mask + 1 == 0 else M64 - mask
        if below & below + 1:
            raise Unknown('bits of a number')
        n = below.bit_length()
        upper = self >> n << n
        return self - upper if mask == below else upper

    __rand__ = __and__

    def vector(self, n):
        """The lowest n bits: one symbol for what is above the bits that all variables leave alone."""
        low = min((k & -k).bit_length() - 1 for k in self.terms.values())
        key = self.c >> low, tuple(sorted((v, k >> low) for v, k in self.terms.items()))
        s = SYMBOLS.setdefault(key, -1 - len(SYMBOLS))
        upper = symbol(s).slice(0, 64)
        x = join([constant(low, self.c & (1 << low) - 1), upper.slice(0, 64 - low)]).slice(0, n) if low else upper.slice(0, n)
        if self.bounds()[0] >= 0 and self.bounds()[1] < 1 << n:
            NUMBERS[x.key()] = self
        return x

def _unknown(self, *_):
    raise Unknown('an operation on numbers that are not known')

for _name in 'or ror xor rxor invert floordiv rfloordiv mod rmod divmod rdivmod pow rpow truediv rlshift rrshift'.split():
    setattr(Number, f'__{_name}__', _unknown)
