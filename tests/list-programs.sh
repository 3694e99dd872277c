#!/bin/sh
# list-programs.sh — prints the list of tests that programs.c includes.
# usage: list-programs.sh NAME…    NAME: ops/nn/test-softmax, whose function is test_softmax_program()
# SPDX-License-Identifier: LGPL-2.1-or-later
for name; do
  printf 'PROGRAM (%s, "%s")\n' "$(basename "$name" | tr - _)" "$name"
done
