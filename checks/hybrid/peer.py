# Tink for Python and pyca as a peer of exchange.mjs and recipients.mjs. Reads a request on each line of standard input, a JSON object with an
# operation, and answers on a line with {"ok": text} or {"error": text}. Bytes are hex; keysets are JSON in the clear. An argument is
# docs/formats.md, whose reader of messages to recipients it then runs.
import hashlib
import json
import os
import re
import sys

import tink
from cryptography.cobblestone import Cobblestone256Encryptor
from cryptography.hazmat.primitives import hpke
from cryptography.hazmat.primitives.asymmetric import mlkem, x25519
from tink import hybrid, json_proto_keyset_format, secret_key_access

hybrid.register()
TOKEN = secret_key_access.TOKEN
TEMPLATES = hybrid.hybrid_key_templates


def private(text):
    return json_proto_keyset_format.parse(text, TOKEN)


def public(text):
    return json_proto_keyset_format.parse_without_secret(text)


# Exactly the spelling of this package, for a comparison.
def compact(text):
    keyset = json.loads(text)
    keys = [{k: key[k] for k in ("keyData", "status", "keyId", "outputPrefixType")} for key in keyset["key"]]
    for key in keys:
        key["keyData"] = {k: key["keyData"][k] for k in ("typeUrl", "value", "keyMaterialType")}
    return json.dumps({"primaryKeyId": keyset["primaryKeyId"], "key": keys}, separators=(",", ":"))


def suite(r):
    kem = hpke.KEM.X25519 if r["type"].startswith("X25519") else hpke.KEM.MLKEM768_X25519
    aead = hpke.AEAD.AES_128_GCM if "128" in r["type"] else hpke.AEAD.AES_256_GCM
    return hpke.Suite(kem, hpke.KDF.HKDF_SHA256, aead)


def pyca_public(r):
    key = bytes.fromhex(r["public"])
    x = x25519.X25519PublicKey.from_public_bytes(key[-32:])
    if r["type"].startswith("X25519"):
        return x
    return hpke.MLKEM768X25519PublicKey(mlkem.MLKEM768PublicKey.from_public_bytes(key[:-32]), x)


def pyca_private(r):
    secret = bytes.fromhex(r["secret"])
    if r["type"].startswith("X25519"):
        return x25519.X25519PrivateKey.from_private_bytes(secret)
    expanded = hashlib.shake_256(secret).digest(96)
    return hpke.MLKEM768X25519PrivateKey(
        mlkem.MLKEM768PrivateKey.from_seed_bytes(expanded[:64]),
        x25519.X25519PrivateKey.from_private_bytes(expanded[64:]),
    )


def given(r, name):
    return bytes.fromhex(r[name])


if len(sys.argv) > 1:
    blocks = re.findall(r"```python\n(.*?)```", open(sys.argv[1], encoding="utf-8").read(), re.S)
    [reader] = [block for block in blocks if "def decrypt_to_recipient" in block]
    exec(reader)


def encrypt_to_recipients(keysets, plaintext, context):
    key = os.urandom(32)
    senders = [public(keyset).primitive(hybrid.HybridEncrypt) for keyset in keysets]
    sealed = [sender.encrypt(key, b"hardware-aes-gcm AGR1") for sender in senders]
    rest = b"".join(len(one).to_bytes(2, "big") + one for one in sealed)
    beginning = b"AGR1" + len(rest).to_bytes(2, "big") + rest
    encryptor = Cobblestone256Encryptor(key, beginning + context)
    return beginning + encryptor.update(plaintext) + encryptor.finalize()


OPERATIONS = {
    "generate": lambda r: json_proto_keyset_format.serialize(tink.new_keyset_handle(getattr(TEMPLATES, r["template"])), TOKEN),
    "public": lambda r: compact(json_proto_keyset_format.serialize_without_secret(private(r["keyset"]).public_keyset_handle())),
    "seal": lambda r: public(r["keyset"]).primitive(hybrid.HybridEncrypt).encrypt(given(r, "plaintext"), given(r, "context")).hex(),
    "open": lambda r: private(r["keyset"]).primitive(hybrid.HybridDecrypt).decrypt(given(r, "sealed"), given(r, "context")).hex(),
    "encrypt_file": lambda r: encrypt_to_recipients(r["keysets"], given(r, "plaintext"), given(r, "context")).hex(),
    "decrypt_file": lambda r: decrypt_to_recipient(private(r["keyset"]), given(r, "message"), given(r, "context")).hex(),
    "pyca_seal": lambda r: suite(r).encrypt(given(r, "plaintext"), pyca_public(r), given(r, "context")).hex(),
    "pyca_open": lambda r: suite(r).decrypt(given(r, "sealed"), pyca_private(r), given(r, "context")).hex(),
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"ok": OPERATIONS[request["operation"]](request)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
