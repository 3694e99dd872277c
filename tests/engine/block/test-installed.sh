#!/bin/sh
# test-installed.sh — what ninja install leaves is enough: a program in C and in C++, a
# plug-in (the template of the gallery's README) and the examples in headers are compiled against it by pkg-config.
# Everything is installed below a DESTDIR, and nothing is found through LD_LIBRARY_PATH.
# SPDX-License-Identifier: LGPL-2.1-or-later
source=$1 build=$2 prefix=$3 libdir=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

# report STATUS WHAT: a line of TAP.
report () {
  number=$((number + 1))
  [ "$1" = 0 ] && echo "ok $number $2" || echo "not ok $number $2"
}

compile () {
  out=$1 compiler=$2; shift 2
  # shellcheck disable=SC2046
  "$compiler" -Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-unused-parameter "$@" -o "$out" \
    $(pkg-config --cflags --libs hybridscope-engine) \
    -Wl,-rpath,"$(pkg-config --variable=libdir hybridscope-engine)" >&2
}

DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 ||
  { sed 's/^/# /' "$work/log"; echo '1..0 # SKIP meson install fails here'; exit 0; }
place=$work/root$prefix
mkdir "$work/pc"
sed "s|^prefix=.*|prefix=$place|" "$place/$libdir/pkgconfig/hybridscope-engine.pc" >"$work/pc/hybridscope-engine.pc"
export PKG_CONFIG_PATH="$work/pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
unset HYBRIDSCOPE_GALLERY LD_LIBRARY_PATH
hscope=$place/bin/hscope

echo 1..11
"$hscope" --version >&2; report $? /installed/hscope-starts-without-a-library-path
[ ! -e "$place/bin/hybridscope" ] || ! ldd "$place/bin/hybridscope" | grep 'not found' >&2
report $? /installed/the-window-finds-its-libraries
# The first block of C in the README is the template.
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/p' "$source/resources/gallery/README.md" | sed '/^```/d' >"$work/mine.c"
compile "$work/mine.so" "${CC:-cc}" -shared -fPIC "$work/mine.c"; report $? /installed/template-compiles
"$hscope" trace "$work/mine.so" --output "$work/mine" >&2; report $? /installed/plugin-is-traced
compile "$work/c" "${CC:-cc}" "$source/tests/engine/block/predict.c"; report $? /installed/program-in-c-compiles
"$work/c" "$work/mine-symbol.json" >"$work/c.out" && [ "$(wc -l <"$work/c.out")" = 10 ]; report $? /installed/program-in-c-predicts
if command -v "${CXX:-c++}" >/dev/null; then
  compile "$work/cxx" "${CXX:-c++}" -x c++ "$source/tests/engine/block/predict.c"; report $? /installed/program-in-cxx-compiles
  "$work/cxx" "$work/mine-symbol.json" >"$work/cxx.out" && cmp "$work/c.out" "$work/cxx.out" >&2
  report $? /installed/program-in-cxx-predicts-the-same
else
  echo "ok 7 /installed/program-in-cxx-compiles # SKIP no C++ compiler"
  echo "ok 8 /installed/program-in-cxx-predicts-the-same # SKIP no C++ compiler"
  number=8
fi
# The examples in the comments of headers: lines that start with " *   ", except those of hybrid.h.
{
  echo '#include <hybridscope/hybrid.h>'
  find "$place/include" -name '*.h' ! -name hybrid.h | sort | while read -r header; do
    awk '/^ \*   / { if (!n++) print "void\nexample_NAME (HybBlock *net, HybTape *tape, HybBackwardPass pass, GError *error)\n{{"
                     print substr ($0, 4) }
         END { if (n) print "}}" }' "$header" | sed "s/example_NAME/example_$(basename "$header" .h | tr - _)/"
  done
} >"$work/examples.c"
[ "$(grep -c '^example_' "$work/examples.c")" -ge 2 ] &&
  compile "$work/examples.so" "${CC:-cc}" -Wno-unused-variable -shared -fPIC "$work/examples.c"
report $? /installed/examples-of-headers-compile-in-c
if command -v "${CXX:-c++}" >/dev/null; then
  compile "$work/examples-cxx.so" "${CXX:-c++}" -std=c++20 -Wno-unused-variable -shared -fPIC -x c++ "$work/examples.c"
  report $? /installed/examples-of-headers-compile-in-cxx
else
  number=$((number + 1))
  echo "ok $number /installed/examples-of-headers-compile-in-cxx # SKIP no C++ compiler"
fi
"$hscope" info gallery:lstm-lm >&2; report $? /installed/gallery-is-found
