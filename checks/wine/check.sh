#!/usr/bin/env bash
# Runs the Windows package, or its tests of TypeScript or Rust, in Debian's Wine:
# checks/run.mjs wine-package [wine-rust] [wine-typescript] [--install] [HALF]
# HALF: `ciphers` or `programs`, for half of the TypeScript tests, which take minutes.
# --install: as root or with sudo, installs the Debian packages that are missing.
# shellcheck source=checks/tools/command-line.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/command-line.sh"
only '--install|package|typescript|rust|ciphers|programs' "$@"
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"
# shellcheck source=checks/wine/wine.sh
source checks/wine/wine.sh

parts=() halves=()
for word; do
  case $word in
    --install) ;;
    ciphers | programs) halves+=("$word") ;;
    *) parts+=("$word") ;;
  esac
done
((${#parts[@]} > 0)) || parts=(package typescript rust)
wine_prefix
export WINE_OF_CHECK=yes
for part in "${parts[@]}"; do
  bash "checks/wine/$part.sh" "${halves[@]}" || stop "failed on $part; the reason stands above."
done
echo "wine: passed, in $SECONDS s"
