#!/usr/bin/env bash
# Proves by valgrind's memcheck that no branch and no address depends on a key, a plaintext, a share's value or a coefficient:
# checks/run.mjs valgrind [--install] [--self-test]
# --install: as root or with sudo, installs valgrind where it is missing.
# --self-test: first plants faults in a copy of the sources (plant.mjs), builds the copy, and must find the faults.
#
# The program tests/poison makes secrets undefined and counts memcheck's reports. It fails if the library raises a report, or if
# a planted leak raises no report. public.supp lists the places that may depend on a secret; the one branch among them must be taken
# exactly once for each message that is opened. The program is built as the package is, with every optimisation, and runs on the
# narrow backend, since valgrind does not know the instructions of the wide ones. For x64 Linux.
# shellcheck source=checks/tools/command-line.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/command-line.sh"
only '--install|--self-test' "$@"
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"

need valgrind valgrind libc6-dbg /usr/share/doc/libc6-dbg

# A folder apart, with the lines that a report names. As in what is published, without debug assertions.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/valgrind
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only

# Builds tests/poison of a folder and prints the path of the program: FOLDER
build() {
  local messages
  messages=$(cd "$1" && cargo test --locked --quiet --release --test poison --no-run --message-format=json)
  node -p '
    const lines = require("node:fs").readFileSync(0, "utf8").trim().split("\n").map(JSON.parse)
    lines.find(({ executable }) => executable).executable' <<<"$messages"
}

# The guard clears 512 bytes below the stack pointer (src/backend/entry.rs), of which the x86-64 ABI lets it use 128.
log=$work/reports
out=$work/out
memcheck() { # PROGRAM ARGUMENT...
  valgrind -s --error-limit=no --ignore-range-below-sp=512-129 --num-callers=12 --suppressions=checks/valgrind/public.supp \
    --log-file="$log" "$@"
}

# How often a place of public.supp was used in the last run: NAME
used() {
  local count
  count=$(sed -nE "s/.* used_suppression: +([0-9]+) $1 .*/\1/p" "$log")
  echo "${count:-0}"
}
# How many messages the last run opened.
opened() { sed -n 's/^verdicts: //p' "$out"; }

if [[ " $* " == *" --self-test "* ]]; then
  node checks/valgrind/plant.mjs "$work/planted"
  # A target folder of its own, since Cargo takes the copy for the original, and would find its result up to date.
  planted=$(CARGO_TARGET_DIR=$CARGO_TARGET_DIR/planted build "$work/planted")
  if memcheck "$planted" --under-valgrind >"$out" 2>&1; then stop "planted branches on secrets were not reported."; fi
  for file in secret number; do
    grep -q "at 0x.*($file\.rs:" "$log" || stop "planted: a branch on secrets in $file.rs, and it was not reported."
  done
  (($(used verdict) > $(opened))) || stop "planted: a second branch on the expected tag, and it was not noticed."
  echo "self-test: planted and found: a comparison that ends early, a branch on a packet number, a branch beside the verdict's"
fi

program=$(build .)
# A check that cannot fail proves nothing: by itself, the program must notice that it is not under valgrind, and the reverse.
if "$program" --under-valgrind &>/dev/null; then stop "the program takes this machine for valgrind."; fi
if memcheck "$program" &>/dev/null; then stop "the program does not notice valgrind."; fi

"$program" >/dev/null # its results, without valgrind
if ! memcheck "$program" --under-valgrind >"$out"; then
  cat "$out"
  head -n 200 "$log" >&2
  stop "see the reports above, of which those of tests/poison/planted.rs are wanted."
fi
cat "$out"
(($(used verdict) == $(opened))) ||
  stop "$(opened) messages were opened, but $(used verdict) branches passed as the verdict's (public.supp)."
for place in "key phase: IV" "key phase: key" "text: length" "text: written" "text: read" "text: width of a character"; do
  (($(used "$place") > 0)) || stop "\"$place\" in public.supp lets nothing pass any more: remove it."
done
echo "$(opened) verdicts, one branch each; key phases: $(used "key phase: IV") and $(used "key phase: key") loads"
