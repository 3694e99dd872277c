#!/bin/sh
# check-calls.sh — calls between files point one way: no two object files call each other,
# directly or through others.
# usage: check-calls.sh BUILD    BUILD: a folder in which meson has built everything
#
# Reads the symbols of the objects.  Only functions count: tables of const structs, such as
# the list of operators, name what they list without calling it.  Casts of GObject classes
# (…_get_type) do not count either.
# Prints the files of every circle and exits with 1.
# SPDX-License-Identifier: LGPL-2.1-or-later
build=${1:?usage: check-calls.sh BUILD}
cd "$build" || exit 2
command -v nm >/dev/null || exit 77

# Tests link the same sources again; only the objects of libraries and programs count.
circles=$(sed -n 's/^ *"output": "\(.*\)".*/\1/p' compile_commands.json |
  grep '^\(engine\|profiler\|viz\|app\)/' | xargs nm -A 2>/dev/null | awk '
  { file = $1; sub (/:[0-9a-f]*$/, "", file); sub (/\.c\.o$/, "", file); sub (/^.*\.p\//, "", file); module = $1; sub (/\/.*/, "", module)
    gsub (/_/, "/", file); file = module "/" file; symbol = $NF; kind = $(NF - 1) }
  symbol ~ /_get_type$/ { next }
  kind == "T" { owner[symbol] = file }
  kind == "U" { caller[++n] = file; callee[n] = symbol }
  END { for (i = 1; i <= n; i++)
          if (callee[i] in owner && owner[callee[i]] != caller[i]) print caller[i], owner[callee[i]] }' |
  sort -u | tsort 2>&1 >/dev/null)
[ -z "$circles" ] && exit 0
echo "$circles" | sed 's/^tsort: -: input contains a loop:/these files call each other in a circle:/; s/^tsort: /  /'
exit 1
