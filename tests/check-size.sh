#!/bin/sh
# check-size.sh — files stay under 600 lines, functions under 80, folders under 61 source files.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
export LC_ALL=C # order, decimal points and messages
files=$(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.hsk' 2>/dev/null ||
        find app engine profiler viz resources tests tools -name '*.[ch]')
status=0
# shellcheck disable=SC2086
long=$(wc -l $files | awk '$1 > 600 && $2 != "total" { print $2 ": " $1 " lines" }')
[ -n "$long" ] && { echo "$long"; status=1; }
# shellcheck disable=SC2086
long=$(awk '/^{/ { s = FNR } /^}$/ { if (s && FNR - s > 80) print FILENAME ":" s ": " FNR - s " lines"; s = 0 }' $files)
[ -n "$long" ] && { echo "$long"; status=1; }
# shellcheck disable=SC2086
full=$(printf '%s\n' $files | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 60 { print $2 ": " $1 " source files" }')
[ -n "$full" ] && { echo "$full"; status=1; }
exit $status
