#!/bin/sh
# check-counts.sh — how many instructions a run of a small case takes, by callgrind: what a
# noisy machine cannot hide.  Usage: check-counts.sh HSCOPE
#
# One thread, kernels capped at AVX2 (valgrind has no AVX-512).  The difference between many
# runs and one is what runs take; a count may be a quarter off, for compilers differ.
# SPDX-License-Identifier: LGPL-2.1-or-later
hscope=$1
export OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1 LC_ALL=C

if ! command -v valgrind >/dev/null 2>&1; then
  echo "1..0 # SKIP valgrind is not installed"
  exit 0
fi

# instructions CASE RUNS
instructions () {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$hscope" bench --case "$1" --threads 1 --repeat 1 --runs "$2" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

number=0
# check CASE INSTRUCTIONS WHAT
check () {
  number=$((number + 1))
  few=$(instructions "$1" 1)
  many=$(instructions "$1" 21)
  if [ -z "$few" ] || [ -z "$many" ]; then
    echo "not ok $number - $1: callgrind counted nothing"
    return
  fi
  count=$(((many - few) / 20))
  echo "# $1: $count instructions a run, $2 expected ($3)"
  if [ $((count * 4)) -ge $(($2 * 3)) ] && [ $((count * 4)) -le $(($2 * 5)) ]; then
    echo "ok $number - $1 takes as many instructions as it should"
  else
    echo "not ok $number - $1 takes $count instructions instead of $2"
  fi
}

echo "1..4"
check overhead-chain-1000 257000 "dispatch of 1000 operators"
check overhead-chain-1000-imperative 2600000 "each of them called at once"
check lstm-infer-h32-t20-b1-unrolled 133000 "one product for all inputs, fused gates"
check lstm-infer-h32-t20-b1-foreach 145000 "the same in a loop"
