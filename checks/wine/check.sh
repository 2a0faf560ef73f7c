#!/usr/bin/env bash
# Runs the Windows package, or its tests of TypeScript or Rust, in Debian's Wine:
# checks/run.mjs wine-package [wine-typescript] [wine-rust] [--install]
# --install: as root or with sudo, installs the Debian packages that are missing.
# shellcheck source=checks/tools/command-line.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/command-line.sh"
only '--install|package|typescript|rust' "$@"
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"
# shellcheck source=checks/wine/wine.sh
source checks/wine/wine.sh

[[ ${1:-} != --install ]] || shift
(($# > 0)) || set -- package typescript rust
wine_prefix
export WINE_OF_CHECK=yes
for part; do
  bash "checks/wine/$part.sh" || stop "failed on $part; the reason stands above."
done
echo "wine: passed, in $SECONDS s"
