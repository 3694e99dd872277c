#!/bin/sh
# check-layers-finds.sh — check-layers.sh and check-calls.sh find what is planted.
# usage: check-layers-finds.sh
#
# Makes a source tree of a few small files, checks it, and then once for each rule with one
# line that breaks it.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
here=$(cd "$(dirname "$0")" && pwd) || exit 2
tests=$here
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
number=0
failed=0

plant () { # FILE LINE…: appends lines to a file of the tree
  file=$work/$1; shift
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$@" >>"$file"
}

start () {
  rm -rf "${work:?}"/*
  plant engine/meson.build "foreach folder : ['low', 'high']" "endforeach"
  plant engine/low/a.h "#pragma once" "int a (void);"
  plant engine/low/a.c '#include "engine/low/a.h"' 'int a (void) { return 1; }'
  plant engine/low/a-private.h '#include "engine/low/a.h"'
  plant engine/high/b.h '#include "engine/low/a.h"' "int b (void);"
  plant engine/high/b.c '#include "engine/high/b.h"' 'int b (void) { return a (); }'
  plant viz/diagram/box.h '#pragma once'
  plant profiler/base/clock.h '#include "engine/high/b.h"'
  plant app/command/run.c '#include "engine/high/b.h"' '#include "viz/diagram/box.h"'
}

expect () { # STATUS NAME [COMMAND…]
  wanted=$1; name=$2; shift 2
  number=$((number + 1))
  "$@" >"$work/output" 2>&1
  got=$?
  if [ "$got" -eq "$wanted" ]; then
    echo "ok $number $name"
  else
    echo "not ok $number $name"
    echo "# exit $got instead of $wanted"
    sed 's/^/# /' "$work/output"
    failed=1
  fi
}

# expect() calls these by their names.
# shellcheck disable=SC2317
layers () { "$here/check-layers.sh" "$work"; }

# Compiles the tree as meson would name its objects.
# shellcheck disable=SC2317
calls () {
  for source in engine/low/a engine/high/b; do
    mkdir -p "$work/build/engine/x.p"
    object=engine/x.p/$(echo "${source#engine/}" | tr / _).c.o
    cc -I"$work" -c "$work/$source.c" -o "$work/build/$object" || return 2
    echo "    \"output\": \"$object\"" >>"$work/build/compile_commands.json"
  done
  "$here/check-calls.sh" "$work/build" "$work"
}

echo "1..14"
start
expect 0 "a tree whose arrows point one way passes" layers
expect 0 "calls that point one way pass" calls

start; plant engine/low/a.c '#include "viz/diagram/box.h"'
expect 1 "an include of a module that is not allowed is found" layers
start; plant viz/diagram/box.h '#include "engine/low/a.h"'
expect 1 "a tensor in viz is found" layers
start; plant app/command/run.c '#include <gtk/gtk.h>'
expect 1 "GTK in a command is found" layers
start; plant engine/low/a.c '#include "engine/high/b.h"'
expect 1 "an include of a folder that stands above is found" layers
start; plant engine/low/a.h '#include "engine/low/c.h"'; plant engine/low/c.h '#include "engine/low/a.h"'
expect 1 "two files that include each other are found" layers
start; plant engine/new/c.h '#include "engine/low/a.h"'
expect 1 "a folder without a place in the order is found" layers
start; plant engine/device/device.h '#pragma once'; plant engine/low/a.c '#include "engine/device/device.h"'
expect 1 "the table of a back end in another folder is found" layers
start; plant engine/cuda/x.c '#include "engine/low/a.h"'
expect 1 "a private header in a back end is found" layers
start; plant app/command/check.h '#pragma once'; plant app/command/frame/x.c '#include "app/command/check.h"'
expect 1 "a command in the frame of the commands is found" layers
start; plant engine/low/a.h '} HybRow;'; plant app/command/row.h '} HybRow;'
expect 1 "two types with one name are found" layers
start; plant engine/low/a.c 'int b (void);' 'int c (void);' 'int c (void) { return b (); }'
expect 1 "two files that call each other are found" calls
start; plant engine/low/a.c 'int c (void);' 'int d (void) { return c (); }'; plant engine/high/b.c 'int c (void) { return 2; }'
sed -i 's/return a ()/return 1/' "$work/engine/high/b.c"
expect 1 "a call of a folder that stands above is found" calls
exit $failed
