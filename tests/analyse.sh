#!/bin/sh
# analyse.sh — runs clang-tidy, gcc's analyzer and cppcheck over the source and fails for findings without a reason.
# usage: analyse.sh [--tool NAME] [--only PATTERN] [--again]
#
# Works file by file and keeps what each tool said in build-analysis/, so that a run that was stopped goes on where it was
# and a later one only looks at what changed. tests/analysis-accepted.txt lists findings that stay, with the reason.
# Needs build/ (meson setup build) and the packages clang-tidy and cppcheck; takes about an hour on two processors.
# SPDX-License-Identifier: LGPL-2.1-or-later
exec python3 "$(dirname "$0")/analyse/analyse.py" "$@"
