#!/bin/sh
# test-installed.sh — what ninja install leaves is enough: a program in C and in C++, a
# plug-in (the template of the gallery's README) and the examples in headers are compiled against it by pkg-config.
# Everything is installed below a DESTDIR, and nothing is found through LD_LIBRARY_PATH.
# SPDX-License-Identifier: LGPL-2.1-or-later
source=$1 build=$2 prefix=$3 libdir=$4
tests=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
number=0

# report STATUS WHAT: a line of TAP.
report () {
  number=$((number + 1))
  [ "$1" = 0 ] && echo "ok $number $2" || echo "not ok $number $2"
}

compile () {
  out=$1 compiler=$2; shift 2
  # shellcheck disable=SC2046
  "$compiler" -Wall -Wextra -Werror "$@" -o "$out" $(pkg-config --cflags --libs hybridscope-engine) >&2
}

# A program is told where the library is; a plug-in is not.
compile_program () {
  compile "$@" -Wl,-rpath,"$(pkg-config --variable=libdir hybridscope-engine)"
}

DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 ||
  { sed 's/^/# /' "$work/log"; echo '1..0 # SKIP meson install fails here'; exit 0; }
place=$work/root$prefix
# The file finds its prefix by its own place.
export PKG_CONFIG_PATH="$place/$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
unset HYBRIDSCOPE_GALLERY LD_LIBRARY_PATH
hscope=$place/bin/hscope

echo 1..17
"$hscope" --version >&2; report $? /installed/hscope-starts-without-a-library-path
[ ! -e "$place/bin/hybridscope" ] || ! ldd "$place/bin/hybridscope" | grep 'not found' >&2
report $? /installed/the-window-finds-its-libraries
# The first block of C in the README is the template.
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/p' "$source/resources/gallery/README.md" | sed '/^```/d' >"$work/mine.c"
compile "$work/mine.so" "${CC:-cc}" -shared -fPIC "$work/mine.c"; report $? /installed/template-compiles
"$hscope" trace "$work/mine.so" --output "$work/mine" >&2; report $? /installed/plugin-is-traced
compile_program "$work/c" "${CC:-cc}" "$source/tests/engine/block/predict.c"; report $? /installed/program-in-c-compiles
"$work/c" "$work/mine-symbol.json" >"$work/c.out" && [ "$(wc -l <"$work/c.out")" = 10 ]; report $? /installed/program-in-c-predicts
if command -v "${CXX:-c++}" >/dev/null; then
  compile_program "$work/cxx" "${CXX:-c++}" -x c++ "$source/tests/engine/block/predict.c"; report $? /installed/program-in-cxx-compiles
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
    awk '/^ \*   / { if (!n++) print "void\nexample_NAME (HybModel *model, HybBlock *net, HybTensor *x, HybTensorList *inputs, HybTape *tape, HybBackwardPass pass, GError *error)\n{{"
                     print substr ($0, 4) }
         END { if (n) print "}}" }' "$header" | sed "s/example_NAME/example_$(basename "$header" .h | tr - _)/"
  done
} >"$work/examples.c"
[ "$(grep -c '^example_' "$work/examples.c")" -ge 2 ] &&
  compile "$work/examples.so" "${CC:-cc}" -Wno-unused-variable -Wno-unused-parameter -shared -fPIC "$work/examples.c"
report $? /installed/examples-of-headers-compile-in-c
if command -v "${CXX:-c++}" >/dev/null; then
  compile "$work/examples-cxx.so" "${CXX:-c++}" -std=c++20 -Wno-unused-variable -Wno-unused-parameter -shared -fPIC -x c++ "$work/examples.c"
  report $? /installed/examples-of-headers-compile-in-cxx
else
  number=$((number + 1))
  echo "ok $number /installed/examples-of-headers-compile-in-cxx # SKIP no C++ compiler"
fi
"$hscope" info gallery:lstm-lm >&2; report $? /installed/gallery-is-found
compile "$work/both.so" "${CC:-cc}" -shared -fPIC "$source/tests/engine/block/modules/model-and-operator.c" &&
  "$hscope" run "$work/both.so" --init uniform >&2
report $? /installed/a-plug-in-holds-models-and-operators
if command -v "${CXX:-c++}" >/dev/null; then
  compile "$work/both-cxx.so" "${CXX:-c++}" -std=c++20 -shared -fPIC -x c++ "$source/tests/engine/block/modules/model-and-operator.c" &&
    "$hscope" run "$work/both-cxx.so" --init uniform >&2 && compile_program "$work/predict" "${CXX:-c++}" -std=c++20 "$source/examples/predict.cpp" &&
    "$work/predict" >&2
  report $? /installed/cxx-needs-no-member-that-is-left-out
else
  number=$((number + 1))
  echo "ok $number /installed/cxx-needs-no-member-that-is-left-out # SKIP no C++ compiler"
fi
# Mistakes end in messages: in C, in C++, and in C without an error of memory.
compile_program "$work/misuse" "${CC:-cc}" "$source/tests/engine/block/misuse.c" && "$work/misuse" >"$work/misuse.out"
report $? /installed/mistakes-in-c-end-in-messages
sed 's/^/# /' "$work/misuse.out"
if command -v "${CXX:-c++}" >/dev/null; then
  compile_program "$work/misuse-cxx" "${CXX:-c++}" -std=c++20 -x c++ "$source/tests/engine/block/misuse.c" &&
    "$work/misuse-cxx" >"$work/misuse-cxx.out" && cmp "$work/misuse.out" "$work/misuse-cxx.out" >&2
  report $? /installed/mistakes-in-cxx-end-in-the-same-messages
else
  number=$((number + 1))
  echo "ok $number /installed/mistakes-in-cxx-end-in-the-same-messages # SKIP no C++ compiler"
fi
if command -v valgrind >/dev/null && ! ldd "$work/misuse" | grep -q 'asan\|tsan'; then
  OPENBLAS_CORETYPE=Haswell HYB_CPU=avx2 valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite "--suppressions=$source/tests/valgrind.txt" "$work/misuse" >&2
  report $? /installed/mistakes-lose-no-memory
else
  number=$((number + 1))
  echo "ok $number /installed/mistakes-lose-no-memory # SKIP valgrind is not installed"
fi
mv "$place/$libdir"/libhybridscope-engine.so.0* "$work"
! "$hscope" trace "$work/both.so" --output "$work/x" 2>"$work/message" && grep -q 'Install the library' "$work/message"
report $? /installed/a-plug-in-without-the-library-says-what-to-install
