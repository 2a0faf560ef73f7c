#!/usr/bin/env bash
# Proves by valgrind's memcheck that no branch and no address depends on a key, a plaintext, a share's value or a coefficient:
# check.sh [--install]
# --install: as root or with sudo, installs valgrind where it is missing.
#
# The program tests/poison makes secrets undefined and counts memcheck's reports. It fails if the library raises a report, or if
# a planted leak raises no report. It is built as the package is, with every optimisation, and runs on the narrow backend, since
# valgrind does not know the instructions of the wide ones. For x64 Linux.
# shellcheck source=checks/command-line.sh
source "$(dirname "${BASH_SOURCE[0]}")/../command-line.sh"
only --install "$@"
# shellcheck source=checks/emulate/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../emulate/common.sh"

need valgrind valgrind libc6-dbg /usr/share/doc/libc6-dbg

# A folder apart, with the lines that a report names. As in what is published, without debug assertions.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/valgrind
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
messages=$(cargo test --locked --quiet --release --test poison --no-run --message-format=json)
program=$(node -p '
  const lines = require("node:fs").readFileSync(0, "utf8").trim().split("\n").map(JSON.parse)
  lines.find(({ executable }) => executable).executable' <<<"$messages")

# The guard clears 512 bytes below the stack pointer (src/backend/entry.rs), of which the x86-64 ABI lets it use 128.
log=$work/reports
memcheck() { # ARGUMENT...
  valgrind --quiet --error-limit=no --ignore-range-below-sp=512-129 --num-callers=8 --log-file="$log" "$program" "$@"
}

# A check that cannot fail proves nothing: by itself, the program must notice that it is not under valgrind, and the reverse.
if "$program" --under-valgrind &>/dev/null; then stop "the program takes this machine for valgrind."; fi
if memcheck &>/dev/null; then stop "the program does not notice valgrind."; fi

"$program" >/dev/null # its results, without valgrind
if ! memcheck --under-valgrind; then
  head -n 200 "$log" >&2
  stop "see the reports above, of which those of tests/poison/planted.rs are wanted."
fi
