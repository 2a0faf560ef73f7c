# shellcheck shell=bash
# Shared by darwin-arm64.sh and darwin-x64.sh, which run the machine code of an addon for Macs in a Node for Linux by loader.c.
#
# The published binary runs there, found by the package's own loader. Apple's dyld, its check of the signature, the real
# libSystem and unwinding do not. This stands in for a Mac as long as no Mac is at hand.
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/system.sh"

plan() { python3 -B checks/emulate/darwin/plan.py "$addon" >"$work/plan"; }

# Lays out the package and builds the loader: PLATFORM COMPILER NODE-PACKAGE
prepare_mac() {
  local headers
  lay_out "$1"
  headers=$(npm_node "$3" 24.21.0)/include/node
  "$2" -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC -isystem "$headers" -o "$work/loader.node" \
    checks/emulate/darwin/{loader,libsystem}.c
  use_lief
  plan
}

# Faults of its own, in the names of what it imports. A function that fails in place of dladdr: it cannot find itself.
mac_faults() {
  cp "$addon" "$work/whole.node"
  sed -i 's/_dladdr/_strlen/' "$addon"
  plan
  must_fail "an addon that does not stay mapped" "failed: macho: the addon did not keep itself mapped:*" "${sound[@]}"
  cp "$work/whole.node" "$addon"
  sed -i 's/_getentropy/_getentropz/' "$addon"
  plan
  must_fail "an import without a stand-in" "failed: macho: no stand-in for _getentropz,*" "${sound[@]}"
}
