#!/bin/sh
# check-setup.sh — configures the tree as on a machine without CUDA, by hiding its folder.
# usage: check-setup.sh SOURCE
# SPDX-License-Identifier: LGPL-2.1-or-later
source=$1
tests=$(cd "$(dirname "$0")" && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
echo 1..1
# shellcheck disable=SC2016 # the inner shell expands it
if ! unshare --user --map-root-user --mount true 2>/dev/null; then
  echo 'ok 1 without-cuda # SKIP namespaces are not allowed here'
elif unshare --user --map-root-user --mount sh -c '
    [ ! -d /usr/local/cuda/. ] || mount -t tmpfs none "$(realpath /usr/local/cuda)" || exit 1
    [ ! -e /usr/local/cuda/include ] && meson setup "$1/build" "$2" -Dgtk=disabled -Dhtml=disabled -Dcuda=enabled
  ' sh "$work" "$source" >"$work/log" 2>&1; then
  echo 'ok 1 without-cuda'
else
  echo 'not ok 1 without-cuda'
  tail -5 "$work/log" | sed 's/^/# /'
fi
