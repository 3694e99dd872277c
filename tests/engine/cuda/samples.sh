#!/bin/sh
# samples.sh — the samples of operators that hscope selftest has are those of the tests.
# usage: samples.sh FILE OPERATOR-TESTS CUDA-TESTS NAME…            compares, as a test
#        samples.sh --write FILE OPERATOR-TESTS CUDA-TESTS NAME…    writes the file: ninja write-samples
# SPDX-License-Identifier: LGPL-2.1-or-later
if [ "$1" = --write ]; then shift; writes=1; else writes=0; fi
file=$1 operators=$2 large_shapes=$3
shift 3
tests=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
export HYB_WRITE_SAMPLES=1
{
  for name; do "$operators" "$name" -l; done
  "$large_shapes" test-large-shapes -l
} | sed -n 's/^sample	//p' >"$work/list"
if [ $writes = 1 ]; then
  cp "$work/list" "$file"
  exit
fi
echo 1..1
if [ -s "$work/list" ] && diff "$file" "$work/list" >"$work/list.differences"; then
  echo "ok 1 the-samples-of-the-self-test-are-those-of-the-tests"
else
  echo "not ok 1 the-samples-of-the-self-test-are-those-of-the-tests # ninja write-samples writes them anew"
  sed 's/^/# /' "$work/list.differences"
fi
