#!/usr/bin/env bash
# The linker of darwin-arm64 on Linux: rustup's rust-lld, whose path build.mjs puts in $RUST_LLD.
set -euo pipefail

# napi-build passes options of a C compiler that leave undefined symbols to load time. rust-lld does not know these options,
# and no symbol may stay undefined: napi finds Node's functions by name, and libSystem.tbd lists the other functions.
arguments=()
while (($# > 0)); do
  case $1 in
    -Wl) ;;
    -undefined) shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
exec "$RUST_LLD" "${arguments[@]}"
