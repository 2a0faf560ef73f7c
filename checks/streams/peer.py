# The peer of check.mjs, with Cobblestone of the PyPI package cryptography. Reads a JSON list on each line of standard input, a key, a
# context, a plaintext and a sealed message in base64, and answers on a line: what it opened the sealed message to, or the name of its
# error, and the plaintext, sealed.
import base64
import json
import sys
from cryptography import cobblestone

KINDS = {
    16: (cobblestone.Cobblestone128Encryptor, cobblestone.Cobblestone128Decryptor),
    32: (cobblestone.Cobblestone256Encryptor, cobblestone.Cobblestone256Decryptor),
}


def text(data):
    return base64.b64encode(data).decode()


for line in sys.stdin:
    key, context, plaintext, sealed = map(base64.b64decode, json.loads(line))
    Encryptor, Decryptor = KINDS[len(key)]
    encryptor, decryptor = Encryptor(key, context), Decryptor(key, context)
    answer = {"sealed": text(encryptor.update(plaintext) + encryptor.finalize()), "opened": ""}
    try:
        answer["opened"] = text(decryptor.update(sealed) + decryptor.finalize())
    except Exception as error:
        answer["error"] = type(error).__name__
    print(json.dumps(answer), flush=True)
