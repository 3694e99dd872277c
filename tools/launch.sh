#!/bin/sh
# launch.sh BUILD [ARGUMENTS] — the window on a display; without one, the same
# as a report and a picture in the current folder.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
build=$1; shift
model=gallery:lstm-unrolled

if [ -n "$DISPLAY$WAYLAND_DISPLAY" ] && [ -x "$build/app/hybridscope" ]; then
  if [ $# -eq 0 ]; then
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/hybridscope
    mkdir -p "$cache"
    "$build/app/hscope" profile "$model" --init uniform --time-limit 5 \
      --capture "$cache/lstm-unrolled.hscope" >/dev/null && set -- "$cache/lstm-unrolled.hscope"
  fi
  exec "$build/app/hybridscope" "$@"
fi

case $1 in
  -*) exec "$build/app/hybridscope" "$@" ;; # such as --version, which needs no display
esac
echo "There is no display: writing a report and a picture into this folder instead." >&2
[ $# -gt 0 ] && model=$1
"$build/app/hscope" profile "$model" --init uniform --capture hybridscope.hscope >/dev/null
"$build/app/hscope" report hybridscope.hscope
"$build/app/hscope" render "$model" --overlay hybridscope.hscope --output hybridscope.svg >/dev/null
echo "Written: hybridscope.hscope (the measurement), hybridscope.svg (the graph with its costs)" >&2
