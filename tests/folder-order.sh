#!/bin/sh
# folder-order.sh — the folders of each module, lowest first: a folder includes and calls only what stands before it.
# Read by check-layers.sh and check-calls.sh.
# SPDX-License-Identifier: LGPL-2.1-or-later

# folder_order MODULE: the source tree is the current folder.
folder_order () {
  case $1 in
    engine) echo "$(sed -n "/^foreach folder : \[/,/\]/p" engine/meson.build | tr -d "\n" | sed "s/.*\[//; s/\].*//; s/[',]/ /g") cuda" ;;
    profiler) echo "base machine record capture summary explain exchange" ;;
    viz) echo "diagram fold layout scene paint export" ;;
    app) echo "targets adapt sandbox command manual process session document models widgets views page compare sweep window" ;;
  esac
}
