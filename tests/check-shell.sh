#!/bin/sh
# check-shell.sh — shellcheck has no warning about the scripts of the tree.
# SPDX-License-Identifier: LGPL-2.1-or-later
cd "$(dirname "$0")/.." || exit 2
command -v shellcheck >/dev/null || exit 77
grep -rlE '^#!/bin/(sh|bash)' .ci run test app docs tests tools | xargs shellcheck --severity=warning
