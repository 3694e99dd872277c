#!/bin/sh
# try-tarball.sh — unpacks the tarball in other folders and uses its programs there.
# usage: try-tarball.sh TARBALL    of build-tarball.sh or tools/gpu-bundle.sh
#
# First on this machine, with the window under Xvfb; then, as root and with mmdebstrap, in an empty Debian (12, or $SUITE) that has nothing
# installed, with README's commands and, if GUIDE is set, those of all pages of the guide. Leaves the picture of the window
# beside the tarball. EMPTY=FILE: see try-deb.sh. MODELS: a folder of public exports.
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
  umount -R "$work/debian/dev" "$work/debian/proc" 2>/dev/null || true
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

  # README as it is pasted, in an empty folder of the empty system.
  here=$(cd "$(dirname "$0")" && pwd)
  inside () { chroot "$work/debian" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/opt/hybridscope/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    PKG_CONFIG_PATH=/opt/hybridscope/lib/pkgconfig LD_RUN_PATH=/opt/hybridscope/lib PYTHONPATH=/opt/hybridscope/share/hybridscope/python "$@"; }
  if [ -e "$here/../README.md" ]; then
    python3 "$here/guide-commands.py" "$here/../README.md" "${MODELS:-$here/../../shared/models}" "$work/debian/root/readme" >/dev/null
    inside sh -c 'cd /root/readme/README && sh commands.sh' >"$results/readme.txt" 2>&1 || { tail -20 "$results/readme.txt"; exit 1; }
    echo "an empty Debian ($suite): README's commands work as they are pasted"
  fi
  # Every page of the guide as the tarball has it; what compiles needs compilers from the network.
  if [ -n "$GUIDE" ]; then
    cp -L /etc/resolv.conf /etc/hosts "$work/debian/etc/"
    mount --rbind /dev "$work/debian/dev"
    inside sh -c 'apt-get update && apt-get install -y --no-install-recommends gcc g++ libc6-dev pkg-config libglib2.0-dev python3-numpy' >"$results/compilers.txt" 2>&1
    python3 "$here/guide-commands.py" "$work/moved/share/doc/hybridscope/docs/guide" "${MODELS:-$here/../../shared/models}" "$work/debian/root/guide" >"$results/guide.txt"
    while read -r page blocks; do
      [ "$blocks" = 0 ] || inside sh -c "cd /root/guide/$page && sh commands.sh" >"$results/guide-$page.txt" 2>&1 </dev/null ||
        { echo "the page $page of the guide fails:"; tail -20 "$results/guide-$page.txt"; bad=1; }
    done <"$results/guide.txt"
    umount -R "$work/debian/dev"
    [ -z "$bad" ] || exit 1
    echo "Debian ($suite) with compilers: $(awk '{ n += $2 } END { print n }' "$results/guide.txt") blocks of the guide work"
    inside sh -c 'cd /root && python3 /opt/hybridscope/share/doc/hybridscope/examples/beside-gluon/tagger.py' >"$results/python.txt"
    echo "Debian ($suite) with Python: $(wc -l <"$results/python.txt") lines of the tagger in Python"
  fi
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
