#!/usr/bin/env bash
# Builds the Rust tests for x64 Windows and runs them under Debian's Wine: rust.sh [--install]
# --install: as root or with sudo, installs Wine.
# shellcheck source=checks/emulate/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../emulate/common.sh"
# shellcheck source=checks/wine/wine.sh
source checks/wine/wine.sh

need wine64 $wine
node checks/wine/programs.mjs >"$work/programs"
wine_prefix

# Wine's console takes no Unix pipe: output goes to a file. A program with a panic ends with 101.
under_wine() { # PROGRAM [ARGUMENT]...
  local status=0
  timeout --kill-after=5s 200s "$wine" "$@" </dev/null >"$work/out" 2>"$work/err" || status=$?
  return $status
}

while read -r name program; do
  began=$SECONDS
  count="no harness"
  # memory has no harness, and so no names.
  if [[ $name != memory ]]; then
    under_wine "$program" --list || stop "$name does not start: $(<"$work/err")"
    tests=$(tr -d '\r' <"$work/out")
    count="$(grep -c ': test$' <<<"$tests") tests"
    # A file whose tests are compiled out would pass unseen.
    if [[ -d tests/$name ]]; then
      for file in $(grep -lE '^ *#\[test\]|proptest!' "tests/$name"/*.rs); do
        grep -q "^$(basename "$file" .rs)::" <<<"$tests" || stop "$file has tests, and none of them is in the program."
      done
    fi
  fi
  under_wine "$program" || stop "$name failed: $(cat "$work/out" "$work/err")"
  echo "$name: passed, $count, $((SECONDS - began)) s"
done <"$work/programs"

# A run that cannot fail proves nothing: an unknown cap must end the program with 2.
read -r _ cipher < <(grep '^cipher ' "$work/programs")
code=0
AESGCM_CAP=unknown under_wine "$cipher" names_lead_back || code=$?
((code == 2)) || stop "planted: an unknown cap, and the program ended with $code."
echo "windows: every program passed, in $SECONDS s"
