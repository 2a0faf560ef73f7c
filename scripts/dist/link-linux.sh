#!/usr/bin/env bash
# The linker of the Linux packages: zig cc, which knows every C library by version. build.mjs sets $ZIG and $ZIG_TARGET.
set -euo pipefail

arguments=()
for argument in "$@"; do
  case $argument in
    # zig's own unwinder, linked in: the machine that runs the addon needs no libgcc_s.so.1 (musl's often has none).
    -lgcc_s) arguments+=(-lunwind) ;;
    # Rust's name of the target, and Rust's own lld: zig has both.
    --target=* | -fuse-ld=lld | -B*/gcc-ld) ;;
    *) arguments+=("$argument") ;;
  esac
done
exec "$ZIG" cc -target "$ZIG_TARGET" "${arguments[@]}"
