#!/usr/bin/env bash
# Runs the Windows package and its tests in Debian's Wine: check.sh [--install] [package|typescript|rust]...
# --install: as root or with sudo, installs the Debian packages that are missing.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

install=()
if [[ ${1:-} == --install ]]; then
  install=(--install)
  shift
fi
(($# > 0)) || set -- package typescript rust
for part; do
  [[ $part =~ ^(package|typescript|rust)$ ]] || {
    echo "usage: check.sh [--install] [package|typescript|rust]..." >&2
    exit 2
  }
done
for part; do
  bash "$here/$part.sh" "${install[@]}" || {
    echo "wine: failed on $part; the reason stands above." >&2
    exit 1
  }
done
echo "wine: passed, in $SECONDS s"
