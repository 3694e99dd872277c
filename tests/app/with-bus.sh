#!/bin/sh
# with-bus.sh — runs a test program on a session bus and under a display of its own.
# usage: with-bus.sh WIDTHxHEIGHT PROGRAM [ARGUMENT…]
#
# What is missing is looked for when the test runs; the program then says what it skips.  Stdout is the program's alone:
# what services of the bus print goes to stderr.
# SPDX-License-Identifier: LGPL-2.1-or-later
here=$(dirname "$0")
size=$1; shift
if command -v dbus-run-session >/dev/null; then
  unset DBUS_SESSION_BUS_ADDRESS
  # shellcheck disable=SC2016 # for the inner shell
  exec "$here/with-display.sh" "$size" dbus-run-session -- sh -c 'exec "$@" >&7 7>&-' sh "$@" 7>&1 >&2
fi
DBUS_SESSION_BUS_ADDRESS=disabled:
export DBUS_SESSION_BUS_ADDRESS
exec "$here/with-display.sh" "$size" "$@"
