#!/bin/sh
# window-pictures.sh BUILD [FOLDER [NAME…]] — saves the pictures of docs/window.md in docs/window, or in FOLDER; or only those of some names.
# Needs Xvfb, and ImageMagick to make the files small.  Measures models: let nothing else run.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "${2:-$root/docs/window}"
folder=$(cd "${2:-$root/docs/window}" && pwd)
if [ $# -gt 2 ]; then shift 2; else set --; fi
tests=$root/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"

ninja -C "$build" app/hscope tests/app/window-pictures
if [ -z "$HYBRIDSCOPE_SWEEP" ]; then # the folder of a sweep that is shown
  HYBRIDSCOPE_SWEEP=$work/speed
  HYB_GALLERY=$build/resources/gallery "$build/app/hscope" sweep --models 'gallery:lstm-lm?hidden=32&embedding=16' \
    --variants unrolled,foreach,fused --batch 1,4,16 --length 5,20 --passes inference,training --samples 6 --output "$HYBRIDSCOPE_SWEEP"
fi
export HYBRIDSCOPE_SWEEP
export GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory GDK_BACKEND=x11 DBUS_SESSION_BUS_ADDRESS=disabled: LC_ALL=C.UTF-8
take() { # the pointer rests in the middle of the display, outside of the window
  "$root/tests/app/with-display.sh" 2600x1800 "$build/tests/app/window-pictures" "$folder" "$@"
}
take "$@"
HYBRIDSCOPE_LOOK=large take "$@"
HYBRIDSCOPE_LOOK=contrast ADW_DEBUG_HIGH_CONTRAST=1 take "$@"
HYBRIDSCOPE_LOOK=german LANGUAGE=de take "$@"
if command -v convert >/dev/null; then
  [ $# -gt 0 ] || set -- start preferences machines keys inputs attributes graph search onnx summary timeline memory passes log output \
    compare sizes values problems mend save sweep
  for name; do
    for picture in "$folder/$name"-*.png; do
      convert "$picture" -strip +dither -colors 96 "png8:$picture"
    done
  done
fi
