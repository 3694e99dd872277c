#!/bin/sh
# report.sh — lines of TAP, for scripts that source this file after they made the folder $work.
#
# What a test printed is in $work/out, and perhaps in $work/err; it is shown if the test failed.
# SPDX-License-Identifier: LGPL-2.1-or-later
number=0
failed=0

# report STATUS NAME: one test.
report () {
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number $2"
  else
    echo "not ok $number $2"
    cat "${work:?}/out" "${work:?}/err" 2>/dev/null | sed 's/^/# /'
    failed=1
  fi
}

# finish_tests: the number of tests; ends the script, with 1 if one failed.
finish_tests () {
  echo "1..$number"
  exit "$failed"
}
