# Sessions, written from docs/formats.md alone, over TCP, with the ciphers of the PyPI package cryptography. Each line of JSON on standard
# input is one connection to make; the answer tells what came.
import hashlib
import hmac
import json
import secrets
import socket
import struct
import sys
import threading

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

# id: cipher, bytes of its key, label
CIPHERS = {
    1: (AESGCM, 32, b"KeibiDrop-AES-256-GCM-SEK"),
    2: (AESGCM, 16, b"KeibiDrop-AES-128-GCM-SEK"),
    3: (ChaCha20Poly1305, 32, b"KeibiDrop-ChaCha20-Poly1305-SEK"),
}
CONFIRM, DATA, REKEY, END = range(4)
MAX_RECORD = 1 << 20


class Refused(Exception):
    pass


def expand(key, info, length):
    """HKDF-Expand of RFC 5869 with SHA-512."""
    block, output = b"", b""
    for counter in range(1, 255):
        if len(output) >= length:
            break
        block = hmac.digest(key, block + info + bytes([counter]), "sha512")
        output += block
    return output[:length]


def joined(secrets):
    return b"".join(struct.pack(">I", len(one)) + one for one in secrets)


def make_hello(role, random, ids):
    return b"HAGS\1" + bytes([role]) + random + bytes([len(ids), *ids])


def read_hello(hello, own_role, own_random):
    if len(hello) > 1024 or len(hello) < 39 or hello[:5] != b"HAGS\1":
        raise Refused("hello")
    role, random, count, ids = hello[5], hello[6:38], hello[38], hello[39:]
    if role != 1 - own_role or random == own_random or len(ids) != count or count == 0 or len(set(ids)) != count:
        raise Refused("hello")
    return ids


class Direction:
    """The keys of one direction."""

    def __init__(self, cipher, number, prk):
        self.cipher, self.number, self.epoch = cipher, number, 0
        self.derive(prk)

    def derive(self, prk):
        make, size, label = CIPHERS[self.cipher]
        value = lambda purpose, length: expand(prk, label + b"\0" + bytes([self.number]) + purpose, length)
        self.aead, self.iv, self.chain, self.record = make(value(b"key", size)), value(b"iv", 12), value(b"chain", 64), 0

    def rekey(self, extra=None):
        self.epoch += 1
        self.derive(hmac.digest(self.chain, b"" if extra is None else joined(extra), "sha512"))

    def nonce(self):
        number = self.record.to_bytes(12, "big")
        self.record += 1
        return bytes(a ^ b for a, b in zip(self.iv, number))

    def seal(self, kind, plaintext):
        header = struct.pack(">IB", 1 + len(plaintext) + 16, kind)
        return header + self.aead.encrypt(self.nonce(), plaintext, header)

    def open(self, header, sealed):
        try:
            return self.aead.decrypt(self.nonce(), sealed, header)
        except InvalidTag:
            raise Refused("tag") from None


def directions(role, cipher, hellos, shared, context):
    parts = hellos if context is None else [*hellos, context]
    transcript = hashlib.sha512(b"".join(struct.pack(">H", len(one)) + one for one in parts)).digest()
    prk = hmac.digest(transcript, joined(shared), "sha512")
    both = [Direction(cipher, 1, prk), Direction(cipher, 2, prk)]
    return both if role == 0 else both[::-1]


class Connection:
    def __init__(self, plan):
        self.plan, self.received, self.bytes = plan, hashlib.sha256(), 0
        self.socket = socket.create_connection(("127.0.0.1", plan["port"]), timeout=20)
        self.read_records, self.ended, self.error = 0, False, None

    def exactly(self, count):
        parts = b""
        while len(parts) < count:
            part = self.socket.recv(count - len(parts))
            if not part:
                raise Refused("truncated")
            parts += part
        return parts

    def shake(self):
        role, shared = self.plan["role"], [bytes.fromhex(one) for one in self.plan["secrets"]]
        random = secrets.token_bytes(32)
        mine = make_hello(role, random, self.plan["ids"])
        mine = bytearray(mine)
        for place, change in self.plan.get("hello", []):
            mine[place] ^= change
        mine = bytes(mine) + bytes.fromhex(self.plan.get("tail", ""))
        self.socket.sendall(struct.pack(">H", len(mine)) + mine)
        theirs = self.exactly(struct.unpack(">H", self.exactly(2))[0])
        ids = read_hello(theirs, role, random)
        common = [one for one in CIPHERS if one in ids and one in self.plan["ids"]]
        if not common:
            raise Refused("no cipher in common")
        self.cipher = common[0]
        hellos = [mine, theirs] if role == 0 else [theirs, mine]
        context = self.plan.get("context")
        context = None if context is None else context.encode()
        self.sending, self.receiving = directions(role, self.cipher, hellos, shared, context)

    def write(self):
        """The records of the plan, of which one may be damaged."""
        try:
            damage = self.plan.get("damage", {})
            records = 0
            for kind, value in [["confirm", 0], *self.plan["send"]]:
                parts = self.records(kind, value)
                for part in parts:
                    if damage.get("sent") == records:
                        part = self.damaged(part, damage)
                    self.socket.sendall(part)
                    records += 1
            if self.plan.get("cut"):
                self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the peer has refused

    @staticmethod
    def damaged(record, damage):
        if damage.get("twice"):
            return record + record
        if damage.get("left out"):
            return b""
        bit = damage["bit"] % (8 * len(record))
        copy = bytearray(record)
        copy[bit >> 3] ^= 1 << (bit & 7)
        return bytes(copy)

    def records(self, kind, value):
        if kind == "confirm":
            return [self.sending.seal(CONFIRM, b"")]
        if kind == "end":
            return [self.sending.seal(END, b"")]
        if kind == "seal":  # any type and plaintext
            return [self.sending.seal(value[0], bytes.fromhex(value[1]))]
        if kind in ("rekey", "extra"):
            record = self.sending.seal(REKEY, b"\1" if kind == "extra" else b"\0")
            self.sending.rekey([bytes.fromhex(one) for one in value] if kind == "extra" else None)
            return [record]
        data = hashlib.shake_256(value[1].encode()).digest(value[0])
        return [self.sending.seal(DATA, data[i : i + 65536]) for i in range(0, len(data), 65536)] or [self.sending.seal(DATA, b"")]

    def read(self):
        extras = [[bytes.fromhex(one) for one in extra] for extra in self.plan.get("extras", [])]
        while not self.ended:
            header = self.exactly(5)
            length, kind = struct.unpack(">IB", header)
            first = self.read_records == 0
            if length < 17 or length > MAX_RECORD or kind > END or (kind == CONFIRM) != first or (first and length != 17):
                raise Refused("header")
            sealed = self.exactly(length - 1)
            if self.plan.get("damage", {}).get("received", -1) in (self.read_records, "end" if kind == END else None):
                whole = self.damaged(header + sealed, self.plan["damage"])
                header, sealed = whole[:5], whole[5:]
            plaintext = self.receiving.open(header, sealed)
            self.read_records += 1
            if kind == DATA:
                self.received.update(plaintext)
                self.bytes += len(plaintext)
            elif kind == REKEY:
                if plaintext not in (b"\0", b"\1"):
                    raise Refused("rekey")
                self.receiving.rekey(extras.pop(0) if plaintext == b"\1" else None)
            elif plaintext:
                raise Refused("plaintext")
            self.ended = kind == END

    def run(self):
        writer = None
        try:
            self.shake()
            writer = threading.Thread(target=self.write)
            writer.start()
            self.read()
        except Refused as refused:
            self.error = str(refused)
        except (ConnectionError, socket.timeout) as error:
            self.error = f"socket: {type(error).__name__}"
        if self.error:
            self.socket.close()
        if writer:
            writer.join()
        if not self.error:
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the peer has refused after its end
            self.socket.close()
        facts = {"cipher": getattr(self, "cipher", None), "bytes": self.bytes, "sha256": self.received.hexdigest()}
        if hasattr(self, "sending"):
            facts["epochs"] = [self.sending.epoch, self.receiving.epoch]
        return {**facts, "ended": self.ended, "error": self.error}


if __name__ == "__main__":
    for line in sys.stdin:
        try:
            reply = Connection(json.loads(line)).run()
        except Exception as error:  # a line for every request, so that check.mjs never waits
            reply = {"error": f"{type(error).__name__}: {error}", "crashed": True}
        print(json.dumps(reply), flush=True)
