#!/bin/sh
# check-helper-alone.sh — checks that only layout-helper is linked with libgvc, which can crash and hang.
# SPDX-License-Identifier: LGPL-2.1-or-later
status=0
for program; do
  if readelf -d "$program" | grep -q 'libgvc'; then
    echo "$program is linked with libgvc"
    status=1
  fi
done
exit $status
