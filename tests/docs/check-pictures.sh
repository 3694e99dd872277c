#!/bin/sh
# check-pictures.sh — tools/guide-pictures.sh draws every picture of the guide, and a page shows each.
# usage: check-pictures.sh SOURCE BUILD
# SPDX-License-Identifier: LGPL-2.1-or-later
source=$1 build=$2
[ -d "${HYB_SHARED:-$source/../shared}/models" ] || { echo "1..0 # SKIP shared/models is not here"; exit 0; }
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
echo 1..2
"$source/tools/guide-pictures.sh" "$build" "$work" >"$work/log" 2>&1 || sed 's/^/# /' "$work/log"
missing='' unused=''
for picture in "$source"/docs/guide/pictures/*.png; do
  name=$(basename "$picture")
  [ "$(head -c 4 "$work/$name" 2>/dev/null | tail -c 3)" = PNG ] || missing="$missing $name"
  grep -qF "(pictures/$name)" "$source"/docs/guide/*.md || unused="$unused $name"
done
[ -z "$missing" ] && echo 'ok 1 every-picture-is-drawn' || echo "not ok 1 every-picture-is-drawn: not$missing"
[ -z "$unused" ] && echo 'ok 2 every-picture-is-shown' || echo "not ok 2 every-picture-is-shown: not$unused"
