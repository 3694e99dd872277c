#!/bin/sh
# without-cuda.sh — builds with -Dcuda=disabled and compares with another build: what commands print and
# write, and how many instructions a start takes.
# usage: tools/without-cuda.sh [BUILD]    BUILD: a folder in which meson has built hscope; default: build
#
# Takes minutes; ./test does without.  The other build is made in build-without-cuda.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
without="build-without-cuda"
type=$(meson introspect --buildoptions "$build" | python3 -c '
import json, sys
print (next (o["value"] for o in json.load (sys.stdin) if o["name"] == "buildtype"))') || exit 2

[ -f $without/build.ninja ] || meson setup $without -Dcuda=disabled --buildtype="$type" >/dev/null || exit 2
gallery=$(ninja -C $without -t targets all | sed -n 's|^\(resources/gallery/[^:]*[.]so\): .*|\1|p')
# shellcheck disable=SC2086 # a list of targets
ninja -C $without app/hscope $gallery >/dev/null || exit 2
if find $without/engine/cuda $without/tests/engine/cuda -name '*.so*' 2>/dev/null | grep -q hybridscope-cuda; then
  echo "$without has a module for GPUs, although it is disabled"
  exit 1
fi
tests/same-without-cuda.sh "$PWD/$build/app/hscope" "$PWD/$without/app/hscope" || exit 1

command -v valgrind >/dev/null || exit 0
for program in "$build" "$without"; do
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program/app/hscope" --version 2>&1 |
    sed -n "s|.*Collected : \([0-9]*\)|# $program: a start takes \1 instructions|p"
done
