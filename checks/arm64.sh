#!/usr/bin/env bash
# Builds the crate for arm64 Linux on an x64 Linux machine and runs its Rust tests under emulation:
# checks/run.mjs arm64 [--install] [--whole], and checks/run.mjs arm64-system with the same flags
# arm64: the program `cipher`, and a CPU without AES. arm64-system: the unit tests, and the other programs: memory, forks, the
# generator, timing and what surrounds them. Each takes minutes.
# --install: as root or with sudo, installs the Debian packages that are missing.
# --whole: every length and every byte. Without it, what takes minutes under emulation is left out or a sample: one length
# in AESGCM_SAMPLE, counted from AESGCM_SEED, which are printed.
# shellcheck source=checks/tools/command-line.sh
source "$(dirname "${BASH_SOURCE[0]}")/tools/command-line.sh"
only '--install|--whole|kernels|system' "$@"
# shellcheck source=checks/tools/system.sh
source "$(dirname "${BASH_SOURCE[0]}")/tools/system.sh"
target=aarch64-unknown-linux-gnu
sysroot=/usr/aarch64-linux-gnu

[[ " $* " == *" --whole "* ]] && whole=true || whole=false
[[ " $* " == *" system "* ]] && part=system || part=kernels
chosen=()
[[ $part == kernels ]] || chosen+=(--lib)
for program in tests/*.rs tests/*/main.rs; do
  program=${program#tests/} program=${program%/main.rs} program=${program%.rs}
  case $part-$program in
    *-shapes) ;; # a check of its own
    kernels-cipher | kernels-no_aes) chosen+=(--test "$program") ;;
    *-cipher | *-no_aes | kernels-*) ;;
    *) chosen+=(--test "$program") ;;
  esac
done

# A linker, the C library and the emulator.
need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc libc6-dev-arm64-cross $sysroot/lib/crt1.o \
  qemu-user-static qemu-aarch64-static

# Debian's standard library, and the compiler it belongs to, for where rustup has none and may not download one.
libdir=$(rustc --print target-libdir --target $target)
if ! compgen -G "$libdir/libstd-*" >/dev/null; then
  rust=$(bash scripts/debian-rust.sh "target add $target")
  export RUSTC=$rust/bin/rustc RUSTDOC=$rust/bin/rustdoc
fi
"${RUSTC:-rustc}" --version

# A folder apart, since another compiler may have filled the usual one. No documentation tests: rustdoc would
# link them for this machine.
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/arm64
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS # they would replace the flags of .cargo/config.toml
# In the profile of all tests: in the one that compiles faster, for Wine, they run longer here than the compiler saves.
messages=$(cargo test --locked "${chosen[@]}" --features faults --target $target --no-run --message-format=json)
mapfile -t tests < <(
  # shellcheck disable=SC2016 # JavaScript's dollar
  node -e '
    for (const line of require("node:fs").readFileSync(0, "utf8").trim().split("\n")) {
      const { executable, target } = JSON.parse(line)
      if (executable) console.log(`${target.name} ${executable}`)
    }' <<<"$messages"
)

emulate() { # CPU [-E NAME=VALUE]... PROGRAM [ARGUMENT]...
  qemu-aarch64-static -L $sysroot -cpu "$@"
}

# cortex-a72: AES and PMULL and no more. max: everything that qemu knows (its pointer authentication made cheap).
# Skipped: the comparison with /proc/cpuinfo, which describes this machine; a page wiped on fork, which qemu does not do (it
# notices forks by the process id); a limit of the address space, which qemu does not enforce; and, without --whole, a test
# that takes minutes for two gibibytes. fork and memory are programs without named tests. qemu ignores advice about memory:
# the program memory is told so, checks that this is true, and leaves out its limit of the address space.
if $whole; then
  unset AESGCM_SAMPLE
else
  export AESGCM_SAMPLE=${AESGCM_SAMPLE:-9} AESGCM_SEED=${AESGCM_SEED:-$RANDOM}
  echo "a sample: AESGCM_SAMPLE=$AESGCM_SAMPLE AESGCM_SEED=$AESGCM_SEED (--whole for all)"
fi
every_test() { # CPU
  local cpu=$1 test began
  local skip=(--skip every_backend_the_kernel_has_flags_for_is_offered --skip this_kernel_wipes_pages_on_fork
    --skip a_detector_without_a_page_opens_no_device)
  $whole || skip+=(--skip seeds_are_due_after_their_bytes_and_their_time)
  for test in "${tests[@]}"; do
    echo "== ${test%% *} on $cpu"
    began=$SECONDS
    case ${test%% *} in
      fork | memory) emulate "$cpu" -E ADVICE_IS_IGNORED=1 "${test#* }" ;;
      *) emulate "$cpu" "${test#* }" --quiet "${skip[@]}" ;;
    esac
    echo "$((SECONDS - began)) s"
  done
}
# Both at once: an emulator takes one CPU. The oldest CPU has one of the two backends that the newest runs: a third of the sample.
(
  $whole || AESGCM_SAMPLE=$((AESGCM_SAMPLE * 3))
  every_test cortex-a72
) >"$CARGO_TARGET_DIR/cortex-a72.$part.log" 2>&1 &
oldest=$!
every_test max,pauth-impdef=on &
newest=$!
failed=()
wait "$oldest" || failed+=(cortex-a72)
wait "$newest" || failed+=(max)
cat "$CARGO_TARGET_DIR/cortex-a72.$part.log"
((${#failed[@]} == 0)) || stop "a test failed on ${failed[*]}."

program() { # TEST
  local program
  program=$(printf '%s\n' "${tests[@]}" | sed -n "s/^$1 //p")
  [[ -x $program ]] || stop "tests/$1.rs was not built."
  echo "$program"
}
aarch64-linux-gnu-gcc -shared -fPIC -o "$CARGO_TARGET_DIR/hwcap.$part.so" checks/emulate/hwcap.c

if [[ $part == system ]]; then
  # qemu's max has DIT and does not tell: bit 24. Without the bit above, the same test saw that the register is left alone.
  timing=$(program timing)
  echo "== timing, with DIT in sight"
  emulate max -E LD_PRELOAD="$CARGO_TARGET_DIR/hwcap.$part.so" -E SHOWN_BIT=24 "$timing" --quiet
else
  # Every CPU of qemu has AES: this hides its bit, which is bit 3.
  no_aes=$(program no_aes)
  echo "== no_aes, with AES hidden"
  emulate cortex-a72 -E LD_PRELOAD="$CARGO_TARGET_DIR/hwcap.$part.so" -E HIDDEN_BIT=3 "$no_aes" --ignored
  # A test that cannot fail proves nothing: this one must, in the way a test does (101), where AES is in sight.
  code=0
  emulate cortex-a72 "$no_aes" --ignored >/dev/null 2>&1 || code=$?
  ((code == 101)) || stop "no_aes ended with $code on a CPU with AES."
fi
echo "arm64: every test of the $part passed on both CPUs"
