#!/bin/sh
# check-calls.sh — calls point one way: no two object files call each other, directly or through others, and no folder
# calls one that stands above it in folder-order.sh.
# usage: check-calls.sh BUILD [ROOT]    BUILD: a folder in which meson has built everything
#                                       ROOT: the source tree; default: the one this script is in
#
# Reads the symbols of the objects.  Only functions count: tables of const structs, such as
# the list of operators, name what they list without calling it.  Casts of GObject classes
# (…_get_type) do not count either.
# Prints the files of every circle and every call that points up, and exits with 1.
# SPDX-License-Identifier: LGPL-2.1-or-later
export LC_ALL=C # order, decimal points and messages
build=$(cd "${1:?usage: check-calls.sh BUILD [ROOT]}" && pwd) || exit 2
tests=$(cd "$(dirname "$0")" && pwd)
cd "${2:-$tests/..}" || exit 2
command -v nm >/dev/null || exit 77
# shellcheck source=tests/folder-order.sh
. "$tests/folder-order.sh"
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
calls=$work/calls
status=0

# "caller callee function", one call a line, files as meson names their objects: engine/ops_nn_softmax.  Tests link the
# same sources again; only the objects of libraries and programs count.
sed -n 's/^ *"output": "\(.*\)".*/\1/p' "$build/compile_commands.json" |
  grep '^\(engine\|profiler\|viz\|app\)/' | (cd "$build" && xargs nm -A 2>/dev/null) | awk '
  { file = $1; sub (/:[0-9a-f]*$/, "", file); sub (/\.c\.o$/, "", file); sub (/\/.*\.p\//, "/", file); symbol = $NF; kind = $(NF - 1) }
  symbol ~ /_get_type$/ { next }
  kind == "T" { owner[symbol] = file }
  kind == "U" { caller[++n] = file; callee[n] = symbol }
  END { for (i = 1; i <= n; i++)
          if (callee[i] in owner && owner[callee[i]] != caller[i]) print caller[i], owner[callee[i]], callee[i] }' |
  sort -u >"$calls"

circles=$(cut -d ' ' -f 1,2 "$calls" | sort -u | tsort 2>&1 >/dev/null)
if [ -n "$circles" ]; then
  echo "$circles" | sed 's/^tsort: -: input contains a loop:/these files call each other in a circle:/; s/^tsort: /  /'
  status=1
fi

for module in engine profiler viz app; do
  awk -v module="$module" -v order="$(folder_order "$module")" '
    BEGIN { n = split (order, folder, " "); for (i = 1; i <= n; i++) rank[folder[i]] = i }
    function place (file) { sub (/^[a-z]*\//, "", file); sub (/[\/_].*/, "", file); return file }
    index ($1, module "/") == 1 && index ($2, module "/") == 1 {
      from = place ($1); to = place ($2)
      if (from in rank && to in rank && rank[to] > rank[from]) {
        print $1 " calls " $3 "() of " $2 ": " to " stands above " from; bad = 1 }
    }
    END { exit bad }' "$calls" || status=1
done
exit $status
