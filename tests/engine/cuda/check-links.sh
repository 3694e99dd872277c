#!/bin/sh
# check-links.sh — programs and modules name no library of CUDA among those that they need.
# usage: check-links.sh FILE…
#
# The libraries are opened when a GPU is asked for; a program that needs one would not start without a
# driver.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
number=0
failed=0
echo "1..$#"
for file in "$@"; do
  number=$((number + 1))
  found=$(ldd "$file" | grep -iE 'libcu|nvrtc|nvidia|cudnn')
  if [ -n "$(ldd "$file" 2>/dev/null)" ] && [ -z "$found" ]; then
    echo "ok $number $(basename "$file") needs no library of CUDA"
  else
    echo "not ok $number $(basename "$file") needs no library of CUDA"
    echo "# $found"
    failed=1
  fi
done
exit $failed
