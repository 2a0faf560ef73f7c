# Runs the reader of protected keys and keysets that docs/formats.md prints: its path comes first. Answers lines of JSON, one by one.
import json
import re
import sys

document = open(sys.argv[1], encoding="utf-8").read()
[reader] = [block for block in re.findall(r"```python\n(.*?)```", document, re.S) if "def open_protected" in block]
exec(reader)

for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = {"value": open_protected(question["text"], question["passphrase"]).hex()}
    except Exception as error:
        answer = {"refused": type(error).__name__}
    print(json.dumps(answer), flush=True)
