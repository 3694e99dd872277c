#!/bin/sh
# check-format.sh — every C file is as clang-format 14 would write it.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
tool=$(command -v clang-format-14 || command -v clang-format) || exit 77
find app engine profiler viz resources tests tools -name '*.[ch]' -print0 |
  xargs -0 "$tool" --dry-run --Werror 2>&1 | grep -E 'error:' | cut -d: -f1 | sort | uniq -c >"${TMPDIR:-/tmp}/format.$$"
cat "${TMPDIR:-/tmp}/format.$$"
[ ! -s "${TMPDIR:-/tmp}/format.$$" ]; status=$?
rm -f "${TMPDIR:-/tmp}/format.$$"
exit $status
