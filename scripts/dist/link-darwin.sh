#!/usr/bin/env bash
# The linker of darwin-arm64 where there is no Apple: rustup's rust-lld, which build.mjs names in $RUST_LLD.
set -euo pipefail

# napi-build asks, in a C compiler's words, to leave unknown symbols to the moment of loading. rust-lld takes no such
# words, and nothing may be left to that moment: napi finds Node's functions by name, the rest is in libSystem.tbd.
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
