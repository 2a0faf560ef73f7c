#!/usr/bin/env python3
"""Prints the advisories of RustSec that name a crate of the lock files, for advisories.txt: extract.py DATABASE LOCKFILE...

DATABASE is a clone of https://github.com/rustsec/advisory-db, bare or not. Needs Python 3.11 and git.
"""
import re
import subprocess
import sys
import textwrap
import tomllib

HEAD = """\
# An extract of RustSec, https://github.com/rustsec/advisory-db, CC0-1.0, which extract.py makes. First the crates that were looked for;
# then a line for each advisory about one of them: its id, the crate, the kind, and the ranges of versions that it does not concern."""


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
    ranges = versions.get("patched", []) + versions.get("unaffected", [])
    kind = told.get("informational", "vulnerability")
    return f"{told['id']} {told['package']} {kind}: {' | '.join(ranges)}".rstrip()


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
    print(HEAD)
    print(f"commit {commit} of {date}, {len(files)} advisories")
    for line in textwrap.wrap(" ".join(crates), 120, break_on_hyphens=False):
        print(f"crates {line}")
    for entry in filter(None, found):
        print(entry)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
