#!/bin/sh
# check-exports.sh — the installed library exports exactly what its headers declare.
# usage: check-exports.sh LIBRARY SOURCE
#
# Compares three sets: the dynamic symbols of the library, the functions declared in the
# installed headers (everything that <hybridscope/hybrid.h> and the headers beside it declare), and
# engine/abi.txt.  To accept a change: check-exports.sh LIBRARY SOURCE --write.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
library=$1 source=$2
export LC_ALL=C # order, decimal points and messages
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"

nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >"$work/exported"

# Every installed header through the preprocessor; declarations are "hyb_name (".
sed -n "/^public_headers = \[$/,/^\]/s/^  '\(.*\.h\)',$/#include \"engine\/\1\"/p" "$source/engine/meson.build" >"$work/all.c"
# shellcheck disable=SC2046
"${CC:-cc}" -E -I"$source" $(pkg-config --cflags gio-2.0) "$work/all.c" >"$work/all.i" || exit 2
awk '/^# [0-9]+ "/ { ours = $3 ~ /\/engine\// } ours' "$work/all.i" | tr '\n' ' ' | sed 's/[;{}]/\n/g' |
  grep -v '^ *typedef\|static \|^ *return ' | sed 's/( *\*[^)]*)//g' | grep -o '[( *]hyb_[a-z0-9_]* (' | tr -d '( *' | sort -u >"$work/declared"

if [ "$3" = --write ]; then
  cp "$work/exported" "$source/engine/abi.txt"
  exit
fi

# same NUMBER NAME FILE FILE
same () {
  if diff "$3" "$4" >"$work/diff"; then
    echo "ok $1 /engine/exports/$2"
  else
    echo "not ok $1 /engine/exports/$2"
    sed 's/^/# /' "$work/diff"
    status=1
  fi
}

status=0
echo 1..4
if [ "$(wc -l <"$work/exported")" -gt 100 ]; then
  echo "ok 1 /engine/exports/there-are-some"
else
  echo "not ok 1 /engine/exports/there-are-some"
  status=1
fi
same 2 headers-declare-what-is-exported "$work/declared" "$work/exported"
same 3 the-list-in-the-tree-is-current "$source/engine/abi.txt" "$work/exported"
# The comment at the head of every installed header, which ends with the licence, says what threads may share.
sed -n "s/^#include \"\(.*\)\"$/\1/p" "$work/all.c" | while read -r header; do
  sed '/SPDX/q' "$source/$header" | grep -q "Threads: " || echo "$header says nothing about threads"
done >"$work/silent"
: >"$work/empty"
same 4 headers-say-what-threads-may-share "$work/silent" "$work/empty"
exit $status
