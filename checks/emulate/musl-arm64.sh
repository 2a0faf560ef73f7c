#!/usr/bin/env bash
# The arm64 musl addon in an arm64 Node built for musl, by qemu: musl-arm64.sh [--install]
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"

need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc libc6-dev-arm64-cross /usr/aarch64-linux-gnu/lib/crt1.o \
  qemu-user-static qemu-aarch64-static
lay_out linux-arm64-musl

# Debian's musl for arm64, unpacked once: no package for another architecture is installed.
musl=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/musl-arm64
if [[ ! -d $musl ]]; then
  rm -rf "$musl.part"
  # shellcheck source=scripts/debian.sh
  source scripts/debian.sh
  (
    package_lists "$musl.part"
    cd "$musl.part"
    apt-get download -qq musl:arm64
    dpkg -x musl_*.deb root
  ) || stop "Debian has no musl for arm64, or cannot be reached."
  mv "$musl.part/root" "$musl" # last, so that what is there is whole
  rm -rf "$musl.part"
fi

emulator() { # CPU HIDDEN NODE
  emulate_arm64 "$musl" "$@"
}
build_hwcap

judge musl-arm64 musl_program aarch64
consumer linux-arm64-musl
