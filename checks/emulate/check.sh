#!/usr/bin/env bash
# Runs the packages of `npm run dist` on CPUs and systems other than this machine's:
# checks/run.mjs emulate [--install] [SYSTEM]...
# SYSTEM: x86, arm64, darwin-x64, darwin-arm64, musl-x64, musl-arm64; otherwise all.
# --install: as root or with sudo, installs the Debian packages that are missing.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=checks/tools/command-line.sh
source "$here/../tools/command-line.sh"
only '--install|x86|darwin-x64|musl-x64|arm64|darwin-arm64|musl-arm64' "$@"

install=()
if [[ ${1:-} == --install ]]; then
  install=(--install)
  shift
fi
(($# > 0)) || set -- x86 darwin-x64 musl-x64 arm64 darwin-arm64 musl-arm64

printf '%-12s  %-7s  %-22s  %-6s  %-15s  %-15s  %7s  %s\n' system node cpu hidden backends source time result
# Two systems at a time, since an emulator takes one CPU. Those of one architecture in a row: the first unpacks their Node.
x64=() arm64=()
for system; do
  case $system in
    x86 | *-x64) x64+=("$system") ;;
    *) arm64+=("$system") ;;
  esac
done
in_a_row() { # SYSTEM...
  local system failed=0
  for system; do
    bash "$here/$system.sh" "${install[@]}" || {
      echo "emulate: failed on $system; what was wrong stands above." >&2
      failed=1
    }
  done
  return $failed
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
in_a_row "${arm64[@]}" >"$log" 2>&1 &
failed=0
in_a_row "${x64[@]}" || failed=1
wait $! || failed=1
cat "$log"
((failed == 0)) || exit 1
echo "emulate: every CPU got the backends it must and no other, in $SECONDS s"
