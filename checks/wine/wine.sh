# shellcheck shell=bash
# Wine for check.sh, its parts and bench/windows.sh, which source ../tools/system.sh first.
# shellcheck disable=SC2034,SC2154 # version is for these scripts, and work comes from system.sh
wine=(/usr/lib/wine/wine64)
need wine64 "${wine[0]}"
# Linux puts a program's heap anywhere in the GiB behind it, and for Debian's Wine that GiB has 0x7ffe0000, the page that Windows
# shares with every process. One start in some thousand found it taken and ended with 1, without a word. Fixed addresses keep it free;
# a container may forbid them.
! setarch --addr-no-randomize true 2>/dev/null || wine=(setarch --addr-no-randomize "${wine[@]}")
version=22.22.2 # the newest Node 22 that npm has as a node.exe; Node 24 needs a newer Wine than that of Debian 12
export WINEDEBUG=-all DISPLAY='' WINEDLLOVERRIDES='mscoree=;mshtml=;winedbg.exe='

# A Windows of this check's own, in $work, as an early Windows 10. A part of check.sh uses that of check.sh.
wine_prefix() {
  [[ -z ${WINE_OF_CHECK:-} ]] || return 0
  export WINEPREFIX=$work/prefix
  mkdir "$WINEPREFIX"
  trap 'end_wine; rm -rf "$work"' EXIT
  /usr/lib/wine/wineserver64 -p # stays until end_wine, so that no program waits for a new one
  "${wine[@]}" wineboot -i &>/dev/null || stop "Wine makes no prefix."
  # Debian's Wine says Windows 7, which Node refuses.
  "${wine[@]}" winecfg -v win10 &>/dev/null || stop "Wine does not become Windows 10."
  # From build 16299 on, libuv sets an option of sockets that this Wine lacks, and no socket connects.
  local name
  for name in CurrentBuild CurrentBuildNumber; do
    register 'Software\Microsoft\Windows NT\CurrentVersion' "$name" REG_SZ 15063
  done
  # A call for a file's facts would ask this service for the number of the disk, by way of two other processes: a fifth of the
  # time of a command went there.
  register 'System\CurrentControlSet\Services\MountMgr' Start REG_DWORD 4
  end_wine # because services are read at the start
  /usr/lib/wine/wineserver64 -p
  # Wine has the function from version 10 on.
  [[ -e $WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll ]] || bcryptprimitives
}

# bcryptprimitives.dll with ProcessPrng, which every Windows 10 has.
bcryptprimitives() {
  local zig
  zig=$(node --input-type=module --eval '
    import { pypi } from "./scripts/pypi.mjs"
    console.log(pypi("scripts/dist/zig.txt"))')/ziglang/zig || stop "PyPI has no zig, or cannot be reached."
  # The cache of scripts/dist/build.mjs, because zig compiles mingw-w64's sources first, which takes it a minute.
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/zig-cache
  ZIG_GLOBAL_CACHE_DIR=$cache ZIG_LOCAL_CACHE_DIR=$cache "$zig" cc -target x86_64-windows-gnu -O2 -s -shared \
    -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" checks/wine/bcryptprimitives.c -ladvapi32 ||
    stop "zig does not build bcryptprimitives.dll."
}

register() { # KEY NAME TYPE DATA
  "${wine[@]}" reg add "HKLM\\$1" /v "$2" /t "$3" /d "$4" /f &>/dev/null || stop "Wine changes no registry."
}

end_wine() {
  [[ ! -d $WINEPREFIX ]] || /usr/lib/wine/wineserver64 -k || true
  /usr/lib/wine/wineserver64 -w || true
}
