#!/bin/sh
# check-threads.sh — the speed-up that 16 threads allow, by counting instructions (threads.py).
# Usage: check-threads.sh HSCOPE-COUNTING
# SPDX-License-Identifier: LGPL-2.1-or-later
program=$1

if ! command -v valgrind >/dev/null 2>&1; then
  echo "1..0 # SKIP valgrind is not installed"
  exit 0
fi

number=0
# check CASE SPEEDUP
check () {
  number=$((number + 1))
  speedup=$(python3 "$(dirname "$0")/threads.py" "$program" --threads 16 "$1" | awk -F'|' -v name="$1" '$2 == " " name " " { print $9 + 0 }')
  echo "# $1: $speedup, at least $2 expected"
  if [ -n "$speedup" ] && awk "BEGIN { exit !($speedup >= $2) }"; then
    echo "ok $number - $1 is split among 16 threads"
  else
    echo "not ok $number - $1 is split among 16 threads"
  fi
}

echo "1..3"
check softmax-1000x1000 14
check tanh-1e6 14
check lstm-infer-h256-t2-b32-unrolled 11
