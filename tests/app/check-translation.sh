#!/bin/sh
# check-translation.sh — every file with words is in po/POTFILES, and every word is translated.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/../.." || exit 2
command -v xgettext >/dev/null || exit 77
tests=$PWD/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
status=0

for file in $(grep -rlE '\<N?_ \(|g_dngettext \(' app engine viz --include='*.c') \
            $(grep -rl 'translatable="yes"' resources --include='*.ui'); do
  case $file in app/command/*) continue ;; esac
  grep -qx "$file" po/POTFILES || { echo "$file is not in po/POTFILES"; status=1; }
done

# The start page translates the summaries of the gallery, which are no texts of the window.
sed -n 's/^ *\.doc = \("[^"]*"\),$/N_ (\1)/p' resources/gallery/*.c >"$work/gallery.c"

xgettext --from-code=UTF-8 --keyword=_ --keyword=N_ --keyword=g_dngettext:2,3 \
  -f po/POTFILES "$work/gallery.c" -o "$work/all.pot" 2>/dev/null || exit 1
while read -r language; do
  msgfmt --check-format -o /dev/null "po/$language.po" || status=1
  msgmerge -q --no-fuzzy-matching "po/$language.po" "$work/all.pot" -o "$work/new.po"
  # Each message has a line that begins with "#:"; the head of the file has none.
  missing=$(msgattrib --untranslated --no-obsolete --no-wrap "$work/new.po" | sed -n '/^#:/,$p')
  [ -z "$missing" ] || { echo "not translated into $language:"; echo "$missing"; status=1; }
  fuzzy=$(msgattrib --only-fuzzy --no-obsolete --no-wrap "$work/new.po" | sed -n '/^#:/,$p')
  [ -z "$fuzzy" ] || { echo "guessed in $language:"; echo "$fuzzy"; status=1; }
done <po/LINGUAS
exit $status
