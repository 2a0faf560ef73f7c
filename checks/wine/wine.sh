# shellcheck shell=bash
# Wine for package.sh, typescript.sh and rust.sh, which source ../emulate/common.sh first.
wine=/usr/lib/wine/wine64
version=22.22.2 # the newest Node 22 that npm has as a node.exe; Node 24 needs a newer Wine than that of Debian 12
export WINEDEBUG=-all DISPLAY='' WINEDLLOVERRIDES='mscoree=;mshtml='

# A Windows of this check's own, in $work, as an early Windows 10.
wine_prefix() {
  export WINEPREFIX=$work/prefix
  trap 'end_wine; rm -rf "$work"' EXIT
  "$wine" wineboot -i &>/dev/null || stop "Wine makes no prefix."
  # Debian's Wine says Windows 7, which Node refuses.
  "$wine" winecfg -v win10 &>/dev/null
  # From build 16299 on, libuv sets an option of sockets that this Wine lacks, and no socket connects.
  local key='HKLM\Software\Microsoft\Windows NT\CurrentVersion' name
  for name in CurrentBuild CurrentBuildNumber; do
    "$wine" reg add "$key" /v "$name" /d 15063 /f &>/dev/null || stop "Wine changes no registry."
  done
  # Wine has the function from version 10 on.
  [[ -e $WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll ]] || bcryptprimitives
}

# bcryptprimitives.dll with ProcessPrng, which every Windows 10 has.
bcryptprimitives() {
  local zig
  zig=$(node --input-type=module --eval '
    import { pypi } from "./scripts/pypi.mjs"
    console.log(pypi("scripts/dist/zig.txt"))')/ziglang/zig || stop "PyPI has no zig, or cannot be reached."
  # The cache of `npm run dist`, so that zig does not compile mingw-w64's sources again.
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/zig-cache
  ZIG_GLOBAL_CACHE_DIR=$cache ZIG_LOCAL_CACHE_DIR=$cache "$zig" cc -target x86_64-windows-gnu -O2 -s -shared \
    -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" checks/wine/bcryptprimitives.c -ladvapi32 ||
    stop "zig does not build bcryptprimitives.dll."
}

end_wine() {
  [[ ! -d $WINEPREFIX ]] || /usr/lib/wine/wineserver64 -k || true
}
