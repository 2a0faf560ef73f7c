#!/usr/bin/env bash
# Unpacks Debian's rustc-web into the cache, unless it is already there, and prints the folder: debian-rust.sh INSTEAD
#
# For standard libraries that rustup has not installed and may not download. Debian has the library for arm64, and its source,
# from which the library of any target is built. Unpacking instead of installing needs no root and leaves the machine's own
# rustc alone. INSTEAD: the command of rustup that would do, for where Debian's package is not available.
set -euo pipefail

advice="debian-rust.sh: Debian's package rustc-web is not available here: run \`rustup $1\`."
stop() {
  echo "$advice" >&2
  exit 1
}

to=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/debian-rust
echo "$to"
[[ ! -d $to ]] || exit 0
[[ $(uname -sm) == "Linux x86_64" ]] || stop

part=$to.part
rm -rf "$part"
mkdir -p "$part"/{debs,root/bin}
# shellcheck source=scripts/debian.sh
source "$(dirname "${BASH_SOURCE[0]}")/debian.sh"
package_lists "$part" || stop
cd "$part/debs"
# Debian keeps only one version.
version=$(apt-cache policy rustc-web | awk '/Candidate:/ { print $2 }')
[[ $version == [0-9]* ]] || stop
runtime=$(apt-cache depends "libstd-rust-web-dev=$version" | awk '/Depends: libstd-rust-web-[0-9]/ { print $2 }')
llvm=$(apt-cache depends "$runtime=$version" | awk '/Depends: libllvm/ { print $2 }')
# LLVM, and the libraries it needs that this machine lacks.
mapfile -t needed < <(apt-get install --simulate --no-install-recommends "$llvm" | awk '/^Inst / { print $2 }')
apt-get download -qq "${needed[@]}" "$runtime=$version" \
  {rustc-web,rust-web-src,libstd-rust-web-dev,libstd-rust-web-dev:arm64}="$version" >&2
for package in *.deb; do dpkg -x "$package" "$part/root"; done
# Of the source, only the standard library is needed.
rm -rf "$part"/root/usr/src/rustc-*/{compiler,src} "$part/root/usr/share"

for tool in rustc rustdoc; do
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' \
    "$to/usr/lib/x86_64-linux-gnu" "$to/usr/bin/$tool" >"$part/root/bin/$tool"
  chmod +x "$part/root/bin/$tool"
done
mv "$part/root" "$to" # last, so that an existing folder is complete
rm -rf "$part"
