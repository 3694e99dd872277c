#!/bin/sh
# check-moved.sh — installed programs work in a folder that they were moved to.
# usage: check-moved.sh BUILD PREFIX LIBDIR
#
# The tarball relies on it (packaging/build-tarball.sh).  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
build=$1 prefix=$2 libdir=$3
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
unset LD_LIBRARY_PATH HYBRIDSCOPE_GALLERY HYB_GPU_MODULE
number=0

# report STATUS NAME [REASON]: a line of TAP; with a REASON the test was left out.
report () {
  number=$((number + 1))
  if [ "$1" = 0 ]; then
    echo "ok $number /moved/$2${3:+ # SKIP $3}"
  else
    echo "not ok $number /moved/$2"
    sed 's/^/# /' "$work/said"
  fi
}

DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet >"$work/said" 2>&1 ||
  { sed 's/^/# /' "$work/said"; echo '1..0 # SKIP meson install fails here'; exit 0; }
mv "$work/root$prefix" "$work/another folder"
cd "$work/another folder" || exit 2

echo 1..5
bin/hscope info gallery:mlp >"$work/said" 2>&1
report $? the-gallery-is-found
if [ -e "$prefix/libexec/hybridscope" ]; then
  report 0 the-helper-of-graphviz-is-found "programs are installed here, too"
else
  bin/hscope render gallery:mlp --layout dot --output "$work/mlp.svg" >"$work/said" 2>&1 &&
    ! grep -i dot "$work/said" >&2
  report $? the-helper-of-graphviz-is-found
fi
if [ -e "$libdir/hybridscope/hybridscope-cuda.so" ]; then
  bin/hscope run gallery:mlp --device gpu >"$work/said" 2>&1
  ! grep 'not installed' "$work/said" >&2
  report $? the-gpu-module-is-found
else
  report 0 the-gpu-module-is-found "the build leaves parts of the packages out"
fi
if [ ! -x bin/hybridscope ] || [ ! -d share/locale ]; then
  report 0 translations-are-found "the build leaves parts of the packages out"
elif ! localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >"$work/said" 2>&1; then
  report 0 translations-are-found "the sources of locales are not installed"
else
  LOCPATH=$work LC_ALL=de_DE.UTF-8 bin/hybridscope --help >"$work/said" 2>&1
  grep -q Aufruf "$work/said"
  report $? translations-are-found
fi
# A path such as $ORIGIN/.. moves with the file, an absolute one does not.
find . -type f | while read -r file; do
  # shellcheck disable=SC2016
  readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -v 'path: \[\$ORIGIN'
done >"$work/said"
[ ! -s "$work/said" ]
report $? search-paths-are-relative
