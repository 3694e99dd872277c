#!/bin/sh
# remove-afterwards.sh — removes a folder when the pipe on its standard input is closed, which the kernel does when the last
# process that holds the other end has ended in whatever way.
# usage: remove-afterwards.sh FOLDER DEVICE:INODE    a folder of another number that has got the name is left alone
# SPDX-License-Identifier: LGPL-2.1-or-later
read -r _
# What a killed test has started may still write for a while.
for _ in 1 2 3 4 5 6 7 8 9; do
  [ "$(stat -c %d:%i -- "$1" 2>/dev/null)" = "$2" ] || exit 0
  rm -rf --one-file-system -- "$1"
  [ -e "$1" ] || exit 0
  sleep 1
done
