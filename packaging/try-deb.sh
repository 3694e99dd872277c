#!/bin/sh
# try-deb.sh — installs the packages in an empty Debian (12, or $SUITE), uses them as a user would, and removes them.
# usage: try-deb.sh FOLDER [MODELS]    FOLDER: where build-deb.sh left the packages
#
# MODELS is a folder of public exports (default: ../shared/models). Needs root, mmdebstrap, Xvfb and ImageMagick.
# EMPTY=FILE is a tarball of an empty system (mmdebstrap --variant=minbase $SUITE FILE), to save the download.
# Prints how long each step took, and leaves the picture of the window and the printed texts in FOLDER/tried.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
# Mounts are in a namespace of their own, which ends with the script.
if [ -z "$TRY_DEB_NAMESPACE" ]; then
  TRY_DEB_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "$1" && pwd)
models=${2:-$here/../../shared/models}
results=$packages/tried
root=$(mktemp -d)
server=
display=:77
rm -rf "$results"
mkdir -p "$results"

clean_up () {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
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

inside () { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
as_user () { inside su - tester -c "cd work; $1"; }

# --- An empty system ---

if [ -n "$EMPTY" ]; then
  step debian tar -x -C "$root" -f "$EMPTY"
else
  step debian mmdebstrap --quiet --variant=minbase "${SUITE:-bookworm}" "$root"
fi
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
inside useradd -m tester
inside install -d -o tester "/home/tester/work"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
rm -f "$root"/packages/*-dbgsym_*.deb
for file in crfasrnn/net-symbol.json crfasrnn/mnist.params crfasrnn/net-0000.params multi-model-server/lstm_ptb-symbol.json; do
  cp "$models/$file" "$root/home/tester/work/"
done
inside chown -R tester /home/tester/work

# --- Install ---

cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
step update inside apt-get update
step install inside sh -c 'apt-get install -y /packages/*.deb'

# --- Use ---

step version as_user "hscope --version"
step info as_user "hscope info net-symbol.json"
step run as_user "hscope run net-symbol.json --init uniform"
step profile as_user "hscope profile lstm_ptb-symbol.json --capture ptb.hscope --time-limit 30"
step report as_user "hscope report ptb.hscope --output ptb.html"
step compare as_user "hscope compare lstm_ptb-symbol.json --variants unrolled,fused --length 5 --time-limit 60"
step convert as_user "hscope convert lstm_ptb-symbol.json --to foreach --length 5 --output ptb-foreach"
step render as_user "hscope render ptb-foreach-symbol.json --layout dot --output ptb.svg"
step check as_user "cp mnist.params net-0009.params; hscope check net-symbol.json --repair mended; [ \$? = 1 ]"
step mended as_user "hscope run mended-symbol.json mended-0000.params --init uniform"
step train as_user "hscope train gallery:mlp --epochs 1 --output mlp"
step manual as_user "test -s /usr/share/man/man1/hscope-run.1.gz && test -s /usr/share/bash-completion/completions/hscope.bash"
cp "$root/home/tester/work/ptb.svg" "$root/home/tester/work/ptb.html" "$results/"

# A program that links the library, with the compiler that is no dependency of the packages.
step compiler inside apt-get install -y --no-install-recommends gcc g++ libc6-dev pkg-config python3-numpy
# shellcheck disable=SC2016
step link as_user 'cc /usr/share/doc/hybridscope/examples/train.c -o train $(pkg-config --cflags --libs hybridscope-engine) -lm && ./train'
# shellcheck disable=SC2016
step plug-in as_user 'cc -shared -fPIC /usr/share/doc/hybridscope/resources/operators/swish.c -o swish.so $(pkg-config --cflags --libs hybridscope-engine) -lm &&
  hscope info --operator swish --plugin ./swish.so'

# The Python package as it is installed.
step python as_user 'PYTHONPATH=/usr/share/hybridscope/python python3 /usr/share/doc/hybridscope/examples/beside-gluon/tagger.py'

# README as it is pasted, and every command of the guide as it is installed, each page by itself.
python3 "$here/guide-commands.py" "$here/../README.md" "$models" "$root/home/tester/readme" >"$results/readme.txt"
inside chown -R tester /home/tester/readme
step readme as_user "cd ../readme/README && sh commands.sh"
python3 "$here/guide-commands.py" "$root/usr/share/doc/hybridscope/docs/guide" "$models" "$root/home/tester/guide" >"$results/guide.txt"
inside chown -R tester /home/tester/guide
while read -r page blocks; do
  [ "$blocks" = 0 ] || step "guide-$page" as_user "cd ../guide/$page && sh commands.sh" </dev/null
done <"$results/guide.txt"

# The window, on a display outside; its pictures say whether fonts, icons and the model are there.
Xvfb "$display" -screen 0 1440x900x24 -ac >/dev/null 2>&1 &
server=$!
sleep 2
window () {
  as_user "DISPLAY=$display GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory hybridscope ptb.hscope & echo \$! >window.pid; wait" &
  session=$!
  sleep 20
  import -display "$display" -window root "$results/window.png"
  kill "$(cat "$root/home/tester/work/window.pid")"
  wait "$session"
}
step window window
# A picture of an empty screen has one colour.
[ "$(identify -format %k "$results/window.png")" -gt 100 ] || { echo "the window shows nothing"; exit 1; }

# --- Remove ---

# shellcheck disable=SC2046
step remove inside apt-get purge -y $(cd "$root/packages" && printf '%s\n' ./*.deb | sed 's|^\./||; s|_.*||')
left=$(find "$root" -xdev \( -path "$root/home" -o -path "$root/packages" -o -path "$root/var/log" -o -path "$root/dev" -o -path "$root/proc" \) \
  -prune -o \( -iname '*hybridscope*' -o -iname '*hscope*' \) -print)
[ -z "$left" ] || { echo "left behind:"; echo "$left"; exit 1; }
echo "installed, started, used and removed"
