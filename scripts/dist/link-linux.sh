#!/usr/bin/env bash
# The linker of the Linux packages: zig cc, which knows the C libraries by version. build.mjs sets $ZIG and $ZIG_TARGET.
set -euo pipefail

arguments=()
for argument in "$@"; do
  case $argument in
    # Links zig's own unwinder statically: machines that run the addon, above all with musl, may lack libgcc_s.so.1.
    -lgcc_s) arguments+=(-lunwind) ;;
    # Rust's name of the target, and Rust's own lld: zig uses its own.
    --target=* | -fuse-ld=lld | -B*/gcc-ld) ;;
    *) arguments+=("$argument") ;;
  esac
done
exec "$ZIG" cc -target "$ZIG_TARGET" "${arguments[@]}"
