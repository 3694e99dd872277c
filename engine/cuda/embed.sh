#!/bin/sh
# embed.sh — turns texts of kernels into rows of a C table: { "NAME", "TEXT" }.
# usage: embed.sh FILE…    prints to standard output
# SPDX-License-Identifier: LGPL-2.1-or-later
for file in "$@"; do
  echo "{ \"$(basename "$file")\","
  sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/\\n"/' "$file"
  echo "},"
done
