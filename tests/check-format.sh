#!/bin/sh
# check-format.sh — C files are as clang-format 14 would write them.
# usage: check-format.sh [--recent]    --recent: only files that the last 50 commits changed, where git knows them
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
tool=$(command -v clang-format-14 || command -v clang-format) || exit 77
tests=$PWD/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
list=$work/list
if [ "$1" != --recent ] || ! git diff --name-only --diff-filter=d HEAD~50 -- '*.[ch]' >"$list" 2>/dev/null; then
  find app engine precompiled profiler viz resources tests tools -name '*.[ch]' >"$list"
fi
! xargs "$tool" --dry-run --Werror <"$list" 2>&1 | grep -E 'error:' | cut -d: -f1 | sort | uniq -c | grep .
