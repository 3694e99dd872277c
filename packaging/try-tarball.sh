#!/bin/sh
# try-tarball.sh — unpacks the tarball in other folders and uses its programs there.
# usage: try-tarball.sh TARBALL    of build-tarball.sh or tools/gpu-bundle.sh
#
# First on this machine, with the window under Xvfb; then, as root and with mmdebstrap, in an empty Debian (12, or $SUITE) that has nothing
# installed. Leaves the picture of the window beside the tarball. EMPTY=FILE: see try-deb.sh.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
suite=${SUITE:-bookworm}
# Mounts are in a namespace of their own, which ends with the script.
if [ "$(id -u)" = 0 ] && [ -z "$TRY_TARBALL_NAMESPACE" ]; then
  TRY_TARBALL_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
tarball=$(readlink -f "$1")
results=$(dirname "$tarball")
work=$(mktemp -d)
chmod 755 "$work"
server=
clean_up () {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  umount "$work/debian/proc" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# use RUN FOLDER: commands of hscope, through RUN.
use () {
  run=$1 programs=$2/bin
  $run "$programs/hscope" --version
  $run "$programs/hscope" new lenet --output /tmp/hybridscope-lenet
  $run "$programs/hscope" info /tmp/hybridscope-lenet-symbol.json
  $run "$programs/hscope" run /tmp/hybridscope-lenet-symbol.json --init uniform
  $run "$programs/hscope" render /tmp/hybridscope-lenet-symbol.json --output /tmp/hybridscope-lenet.svg
  $run "$programs/hscope" convert 'gallery:lstm-unrolled?length=3' --to fused --output /tmp/hybridscope-fused
}

mkdir "$work/another folder"
tar -xJf "$tarball" -C "$work/another folder"
place=$(echo "$work/another folder"/*)
mv "$place" "$work/moved"
use "env -u LD_LIBRARY_PATH" "$work/moved" >"$results/here.txt"
echo "this machine: hscope works in another folder"

if [ -x "$work/moved/bin/hybridscope" ] && command -v Xvfb >/dev/null && command -v import >/dev/null; then
  Xvfb :78 -screen 0 1440x900x24 -ac >/dev/null 2>&1 &
  server=$!
  sleep 2
  HOME=$work DISPLAY=:78 GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory DBUS_SESSION_BUS_ADDRESS=disabled: \
    "$work/moved/bin/hybridscope" /tmp/hybridscope-lenet-symbol.json &
  window=$!
  sleep 20
  import -display :78 -window root "$results/window.png"
  kill "$window"
  wait "$window" || true
  [ "$(identify -format %k "$results/window.png")" -gt 100 ] || { echo "the window shows nothing"; exit 1; }
  echo "this machine: the window opens, see $results/window.png"
fi
rm -f /tmp/hybridscope-lenet* /tmp/hybridscope-fused*

if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then
  mkdir "$work/debian"
  if [ -n "$EMPTY" ]; then
    tar -x -C "$work/debian" -f "$EMPTY"
  else
    mmdebstrap --quiet --variant=minbase "$suite" "$work/debian"
  fi
  cp -r "$work/moved" "$work/debian/opt/hybridscope"
  mount -t proc proc "$work/debian/proc" # programs find their libraries relative to /proc/self/exe
  use "chroot $work/debian env -i LC_ALL=C.UTF-8" /opt/hybridscope >"$results/empty-debian.txt"
  echo "an empty Debian ($suite): hscope works without any package"
  if [ -x "$work/moved/gpu-first-contact.sh" ]; then
    status=0
    chroot "$work/debian" env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 /opt/hybridscope/gpu-first-contact.sh /root/results || status=$?
    cp "$work/debian/root/results/answers.txt" "$results/answers.txt"
    if [ "$status" != 4 ] || ! tar -xzOf "$work/debian/root/results/results.tar.gz" results/devices.txt | grep -q 'no NVIDIA driver is installed'; then
      echo "gpu-first-contact.sh ended with $status and does not say what is missing"
      exit 1
    fi
    echo "an empty Debian ($suite): gpu-first-contact.sh says that there is no driver"
    status=0
    chroot "$work/debian" env -i /opt/hybridscope/bin/gpu-check questions 2>"$results/gpu-check.txt" || status=$?
    if [ "$status" != 4 ] || ! grep -q 'no NVIDIA driver is installed' "$results/gpu-check.txt"; then
      echo "gpu-check ended with $status and does not say what is missing"
      exit 1
    fi
    echo "an empty Debian ($suite): gpu-check says that there is no driver"
  fi
fi
