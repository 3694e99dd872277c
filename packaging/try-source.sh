#!/bin/sh
# try-source.sh — builds a clone in an empty Debian 12 and adds an operator there, as CONTRIBUTING.md says.
# usage: try-source.sh FOLDER    FOLDER: for what the steps print
#
# Needs root, git and mmdebstrap. EMPTY=FILE is a tarball of an empty system (mmdebstrap --variant=minbase bookworm FILE), to
# save the download. Prints how long each step took. The last commit is what is cloned.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
[ $# = 1 ] || { echo "usage: try-source.sh FOLDER" >&2; exit 2; }
# Mounts are in a namespace of their own, which ends with the script.
if [ -z "$TRY_SOURCE_NAMESPACE" ]; then
  TRY_SOURCE_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
results=$(cd "$1" && pwd)
root=$(mktemp -d)

clean_up () {
  umount -R "$root/dev" "$root/proc" 2>/dev/null || true
  if ! mountpoint -q "$root/dev" && ! mountpoint -q "$root/proc"; then
    rm -rf --one-file-system "$root"
  fi
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# step NAME COMMAND…: prints the seconds; what COMMAND prints is in NAME.txt.
step () {
  name=$1; shift
  from=$(date +%s.%N)
  if ! "$@" >"$results/$name.txt" 2>&1; then
    echo "$name failed:"
    tail -20 "$results/$name.txt"
    exit 1
  fi
  awk -v name="$name" -v from="$from" -v to="$(date +%s.%N)" 'BEGIN { printf "%-24s %7.1f s\n", name, to - from }'
}

inside () {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    sh -c "cd /root/hybridscope && $1"
}

# The row "an operator" of CONTRIBUTING.md: a file, two lists, a test and its list.
add_operator () {
  cd "$root/root/hybridscope"
  names='s/div_sqrt_dim/times_sqrt_dim/g; s/div-sqrt-dim/times-sqrt-dim/g; s/_contrib_times/times/g'
  sed "$names"'; s,] / ,] * ,; s/divides/multiplies/; s/Divides/Multiplies/; s/divided/multiplied/' \
    engine/ops/linear/div-sqrt-dim.c >engine/ops/linear/times-sqrt-dim.c
  sed -i 's/^HYB_OPS (linear, div_sqrt_dim)$/&\nHYB_OPS (linear, times_sqrt_dim)/' engine/ops/op-list.h
  sed -i "s,^  'linear/div-sqrt-dim.c'\,,&\n  'linear/times-sqrt-dim.c'\,," engine/ops/meson.build
  sed "$names"'; s/0\.5, 1\., 1\.5, 2\./2., 4., 6., 8./' \
    tests/engine/ops/linear/test-div-sqrt-dim.c >tests/engine/ops/linear/test-times-sqrt-dim.c
  sed -i "s,^  'linear/test-div-sqrt-dim'\,,&\n  'linear/test-times-sqrt-dim'\,," tests/engine/ops/meson.build
  cd - >/dev/null
  [ "$(git -C "$root/root/hybridscope" status --porcelain | wc -l)" = 5 ]
}

if [ -n "$EMPTY" ]; then
  step debian tar -x -C "$root" -f "$EMPTY"
else
  step debian mmdebstrap --quiet --variant=minbase bookworm "$root"
fi
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
step clone git clone -q "$top" "$root/root/hybridscope"

# README: one command installs what is missing, builds and starts. The operator's tests need the packages of the tests.
step run inside "cd .. && hybridscope/run"
step version inside "./run --version"
step packages inside "tools/packages.sh test"

step add add_operator
step build inside "ninja -C build app/hscope tests/engine/ops/operator-tests"
step test inside "meson test -C build --no-rebuild engine/ops/linear/test-times-sqrt-dim"
step describe inside "build/app/hscope info --operator times_sqrt_dim"
