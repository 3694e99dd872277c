#!/bin/sh
# check-shell.sh — shellcheck finds nothing in the scripts of the tree.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
command -v shellcheck >/dev/null || exit 77
# Folders of builds hold copies; pages show scripts.
grep -rlE --exclude='*.md' --exclude-dir='build*' --exclude-dir=.git '^#!/bin/(sh|bash)' . | xargs shellcheck
