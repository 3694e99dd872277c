#!/bin/sh
# window-pictures.sh BUILD [FOLDER] — saves the pictures of docs/window.md in docs/window, or in FOLDER.
# Needs Xvfb, and ImageMagick to make the files small.  Measures models: let nothing else run.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
folder=${2:-$root/docs/window}

ninja -C "$build" app/hscope tests/app/window-pictures
mkdir -p "$folder"
export GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory GDK_BACKEND=x11 DBUS_SESSION_BUS_ADDRESS=disabled: LC_ALL=C.UTF-8
take() {
  "$root/tests/app/with-display.sh" 1440x900 "$build/tests/app/window-pictures" "$folder" "$@"
}
take
for name in attributes compare timeline values; do
  HYBRIDSCOPE_LOOK=large take "$name"
  HYBRIDSCOPE_LOOK=contrast ADW_DEBUG_HIGH_CONTRAST=1 take "$name"
  HYBRIDSCOPE_LOOK=german LANGUAGE=de take "$name"
done
if command -v convert >/dev/null; then
  for picture in "$folder"/*-light.png "$folder"/*-dark.png "$folder"/*-contrast.png "$folder"/*-large.png "$folder"/*-german.png; do
    convert "$picture" -strip +dither -colors 96 "png8:$picture"
  done
fi
