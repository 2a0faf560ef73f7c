#!/usr/bin/env bash
# Runs what `npm run dist` made on CPUs and systems that this machine is not: emulate.sh [--install] [x86|arm64|darwin|musl]...
# --install: as root or with sudo, installs the Debian packages that are missing.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")/emulate

install=()
if [[ ${1:-} == --install ]]; then
  install=(--install)
  shift
fi
(($# > 0)) || set -- x86 arm64 darwin musl
for system; do
  [[ -e $here/$system.sh && $system != common ]] || {
    echo "usage: emulate.sh [--install] [x86|arm64|darwin|musl]..." >&2
    exit 2
  }
done

printf '%-6s  %-7s  %-22s  %-6s  %-15s  %-15s  %7s  %s\n' system node cpu hidden backends source time result
failed=()
for system; do
  bash "$here/$system.sh" "${install[@]}" || failed+=("$system")
done
if ((${#failed[@]} > 0)); then
  echo "emulate: failed on ${failed[*]}; what was wrong stands above." >&2
  exit 1
fi
echo "emulate: every CPU got the backends it must and no other, in $SECONDS s"
