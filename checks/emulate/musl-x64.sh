#!/usr/bin/env bash
# The musl addon in a Node built for musl, on this machine's own CPU: musl-x64.sh [--install]
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"
version=24.19.0

need musl /lib/ld-musl-x86_64.so.1
run=("$(musl_program x86_64 "$version")")

# The glibc build says what this machine offers: both must agree. Its kernel wipes pages for a child.
lay_out linux-x64-gnu
mapfile -t expected < <(machine_says)
rm -r "$work/node_modules"
lay_out linux-x64-musl
row musl-x64 "$version" "this machine's" - "${expected[@]}" "wiped page" ||
  stop "the musl addon does not do what the glibc one does."
faults
