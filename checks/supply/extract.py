#!/usr/bin/env python3
"""Prints the advisories of RustSec that name a crate of the lock files, for advisories.json: extract.py DATABASE LOCKFILE...

DATABASE is a clone of https://github.com/rustsec/advisory-db, bare or not. Needs Python 3.11 and git. Biome formats the output:
npx biome format --write checks/supply/advisories.json
"""
import json
import re
import subprocess
import sys
import tomllib


def git(database, *arguments):
    command = ["git", "-C", database, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names(lock):
    with open(lock, "rb") as file:
        return {package["name"] for package in tomllib.load(file)["package"]}


def advisory(database, path):
    text = git(database, "show", f"HEAD:{path}")
    head = tomllib.loads(re.search(r"```toml\n(.*?)```", text, re.S)[1])
    told, versions = head["advisory"], head.get("versions", {})
    if "withdrawn" in told:
        return None
    return {
        "id": told["id"],
        "crate": told["package"],
        "kind": told.get("informational", "vulnerability"),
        "patched": versions.get("patched", []),
        "unaffected": versions.get("unaffected", []),
    }


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(__doc__.strip())
        return 0
    if len(arguments) < 2 or any(argument.startswith("-") for argument in arguments):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    database, *locks = arguments
    crates = sorted(set().union(*map(names, locks)))
    files = git(database, "ls-tree", "-r", "--name-only", "HEAD", "crates/").split()
    named = [path for path in files if path.split("/")[1] in crates]
    found = [advisory(database, path) for path in named]
    commit, date = git(database, "log", "-1", "--format=%H %cs").split()
    extract = {
        "source": "https://github.com/rustsec/advisory-db",
        "licence": "CC0-1.0",
        "commit": commit,
        "date": date,
        "advisoriesInDatabase": len(files),
        "crates": crates,
        "advisories": [entry for entry in found if entry],
    }
    print(json.dumps(extract, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
