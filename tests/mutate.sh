#!/bin/sh
# mutate.sh — makes small mistakes in the source, one at a time, and reports which of them no test notices.
# usage: mutate.sh [--list | --report | --count N | --only PATTERN | --again | --help]
#
# The set is the same in every run: tests/mutate/areas.txt says how many mutations each folder gets and which tests judge them,
# tests/mutate/named.txt lists those given by hand, tests/mutants-accepted.txt those that change nothing. Works on a copy
# in build-mutants/; results stay there, so a run that was stopped goes on where it was.
# SPDX-License-Identifier: LGPL-2.1-or-later
exec python3 "$(dirname "$0")/mutate/mutate.py" "$@"
