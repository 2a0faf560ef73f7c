#!/usr/bin/env bash
# The linker of the Windows package: zig cc, which has mingw-w64's import libraries. build.mjs sets $ZIG and $ZIG_TARGET.
set -euo pipefail

arguments=()
for argument in "$@"; do
  case $argument in
    # Rust's name of the target, and Rust's own lld: zig uses its own.
    --target=* | -fuse-ld=lld | -B*/gcc-ld | -m64) ;;
    # Libraries that zig adds itself, under names of its own, and the empty libnode that crate napi asks for.
    -nolibc | --unwindlib=none | -lmingw32 | -lmingwex | -lmsvcrt | -lnode) ;;
    # Options that zig does not take. It sets the flag of nxcompat anyway, and no program links against the addon.
    -Wl,-O1 | -Wl,--nxcompat | -Wl,-soname=* | -Wl,--out-implib=* | -Wl,--disable-auto-image-base) ;;
    # The list of exports, which zig takes as a file.
    -Wl,*.def) arguments+=("${argument#-Wl,}") ;;
    *) arguments+=("$argument") ;;
  esac
done
exec "$ZIG" cc -target "$ZIG_TARGET" "${arguments[@]}"
