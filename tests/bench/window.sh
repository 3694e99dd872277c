#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# window.sh — measures the window: first paint, opening 26k nodes, frames with 10k visible
# nodes under the Cairo renderer, and how often the main loop is blocked during a walk through
# searching, running, every view, converting, comparing and dialogs.
#
#   tests/bench/window.sh build
#
# Needs Xvfb or a display.  Exits with 1 if a limit is exceeded.
set -eu
build=${1:?say which build folder to measure}
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
HYBRIDSCOPE_GALLERY=${HYBRIDSCOPE_GALLERY:-$build/resources/gallery}
GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory DBUS_SESSION_BUS_ADDRESS=disabled:
export HYBRIDSCOPE_GALLERY GSK_RENDERER GTK_A11Y GSETTINGS_BACKEND DBUS_SESSION_BUS_ADDRESS

large='lstm-unrolled?length=2000'
"$build/app/hscope" new "$large" --output "$work/large" >/dev/null
"$build/app/hscope" new 'lstm-unrolled?length=800' --output "$work/unfolded" >/dev/null
run=
command -v xvfb-run >/dev/null && run="xvfb-run -a -s '-screen 0 1440x900x24'"
eval "$run" "$build/tests/app/bench_window" "$work/large-symbol.json" \
  "'$large'" "$work/unfolded-symbol.json"
