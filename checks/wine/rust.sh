#!/usr/bin/env bash
# Builds the Rust tests for x64 Windows and runs them under Debian's Wine: rust.sh
#
# Of long rows of cases, one in AESGCM_SAMPLE is tried, counted from AESGCM_SEED; both are printed.
#
# The machine code of the kernels differs from Linux's: Windows has another calling convention. So do the calls for memory.
#
# Wine locks memory by the kernel's mlock, whose limit is not the size of the working set. So these tests cannot show that a
# raised minimum lets Windows lock more. They show that keys work where every lock is refused, also after the minimum was raised.
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tools/system.sh"
# shellcheck source=checks/wine/wine.sh
source checks/wine/wine.sh

# The programs of tests/, and the files with unit tests, that are not run here, and why.
declare -A left_out=(
  [tests/fork]="Windows has no fork"
  [tests/seccomp]="Linux's filter of system calls"
  [tests/timing]="a register of arm64"
  [tests/poison]="needs valgrind"
  [tests/shapes]="no backend, the same code on every system, and long for the compiler"
  [tests/layers]="reads the sources, which are the same on every system"
  [tests/cipher/arrays.rs]="no backend, the same code on every system, and long for the compiler"
  [tests/cipher/planted.rs]="faults for the sanitizers, ignored by every other run"
  [tests/no_aes]="needs a CPU without AES, and makes no call of the system"
  [src/node]="called by Node: typescript.sh runs it"
  [src/hw/vm.rs]="devices of Linux"
  [src/hw/fork/tests/linux.rs]="fork, and devices of Linux"
)

export AESGCM_SAMPLE=${AESGCM_SAMPLE:-9} AESGCM_SEED=${AESGCM_SEED:-$RANDOM}
echo "a sample: AESGCM_SAMPLE=$AESGCM_SAMPLE AESGCM_SEED=$AESGCM_SEED"

node checks/wine/programs.mjs >"$work/programs"
built=$SECONDS
wine_prefix

# Wine's console takes no Unix pipe: output goes to a file. A program with a panic ends with 101.
under_wine() { # PROGRAM [ARGUMENT]...
  local status=0
  timeout --kill-after=5s 200s "${limits[@]}" "${wine[@]}" "$@" </dev/null >"$work/out" 2>"$work/err" || status=$?
  return $status
}
limits=()
export RUST_MIN_STACK=$((8 << 20)) # the unit tests are not optimised, and some need more than 2 MiB then

program_of() { # NAME
  awk -v name="$1" '$1 == name { print $2 }' "$work/programs"
}

# The Rust sources that are not left out.
kept() { # FILE-OR-FOLDER...
  local file path
  while read -r file; do
    for path in "${!left_out[@]}"; do [[ $file/ != "$path"/* ]] || continue 2; done
    echo "$file"
  done < <(find "$@" -name '*.rs')
}

# The names of all tests in the sources that are kept, those for other systems included.
tests_in() { # FILE-OR-FOLDER...
  # shellcheck disable=SC2016 # awk's dollar
  kept "$@" | xargs awk '
    /#\[test\]/ { due = 1 }
    due && match($0, /fn [a-z0-9_]+/) { print substr($0, RSTART + 3, RLENGTH - 3); due = 0 }'
}

# Prints the names in the input for which a list has no test of its own: fails if there are any. A name may stand twice.
missing_from() { # LIST
  local missing
  missing=$(comm -23 <(sort) <(sed 's/: test$//; s/.*:://' "$1" | sort))
  [[ -z $missing ]] || { echo "$missing" && return 1; }
}

# The tests of a program, and of them those that are ignored unless asked for: NAME
list_tests() {
  local program
  program=$(program_of "$1")
  under_wine "$program" --list --ignored || stop "$1 does not start: $(<"$work/err")"
  tr -d '\r' <"$work/out" | grep ': test$' >"$work/ignored" || true
  under_wine "$program" --list || stop "$1 does not start: $(<"$work/err")"
  tr -d '\r' <"$work/out" | grep ': test$' | grep -vxFf "$work/ignored" >"$work/list" || stop "$1 has no tests."
}

# Every test of the sources must be in the program, and must pass: a test that is compiled out or ignored would pass unseen.
judge() { # NAME SOURCE...
  local count missing
  list_tests "$1"
  missing=$(tests_in "${@:2}" | missing_from "$work/list") || stop "$1 lacks tests of its sources: ${missing//$'\n'/ }"
  count=$(wc -l <"$work/list")
  passes "$1" || stop "$1 failed: $(cat "$work/out" "$work/err")"
  grep -q "^test result: ok. $count passed; 0 failed; $(wc -l <"$work/ignored") ignored;" "$work/out" ||
    stop "$1 did not run its $count tests: $(grep '^test result' "$work/out")"
}

passes() { # NAME [ARGUMENT]...
  under_wine "$(program_of "$1")" "${@:2}"
}

# Every program is run or left out.
for file in tests/*.rs tests/*/main.rs; do
  name=${file#tests/}
  name=${name%%[./]*}
  [[ -n ${left_out[tests/$name]:-} || -n $(program_of "$name") ]] || stop "tests/$name is neither run nor left out."
done
while read -r name _; do
  began=$SECONDS
  case $name in
    memory) # without a harness, and so without names
      passes memory || stop "memory failed: $(cat "$work/out" "$work/err")"
      count="no harness" ;;
    units) judge units src && count="$(wc -l <"$work/list") tests" ;;
    *) judge "$name" "$(compgen -G "tests/$name.rs" || echo "tests/$name")" && count="$(wc -l <"$work/list") tests" ;;
  esac
  echo "$name: passed, $count, $((SECONDS - began)) s"
done <"$work/programs"

# Where the kernel refuses every lock. Root needs no limit, but a right, which setpriv takes away.
limits=(prlimit --memlock=0)
((EUID != 0)) || limits=(setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock -- "${limits[@]}")
must_end() { # STATUS WHAT NAME [ARGUMENT]...
  local code=0
  passes "${@:3}" || code=$?
  ((code == $1)) || stop "$2: the program ended with $code rather than $1: $(cat "$work/out" "$work/err")"
  echo "$2: ended with $1"
}
must_end 7 "memory, every lock refused" memory refused
limits=()

# Faults: a run that cannot fail proves nothing. 5 is the last byte of Windows' number of an access violation.
must_end 5 "planted: a guard page is read" memory guard
AESGCM_CAP=unknown must_end 2 "planted: an unknown cap" cipher names_lead_back
AESGCM_CAP=none must_end 101 "planted: no backend, and so a test that fails" cipher no_byte_past_a_message_is_touched
second=$(sed -n '1s/: test$//; 1s/.*:://p' "$work/list")
for name in a_test_that_is_compiled_out "$second"$'\n'"$second"; do
  ! missing_from "$work/list" <<<"$name" >/dev/null || stop "planted: a test that is compiled out, and it was not missed."
done

for path in "${!left_out[@]}"; do echo "left out: $path: ${left_out[$path]}"; done | sort
echo "windows: every program passed, in $SECONDS s, of which the compiler took $built s"
