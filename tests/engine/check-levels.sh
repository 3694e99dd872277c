#!/bin/sh
# check-levels.sh — every level of vector instructions that the processor has passes the tests of
# kernels, operators and models, and gives the same bytes run after run.
# Usage: check-levels.sh LEVEL HSCOPE PROGRAM TEST…   LEVEL: sse2, avx2 or avx512; PROGRAM: see tests/program.h
#
# The highest level is the one that all tests run with, so that only the bytes are compared there.  Tests whose path has
# /every-level/ run at each level by themselves, and so not here.
# HYB_CPU forces our kernels, OPENBLAS_CORETYPE those of OpenBLAS; hscope sets the latter itself.
# SPDX-License-Identifier: LGPL-2.1-or-later
level=$1 hscope=$2 program=$3
shift 3
unset OPENBLAS_CORETYPE
export LC_ALL=C

# What --version --verbose says, without HYB_CPU: the most that the processor has.
most=$(env -u HYB_CPU "$hscope" --version --verbose | sed -n 's/^vector instructions: //p')
case $level:$most in
  sse2:SSE2 | avx2:AVX2* | avx512:AVX-512*) set -- ;;
esac
case $level:$most in
  sse2:* ) name=SSE2 core=Prescott ;;
  avx2:AVX*) name='AVX2 and FMA' core=Haswell ;;
  avx512:AVX-512*) name=AVX-512 core=SkylakeX ;;
  *)
    echo "1..0 # SKIP this processor has no $level"
    exit 0
    ;;
esac
if [ "$(uname -m)" != x86_64 ]; then
  echo "1..0 # SKIP levels are those of x86-64"
  exit 0
fi

tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
export HYB_CPU="$level"
number=0
# result STATUS TEXT
result () {
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

echo "1..$(($# + 6))"
text=$("$hscope" --version --verbose)
printf '%s\n' "$text" | grep -q "^vector instructions: $name"
result $? "$level: our kernels use it"
if [ "$level" = avx512 ]; then core='[A-Z][A-Za-z]*'; fi # any that OpenBLAS chose itself
[ "$level" = avx2 ] && core='\(Haswell\|Zen\)'
printf '%s\n' "$text" | grep -q "matrix products: .* $core kernels"
result $? "$level: OpenBLAS's kernels use no more"

# twice MODEL THREADS: whether two processes compute the same bytes.
twice () {
  for run in first second; do
    "$hscope" run "$1" --init xavier --seed 3 --threads "$2" --output "$work/$run.npz" >/dev/null 2>"$work/log" || return
  done
  cmp "$work/first.npz" "$work/second.npz"
}
for model in lenet lstm-unrolled; do
  twice "gallery:$model" 1
  result $? "$level: the same bytes in the next process, $model"
  twice "gallery:$model" 2
  result $? "$level: the same bytes in the next process with two threads, $model"
done

# Programs of tests do not set it.
case $level in
  sse2) export OPENBLAS_CORETYPE=Prescott ;;
  avx2) export OPENBLAS_CORETYPE=Haswell ;;
  avx512) export OPENBLAS_CORETYPE=SkylakeX ;;
esac
for test; do
  skips=$("$program" "$test" -l 2>/dev/null | sed -n 's,^/.*/every-level/,-s &,p')
  # shellcheck disable=SC2086
  if "$program" "$test" --tap -k $skips >"$work/log" 2>&1; then
    result 0 "$level: $test"
  else
    sed 's/^/# /' "$work/log" | grep -v '^# ok' | tail -n 20
    result 1 "$level: $test"
  fi
done
