# Tink for Python as a peer of check.mjs. Reads a request on each line of standard input, a JSON object with an operation, and answers on
# a line with {"ok": text} or {"error": text}. Bytes are hex; keysets are JSON in the clear.
import json
import sys

import tink
from tink import aead, prf, json_proto_keyset_format, proto_keyset_format, secret_key_access

aead.register()
prf.register()
TOKEN = secret_key_access.TOKEN
TEMPLATES = aead.aead_key_templates


def keyset(text):
    return json_proto_keyset_format.parse(text, TOKEN)


def cipher(text):
    return keyset(text).primitive(aead.Aead)


def text_of(handle):
    return json_proto_keyset_format.serialize(handle, TOKEN)


def read(r):
    handle = proto_keyset_format.parse(bytes.fromhex(r["hex"]), TOKEN) if "hex" in r else keyset(r["text"])
    handle.primitive(aead.Aead).encrypt(b"", b"")
    return ""


def unwrap(r):
    return text_of(json_proto_keyset_format.parse_encrypted(r["text"], cipher(r["kek"]), bytes.fromhex(r["aad"])))


def wrap(r):
    return json_proto_keyset_format.serialize_encrypted(keyset(r["keyset"]), cipher(r["kek"]), bytes.fromhex(r["aad"]))


OPERATIONS = {
    "read": read,
    "seal": lambda r: cipher(r["keyset"]).encrypt(bytes.fromhex(r["plaintext"]), bytes.fromhex(r["aad"])).hex(),
    "open": lambda r: cipher(r["keyset"]).decrypt(bytes.fromhex(r["sealed"]), bytes.fromhex(r["aad"])).hex(),
    "export": lambda r: text_of(keyset(r["keyset"])),
    "generate": lambda r: text_of(tink.new_keyset_handle(getattr(TEMPLATES, r["template"]))),
    "wrap": wrap,
    "unwrap": unwrap,
    "prf": lambda r: keyset(r["keyset"]).primitive(prf.PrfSet).primary().compute(bytes.fromhex(r["input"]), r["length"]).hex(),
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"ok": OPERATIONS[request["operation"]](request)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
