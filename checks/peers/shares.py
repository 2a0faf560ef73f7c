# Shares, written from docs/formats.md alone: a splitter and a combiner. Answers lines of JSON on standard input, one by one.
import hashlib
import hmac
import json
import secrets
import sys

POLYNOMIAL = 1 << 256 | 1 << 10 | 1 << 5 | 1 << 2 | 1
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


class Refused(Exception):
    pass


def times(a, b):
    result = 0
    while b:
        if b & 1:
            result ^= a
        a, b = a << 1, b >> 1
        if a >> 256:
            a ^= POLYNOMIAL
    return result


def inverse(a):
    """By the extended algorithm of Euclid: b·a is u and d·a is v, modulo the polynomial, all the time."""
    u, v, b, d = a, POLYNOMIAL, 1, 0
    while u != 1:
        shift = u.bit_length() - v.bit_length()
        if shift < 0:
            u, v, b, d, shift = v, u, d, b, -shift
        u, b = u ^ v << shift, b ^ d << shift
    return b


def to_bytes(element):
    """Four words of 64 bits, the least significant word first, each word big-endian."""
    return b"".join((element >> 64 * i & (1 << 64) - 1).to_bytes(8, "big") for i in range(4))


def from_bytes(bytes):
    return sum(int.from_bytes(bytes[8 * i : 8 * i + 8], "big") << 64 * i for i in range(4))


def evaluate(coefficients, x):
    value = 0
    for coefficient in reversed(coefficients):
        value = times(value, x) ^ coefficient
    return value


def at_zero(points):
    """The value at 0 of the polynomial through the points."""
    value = 0
    for x, y in points:
        above, below = 1, 1
        for other, _ in points:
            if other != x:
                above, below = times(above, other), times(below, x ^ other)
        value ^= times(y, times(above, inverse(below)))
    return value


def check_of(blind, threshold, length, padded):
    return hmac.digest(blind, bytes([1, threshold, length]) + padded, "sha256")[:16]


def split(secret, threshold, points):
    padded, blind = secret + bytes(32 - len(secret)), secrets.token_bytes(32)
    polynomials = [[from_bytes(value), *[secrets.randbits(256) for _ in range(threshold - 1)]] for value in (padded, blind)]
    check = check_of(blind, threshold, len(secret), padded)
    head = lambda x: bytes([1, len(secret), threshold, x]) + check
    return [head(x) + b"".join(to_bytes(evaluate(one, x)) for one in polynomials) for x in points]


def combine(shares):
    if any(len(share) != 84 for share in shares):
        raise Refused("length")
    head = lambda share: share[:3] + share[4:20]
    version, length, threshold = shares[0][:3]
    if version != 1 or length not in (16, 32) or threshold == 0:
        raise Refused("header")
    if len({head(share) for share in shares}) != 1:
        raise Refused("headers differ")
    points = [share[3] for share in shares]
    if 0 in points or len(set(points)) != len(points) or len(points) < threshold:
        raise Refused("points")
    padded, blind = (to_bytes(at_zero([(share[3], from_bytes(share[at : at + 32])) for share in shares])) for at in (20, 52))
    if not hmac.compare_digest(check_of(blind, threshold, length, padded), shares[0][4:20]) or any(padded[length:]):
        raise Refused("check")
    return padded[:length]


def to_text(share):
    bits = share[1:] + hashlib.sha256(share).digest()[:4]
    number = int.from_bytes(bits, "big") << 4
    digits = "".join(BASE32[number >> 5 * (139 - i) & 31] for i in range(140))
    return f"AGS{share[0]}-" + "-".join(digits[i : i + 5] for i in range(0, 140, 5))


def from_text(text):
    if len(text) > 1024:
        raise Refused("length of the text")
    kept = "".join(one for one in text if one not in " \t\n\v\f\r-").upper()
    if kept[:4] not in ("AGS1", "AGSI", "AGSL"):
        raise Refused("prefix")
    digits = kept[4:].translate(str.maketrans("018", "OIB"))
    if len(digits) != 140 or any(digit not in BASE32 for digit in digits):
        raise Refused("digits")
    number = 0
    for digit in digits:
        number = number << 5 | BASE32.index(digit)
    if number & 15:
        raise Refused("the last bits")
    bits = (number >> 4).to_bytes(87, "big")
    share = b"\1" + bits[:83]
    if hashlib.sha256(share).digest()[:4] != bits[83:]:
        raise Refused("checksum")
    return share


def horcrux_split(secret, threshold, points):
    coefficients = [from_bytes(secret), *[secrets.randbits(256) for _ in range(threshold - 1)]]
    name = lambda x: str(x) if x < 256 else to_bytes(x).hex()
    return [f"{name(x)}|{to_bytes(evaluate(coefficients, x)).hex()}" for x in points]


def horcrux_combine(texts, threshold):
    points = []
    for text in texts:
        x, _, value = text.partition("|")
        if len(value) != 64 or (len(x) != 64 and not x.isdecimal()):
            raise Refused("text")
        points.append((from_bytes(bytes.fromhex(x)) if len(x) == 64 else int(x), from_bytes(bytes.fromhex(value))))
    if len({x for x, _ in points}) != len(points) or len(points) < threshold or any(x == 0 for x, _ in points):
        raise Refused("points")
    values = {at_zero(points[i : i + threshold]) for i in range(len(points) - threshold + 1)}
    if len(values) != 1:
        raise Refused("the shares do not agree")
    return to_bytes(values.pop())


def answer(request):
    kind = request["format"]
    if request["op"] == "split":
        secret, threshold, points = bytes.fromhex(request["secret"]), request["threshold"], request["points"]
        if kind.startswith("horcrux"):
            points = [secrets.randbits(256) | 1 << 255 for _ in points] if kind == "horcrux-random" else points
            return horcrux_split(secret, threshold, points)
        shares = split(secret, threshold, points)
        return [to_text(share) if kind == "text" else share.hex() for share in shares]
    shares = request["shares"]
    if kind.startswith("horcrux"):
        return horcrux_combine(shares, request["threshold"]).hex()
    return combine([from_text(share) if kind == "text" else bytes.fromhex(share) for share in shares]).hex()


if __name__ == "__main__":
    for line in sys.stdin:
        try:
            reply = {"value": answer(json.loads(line))}
        except Refused as refused:
            reply = {"refused": str(refused)}
        print(json.dumps(reply), flush=True)
