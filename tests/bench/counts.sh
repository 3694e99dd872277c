#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# counts.sh — checks how many instructions drawing takes.  Unlike times, counts are reproducible.
#
#   tests/bench/counts.sh HSCOPE OPTIMIZATION
#
# Limits are 25 % above the counts of an optimised build on amd64.  Exits with 77 (skipped)
# without valgrind, or for a build that is not optimised.
set -eu
hscope=$1
here=$(dirname "$0")
if ! command -v valgrind >/dev/null; then
  echo "valgrind is not installed"
  exit 77
fi
case $2 in 2 | 3 | s) ;; *) echo "the build is not optimised"; exit 77 ;; esac
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
status=0

# count NAME MILLIONS FILE [OPTIONS]
count () {
  name=$1 limit=$2 file=$3
  shift 3
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$hscope" render "$file" \
    --output "$work/out.svg" "$@" >"$work/log" 2>&1
  millions=$(awk '/Collected :/ { print int ($4 / 1e6) }' "$work/log")
  if test -z "$millions"; then
    cat "$work/log"
    exit 1
  fi
  verdict=ok
  test "$millions" -le "$limit" || { verdict=MORE; status=1; }
  printf '%-24s %6d million instructions, at most %6d  %s\n' "$name" "$millions" "$limit" $verdict
}

"$here/blocks.sh" 45 >"$work/1k.json"
"$here/blocks.sh" 455 >"$work/10k.json"
count "1k, folded" 140 "$work/1k.json"
count "1k, flat" 320 "$work/1k.json" --fold weights
count "10k, folded" 600 "$work/10k.json"
exit $status
