#!/bin/sh
# test-examples.sh — the programs in examples/ compile against the installed library and print what they
# should, and the tutorials show their code and their output.
# usage: test-examples.sh SOURCE BUILD PREFIX LIBDIR
#
# Every block of C of docs/tutorials/NAME.md must be part of examples/NAME.c, every block of text part of
# examples/NAME.txt, line by line.  test-pages.py runs the commands of the pages.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
source=$1 build=$2 prefix=$3 libdir=$4
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
number=0

# report STATUS WHAT: a line of TAP.
report () {
  number=$((number + 1))
  [ "$1" = 0 ] && echo "ok $number $2" || echo "not ok $number $2"
}

# --- Programs ---

# compile PROGRAM FILE COMPILER [OPTION…]
compile () {
  out=$1 file=$2 compiler=$3; shift 3
  # shellcheck disable=SC2046
  "$compiler" -Wall -Wextra -Werror -Wno-unused-parameter "$@" "$file" -o "$out" \
    $(pkg-config --cflags --libs hybridscope-engine) -lm \
    -Wl,-rpath,"$(pkg-config --variable=libdir hybridscope-engine)" >&2
}

DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 ||
  { sed 's/^/# /' "$work/log"; echo '1..0 # SKIP meson install fails here'; exit 0; }
export PKG_CONFIG_PATH="$work/root$prefix/$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
unset LD_LIBRARY_PATH
for file in "$source"/examples/*.c "$source"/examples/*.cpp; do
  name=$(basename "${file%.*}")
  case $file in
    *.c) compile "$work/$name" "$file" "${CC:-cc}" ;;
    *) if command -v "${CXX:-c++}" >/dev/null; then
         compile "$work/$name" "$file" "${CXX:-c++}" -std=c++20
       else
         number=$((number + 1))
         echo "ok $number /examples/$name # SKIP no C++ compiler"
         continue
       fi ;;
  esac && (cd "$work" && "./$name" >"$name.out") && diff "$source/examples/$name.txt" "$work/$name.out" >&2
  report $? "/examples/$name"
done

# --- Graphs ---

# MXNet's own files of the nine graphs of the mx.rnn page (tools/goldens/mx_rnn.py).
mkdir "$work/graphs"
(cd "$work" && ./mx-rnn graphs) >/dev/null && diff -r "$source/tests/data/docs/mx-rnn" "$work/graphs" >&2
report $? /examples/mx-rnn/graphs-are-those-of-MXNet-byte-for-byte

# --- Tutorials ---

# blocks KIND PAGE: each block of a kind in a file of its own, block-1, block-2, ….
blocks () {
  rm -f "$work"/block-*
  awk -v kind="$1" -v work="$work" '
    /^```/ { inside = !open && $0 == "```" kind; open = !open; n += inside; next }
    inside { print > (work "/block-" n) }' "$2"
}

# contains FILE PART: whether the lines of PART stand in FILE one after the other.
contains () {
  awk 'NR == FNR { part[++n] = $0; next } { line[FNR] = $0; last = FNR }
       END { for (i = 1; i + n - 1 <= last; i++) { for (k = 1; k <= n && line[i + k - 1] == part[k]; k++);
                                                    if (k > n) exit 0 } exit 1 }' "$2" "$1"
}

# holds_all FILE KIND PAGE [LINES]: every block of the page; with LINES, each line by itself.
holds_all () {
  held=0
  blocks "$2" "$3"
  for block in "$work"/block-*; do
    [ -e "$block" ] || continue
    if [ "$4" = lines ]; then
      grep -vxFf "$1" "$block" >"$work/missing" && { cat "$work/missing" >&2; held=1; }
    else
      contains "$1" "$block" || { cat "$block" >&2; held=1; }
    fi
  done
  return $held
}

for page in "$source"/docs/tutorials/*.md; do
  name=$(basename "$page" .md)
  [ "$name" = README ] && continue
  holds_all "$source/examples/$name.c" c "$page"; report $? "/tutorials/$name/code-is-that-of-the-program"
  holds_all "$source/examples/$name.txt" text "$page" lines; report $? "/tutorials/$name/output-is-that-of-the-program"
done

echo "1..$number"
