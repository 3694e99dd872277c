#!/bin/sh
# with-display.sh — runs a test program under a display of its own.
# usage: with-display.sh WIDTHxHEIGHT PROGRAM [ARGUMENT…]
#
# Looks for Xvfb when the test runs, not when the build is configured, so that installing it
# later is enough.  Without it the program runs as it is and says what it skips.
# SPDX-License-Identifier: LGPL-2.1-or-later
size=$1; shift
if command -v xvfb-run >/dev/null && command -v xauth >/dev/null; then
  # xvfb-run leaves its folder when it is killed.
  tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
  # shellcheck source=tests/temporary-folder.sh
  . "$tests/temporary-folder.sh"
  exec xvfb-run -a -s "-screen 0 ${size}x24" "$@"
fi
unset DISPLAY WAYLAND_DISPLAY
exec "$@"
