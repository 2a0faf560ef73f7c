# The peer of check.mjs, with Cobblestone of the PyPI package cryptography. Reads messages on standard input until it ends:
# key, context, plaintext and sealed message, each behind its length in four bytes, big-endian. Answers each of them with two such
# fields: what it opened the sealed message to, or the name of its error, behind a byte that tells which; and the plaintext, sealed.
import sys
from cryptography import cobblestone

KINDS = {
    16: (cobblestone.Cobblestone128Encryptor, cobblestone.Cobblestone128Decryptor),
    32: (cobblestone.Cobblestone256Encryptor, cobblestone.Cobblestone256Decryptor),
}


def field():
    head = sys.stdin.buffer.read(4)
    return sys.stdin.buffer.read(int.from_bytes(head, "big")) if head else None


def answer(*fields):
    for one in fields:
        sys.stdout.buffer.write(len(one).to_bytes(4, "big") + one)
    sys.stdout.buffer.flush()


def opened(decryptor, sealed):
    try:
        return b"\1" + decryptor.update(sealed) + decryptor.finalize()
    except Exception as error:
        return b"\0" + type(error).__name__.encode()


while (key := field()) is not None:
    context, plaintext, sealed = field(), field(), field()
    Encryptor, Decryptor = KINDS[len(key)]
    encryptor = Encryptor(key, context)
    answer(opened(Decryptor(key, context), sealed), encryptor.update(plaintext) + encryptor.finalize())
