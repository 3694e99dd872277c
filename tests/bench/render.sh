#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
export LC_ALL=C # order, decimal points and messages
# render.sh — measures time and memory of drawing graphs, from file to SVG.
#
#   tests/bench/render.sh build [RUNS]
#
# Prints for each graph the median of RUNS runs (default 5) in seconds, its limit, and the peak
# memory of one run in MB; exits with 1 if a median exceeds its limit ("gate").
set -eu
build=${1:?say which build folder to measure}
runs=${2:-5}
hscope=$build/app/hscope
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
HYBRIDSCOPE_GALLERY=${HYBRIDSCOPE_GALLERY:-$build/resources/gallery}
export HYBRIDSCOPE_GALLERY
status=0

blocks () {
  "$(dirname "$0")/blocks.sh" "$1"
}

measure () {
  name=$1 gate=$2 model=$3
  shift 3
  : >"$work/times"
  for _ in $(seq "$runs"); do
    "$hscope" render "$model" --json --output "$work/out.svg" "$@" 2>/dev/null >"$work/json"
    tr ',{}' '\n' <"$work/json" | sed -n 's/.*"seconds": *\([0-9.e-]*\).*/\1/p' >>"$work/times"
  done
  median=$(sort -g "$work/times" | sed -n "$(((runs + 1) / 2))p")
  nodes=$(tr ',{}' '\n' <"$work/json" | sed -n 's/.*"nodes": *\([0-9]*\).*/\1/p')
  peak=-
  command -v python3 >/dev/null && peak=$(python3 -c 'import resource,subprocess,sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$hscope" render "$model" --output "$work/out.svg" "$@")
  verdict=$(awk -v m="$median" -v g="$gate" 'BEGIN { print m <= g ? "ok" : "MISSED" }')
  test "$verdict" = ok || status=1
  printf '%-34s %7s nodes  median %6.3f s  gate %4s s  peak %4s MB  %s\n' \
    "$name" "$nodes" "$median" "$gate" "$peak" "$verdict"
}

blocks 45 >"$work/blocks-1k.json"
blocks 455 >"$work/blocks-10k.json"
blocks 4550 >"$work/blocks-100k.json"
measure "1k, folded" 0.2 "$work/blocks-1k.json"
measure "10k, folded" 0.5 "$work/blocks-10k.json"
measure "100k, folded" 2 "$work/blocks-100k.json"
measure "10k, flat" 2 "$work/blocks-10k.json" --fold weights
measure "gallery LSTM, 2000 steps" 1 'gallery:lstm-unrolled?length=2000'
shared=${HYB_SHARED:-$(dirname "$0")/../../../shared}
large=$shared/goldens/models/large-lstm-t2000/large-lstm-t2000-symbol.json.gz
if [ -e "$large" ]; then
  measure "goldens' large-lstm-t2000" 1.5 "$large"
fi
exit $status
