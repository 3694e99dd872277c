#!/bin/sh
# compilers.sh — builds hscope and the library with other compilers and options, and counts warnings.
# usage: compilers.sh FOLDER [ROW…]    default: all rows below
#
# Prints a line of a table for each row; docs/compilers.md has what came out. FOLDER keeps the builds and logs. The window is
# left out, since GTK's headers take most of the time; WINDOW=enabled builds it as well. TESTS="NAME…" builds and runs these tests.
# SPDX-License-Identifier: LGPL-2.1-or-later
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || { echo "usage: compilers.sh FOLDER [ROW…]" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
failed=0

# row NAME COMPILER OPTION…: OPTION as for meson setup.
row () {
  name=$1 compiler=$2; shift 2
  case " $wanted " in *" $name "* | "  ") ;; *) return ;; esac
  if ! command -v "${compiler%% *}" >/dev/null; then
    echo "| $name | $compiler is not installed |"
    return
  fi
  rm -rf "${folder:?}/$name"
  CC=$compiler meson setup "$folder/$name" "$root" -Dgtk="${WINDOW:-disabled}" -Dhtml=disabled "$@" >"$folder/$name.log" 2>&1 &&
    if [ "${WINDOW:-disabled}" = disabled ]; then
      ninja -k 0 -C "$folder/$name" app/hscope viz/layout-helper >>"$folder/$name.log" 2>&1
    else
      ninja -k 0 -C "$folder/$name" programs >>"$folder/$name.log" 2>&1
    fi
  status=$?
  warnings=$(grep -c 'warning: ' "$folder/$name.log")
  errors=$(grep -c 'error: ' "$folder/$name.log")
  result="$warnings warnings, $errors errors"
  if [ $status = 0 ]; then
    "$folder/$name/app/hscope" new --list >/dev/null || result="$result, hscope fails"
  else
    result="$result, not built"
  fi
  [ $status = 0 ] && [ "$warnings" = 0 ] || failed=1
  # shellcheck disable=SC2086
  if [ $status = 0 ] && [ -n "$TESTS" ]; then
    result="$result, $(meson test -C "$folder/$name" $TESTS 2>&1 | awk '/^Ok:/ { ok = $2 } /^Fail:/ { fail = $2 } END { print ok " of the tests pass, " fail " fail" }')"
  fi
  echo "| $name | $result |"
}

wanted=$*
row gcc-O0 gcc --buildtype=plain -Dc_args=-O0
row gcc-O1 gcc --buildtype=plain -Dc_args=-O1
row gcc-O2 gcc --buildtype=debugoptimized
row gcc-O3 gcc --buildtype=release
row gcc-lto gcc --buildtype=release -Db_lto=true
row clang-O0 clang-14 --buildtype=plain -Dc_args=-O0
row clang-O1 clang-14 --buildtype=plain -Dc_args=-O1
row clang-O2 clang-14 --buildtype=debugoptimized
row clang-O3 clang-14 --buildtype=release
row clang-lto clang-14 --buildtype=release -Db_lto=true -Dc_link_args=-fuse-ld=lld
row gcc-fortify gcc --buildtype=release "-Dc_args=-D_FORTIFY_SOURCE=3"
exit $failed
