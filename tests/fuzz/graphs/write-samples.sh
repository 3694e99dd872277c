#!/bin/sh
# write-samples.sh — prints the samples of all operators that the tests of operators have.
# usage: write-samples.sh OPERATOR-TESTS
# SPDX-License-Identifier: LGPL-2.1-or-later
export HYB_WRITE_SAMPLES=1
"$1" 2>&1 | while read -r name; do "$1" "$name" -l; done | grep '^sample	'
