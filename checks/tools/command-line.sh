# shellcheck shell=bash
# Reads the arguments of a shell script, as scripts/command-line.mjs does those of a program.

# Prints the comment at the top of the script if an argument is --help; refuses arguments that do not match the pattern.
only() { # PATTERN ARGUMENT...
  local pattern=$1 argument
  shift
  for argument; do
    [[ $argument == --help || $argument == -h ]] || continue
    sed -n '2,$ { /^#/! q; /^# shellcheck/ d; s/^# \{0,1\}//p }' "$0"
    exit 0
  done
  for argument; do
    [[ $argument =~ ^($pattern)$ ]] && continue
    echo "'$argument' is not an argument of ${0##*/}: --help tells what it takes." >&2
    exit 2
  done
}
