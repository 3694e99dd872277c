#!/bin/sh
# check-words.sh — no sentence of the window, and none of the engine, names an option of hscope.
#
# In the window the way out is a button; hscope adds the option to the sentence (app/command/frame/messages.c).  An
# argument that the window passes to hscope is one word; a sentence has spaces.  main.c prints its help to a terminal.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/../.." || exit 2
status=0

# "…--option …" with a space inside of the same literal, in code whose texts reach the window.
if grep -rnE '"([^"\\]|\\.)*--[a-z]([^"\\]|\\.)*"' app engine --include='*.c' --include='*.h' |
   grep -vE '^app/(command|manual|sandbox)/|^app/main\.c|^engine/train/|"--[a-z-]+"' |
   grep -vE 'pkg-config --libs' ; then
  echo "these sentences name an option; let the error carry a remedy (engine/base/remedy.h)"
  status=1
fi
if grep -rnE '>[^<]*--[a-z]' resources/ui --include='*.ui' | grep -v '<!--'; then
  echo "these labels name an option"
  status=1
fi
# The help of main.c has a line for each option and ends with a hint at another program.
if grep -nE '^(msgid|msgstr|")' po/*.po | grep -E -- '--[a-z]' | grep -vE '"  (-[a-z], |    )?--|hscope --help'; then
  echo "these translations name an option"
  status=1
fi
exit $status
