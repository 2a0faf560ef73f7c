# QUIC packets of aioquic, another implementation: asks quic.mjs on standard output about packets both ways, reads its answers on standard
# input, and prints what agreed on standard error: PACKETS SEED
#
# aioquic derives its keys, and protects headers and numbers, by itself; its cipher is OpenSSL's.
import json
import random
import sys

from aioquic.quic.crypto import CryptoContext, CryptoPair, apply_key_phase, next_key_phase
from aioquic.quic.packet import get_retry_integrity_tag
from aioquic.tls import CipherSuite

EACH, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
SUITES = ((CipherSuite.AES_128_GCM_SHA256, 32), (CipherSuite.AES_256_GCM_SHA384, 48))
STARTS = [0, 0, 250, 65_530, 2**24 - 9, 2**32 - 5, 2**40, 2**52]
count = {}


def ask(op, id=None, **fields):
    print(json.dumps({"op": op, "id": id, **fields}), flush=True)
    return json.loads(sys.stdin.readline())


def agreed(kind, number=1):
    count[kind] = count.get(kind, 0) + number


def header(is_long, phase, number, length):
    if is_long:
        ids = [rng.randbytes(rng.randrange(21)) for _ in range(2)]
        first = 0xC0 | rng.choice([0, 0x10, 0x20]) | (length - 1)
        body = rng.randbytes(4) + b"".join(bytes([len(one)]) + one for one in ids) + rng.randbytes(2)
    else:
        first, body = 0x40 | rng.choice([0, 0x20]) | phase << 2 | (length - 1), rng.randbytes(rng.randrange(21))
    return bytes([first]) + body + (number % (1 << 8 * length)).to_bytes(length, "big")


class Way:
    """The numbers of one direction."""

    def __init__(self, number):
        self.number, self.largest = number, number - 1

    def length(self):
        return rng.choice([n for n in (1, 2, 3, 4) if 2 * (self.number - self.largest) < 1 << 8 * n])

    def done(self):
        self.largest, self.number = self.number, self.number + rng.choice([1, 1, 1, 2, 100])


def payload(length):
    return rng.randbytes(rng.choice([4 - length if length < 4 else 0, rng.randrange(4, 40), rng.randrange(4, 1380)]))


def flipped(packet):
    copy = bytearray(packet)
    copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
    return bytes(copy)


def opened(context, packet, offset, expected):
    """None if aioquic refuses, as it does for everything that is wrong."""
    try:
        return context.decrypt_packet(packet, offset, expected)
    except Exception:
        return None


def series(version, suite, size, backend, kind):
    send, receive = CryptoContext(), CryptoContext()
    if kind == "initial":
        id, pair = rng.randbytes(rng.randrange(21)), CryptoPair()
        pair.setup_initial(id, True, version)
        secret = pair.send.secret
        assert ask("initial", id=id.hex(), version=version)["client"] == secret.hex(), "the Initial secret of the client"
        assert ask("initial", id=id.hex(), version=version)["server"] == pair.recv.secret.hex(), "the Initial secret of the server"
    else:
        secret = rng.randbytes(size)
    for context in (send, receive):
        context.setup(cipher_suite=suite, secret=secret, version=version)
    for id in ("s", "r"):
        ask("new", id, secret=secret.hex(), version=version, **({"backend": backend} if backend else {}))
    start = rng.choice(STARTS)
    out, back, updates = Way(start), Way(start), 0
    for i in range(EACH):
        if kind == "short" and i and i % 17 == 0:  # a key update on both sides
            ask("next", "s")
            apply_key_phase(send, next_key_phase(send), "local")
            ask("drop", "r")
            updates += 1
            agreed("key updates")
        length = out.length()
        clear, text = header(kind != "short", updates & 1, out.number, length), payload(length)
        sealed = bytes.fromhex(ask("seal", "s", header=clear.hex(), payload=text.hex(), number=out.number)["packet"])
        if i % 7 == 3:
            # A packet whose key phase bit was damaged is tried with other keys, so all bits may be.
            assert opened(receive, flipped(sealed), len(clear) - length, out.largest + 1) is None, "aioquic opens a damaged packet"
            agreed("damaged, refused by aioquic")
        answer = opened(receive, sealed, len(clear) - length, out.largest + 1)
        assert answer is not None and answer[:3] == (clear, text, out.number), ("aioquic opens ours", version, suite, backend, kind, i)
        if answer[3]:
            apply_key_phase(receive, next_key_phase(receive), "remote")
        out.done()
        length = back.length()
        clear, text = header(kind != "short", updates & 1, back.number, length), payload(length)
        packet = send.encrypt_packet(clear, text, back.number)
        if i % 7 == 3:
            bad = flipped(packet)
            answer = ask("open", "r", packet=bad.hex(), offset=len(clear) - length, largest=back.largest)
            assert answer["number"] == -1 and bytes.fromhex(answer["packet"]) == bad, "we open a damaged packet"
            agreed("damaged, refused by us")
        answer = ask("open", "r", packet=packet.hex(), offset=len(clear) - length, largest=back.largest)
        right = answer["number"] == back.number and bytes.fromhex(answer["packet"])[:-16] == clear + text and answer["phase"] == updates
        assert right, ("we open aioquic's", version, suite, backend, kind, i, answer)
        back.done()
        agreed("packets", 2)
    for id in ("s", "r"):
        ask("end", id)


for version in (1, 0x6B3343CF):
    for _ in range(20):
        id, packet = rng.randbytes(rng.randrange(21)), bytes([0xF0 | rng.randrange(16)]) + rng.randbytes(rng.randrange(20, 200))
        tag = ask("retry", version=version, connection=id.hex(), packet=packet.hex())["tag"]
        assert tag == get_retry_integrity_tag(packet, id, version).hex(), "the tag of a Retry packet"
        agreed("Retry tags")
    for suite, size in SUITES:
        for backend in (None, *ask("backends")["backends"]):
            for kind in ("long", "short", "initial"):
                if kind != "initial" or size == 32:
                    series(version, suite, size, backend, kind)
print(json.dumps({"op": "result", "count": count}), flush=True)
