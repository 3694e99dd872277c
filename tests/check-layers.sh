#!/bin/sh
# check-layers.sh — includes point one way: between modules, between folders of a module,
# and between files.
# usage: check-layers.sh [ROOT]    ROOT: the source tree; default: the one this script is in
#
# 1. A module includes only itself and the modules that allow() names for it.
# 2. The command line and the adapters never include GTK.
# 3. A folder includes only itself and folders that stand before it in folder-order.sh.
# 4. Only engine/device, engine/exec and the back ends know the table of a back end; a back end
#    includes only public headers of the engine.
# 5. No file includes another that includes it again, directly or not.  x.c, x.h and
#    x-private.h count as one file.
# 6. The frame of the commands (app/command/frame) includes no command.
# 7. A header that others include gives a type a name that no other header gives.
# Prints everything that breaks a rule and exits with 1.
# SPDX-License-Identifier: LGPL-2.1-or-later
export LC_ALL=C # order, decimal points and messages
tests=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tests/..}" || exit 2
status=0
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
list=$work/list

# "including-file included-file", one pair a line.
for module in engine profiler viz app; do
  [ -d "$module" ] && grep -rHo '^#include "[a-z][^"]*"' --include='*.[ch]' "$module"
done | sed 's/:#include "\(.*\)"$/ \1/' >"$list"

# --- 1. Modules ---
allow () {
  awk -v module="$1" -v allowed=" $1 $2 " '
    { split ($1, from, "/"); split ($2, to, "/") }
    from[1] == module && to[1] ~ /^(app|engine|profiler|viz)$/ && index (allowed, " " to[1] " ") == 0 {
      print $1 " includes " $2 ": " module " may include only" allowed; bad = 1
    }
    END { exit bad }' "$list" || status=1
}
allow engine
allow viz
allow profiler "engine"
allow app "engine profiler viz"

# --- 2. GTK ---
for folder in engine profiler viz app/command app/manual app/adapt app/targets; do
  [ -d "$folder" ] && grep -rn '#include <gtk/\|#include <adwaita' "$folder" && status=1
done

# --- 3. Folders, lowest first ---
order () {
  awk -v module="$1" -v order="$2" '
    BEGIN { n = split (order, folder, " "); for (i = 1; i <= n; i++) rank[folder[i]] = i }
    function place (path, part) { return split (path, part, "/") > 2 && part[1] == module ? part[2] : "" }
    {
      from = place ($1); to = place ($2)
      if (from == "" || to == "") next
      if (!(from in rank)) { if (!(from in told)) print module "/" from " is missing from the order of folders"
                             told[from] = 1; bad = 1 }
      else if (rank[to] > rank[from]) { print $1 " includes " $2 ": " to " stands above " from; bad = 1 }
    }
    END { exit bad }' "$list" || status=1
}
# shellcheck source=tests/folder-order.sh
. "$tests/folder-order.sh"
for module in engine profiler viz app; do
  order "$module" "$(folder_order "$module")"
done

# --- 4. Back ends ---
awk '$2 ~ /^engine\/device\// && $2 != "engine/device/gpu.h" && $1 !~ /^engine\/(device|exec|cuda)\// {
  print $1 " includes " $2 ": only engine/device, engine/exec and back ends may"; bad = 1 } END { exit bad }' "$list" || status=1
public=$(sed -n "/^public_headers = \[$/,/^\]/s/^  '\(.*\.h\)',$/engine\/\1/p" engine/meson.build 2>/dev/null | tr '\n' ' ')
awk -v public=" $public engine/device/device.h " '$1 ~ /^engine\/cuda\// && $2 !~ /^engine\/cuda\// && index (public, " " $2 " ") == 0 {
  print $1 " includes " $2 ": a back end may include only public headers"; bad = 1 } END { exit bad }' "$list" || status=1

# --- 5. Files ---
circles=$(sed 's/-private\././g; s/\.[ch] / /; s/\.[ch]$//' "$list" | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null)
if [ -n "$circles" ]; then
  echo "$circles" | sed 's/^tsort: -: input contains a loop:/these files include each other in a circle:/; s/^tsort: /  /'
  status=1
fi

# --- 6. The frame of the commands ---
awk '$1 ~ /^app\/command\/frame\// && $2 ~ /^app\/command\// && $2 !~ /^app\/command\/frame\// {
  print $1 " includes " $2 ": the frame knows no command"; bad = 1 } END { exit bad }' "$list" || status=1

# --- 7. Names of types ---
for module in engine profiler viz app; do
  [ -d "$module" ] && grep -rHoE '^} (Hyb|Prof|Viz|Scope)[A-Za-z0-9]+;' --include='*.h' "$module"
done | awk -F: '
  { name = substr ($2, 3, length ($2) - 3) }
  name in header { print $1 ": " header[name] " has another type " name; bad = 1 }
  { header[name] = $1 }
  END { exit bad }' || status=1
exit $status
