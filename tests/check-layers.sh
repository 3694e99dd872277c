#!/bin/sh
# check-layers.sh — a module may include only itself and what stands to its right.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
status=0
check () {
  module=$1; shift
  for other in app engine profiler viz; do
    case " $module $* " in *" $other "*) continue ;; esac
    grep -rn "#include \"$other/" "$module" && status=1
  done
}
check engine
check viz
check profiler engine
check app engine profiler viz
grep -rn "#include <gtk/\|#include <adwaita" engine profiler viz app/command app/adapt && status=1
exit $status
