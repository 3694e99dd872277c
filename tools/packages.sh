#!/bin/sh
# packages.sh — installs the Debian packages that are missing.
# usage: packages.sh build|window|test …    Names them, asks once on a terminal.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e

build="gcc libc6-dev meson ninja-build pkg-config libglib2.0-dev libcjson-dev libopenblas-dev
       libcairo2-dev libpango1.0-dev libgraphviz-dev zlib1g-dev libseccomp-dev libsqlite3-dev gettext"
window="libgtk-4-dev libadwaita-1-dev desktop-file-utils fonts-dejavu-core adwaita-icon-theme"
test="g++ git python3 python3-numpy python3-pip xvfb xauth fonts-dejavu-core graphviz dbus at-spi2-core libatspi2.0-dev libxtst-dev clang-format-14 shellcheck groff-base man-db desktop-file-utils zsh fish libasan8 libubsan1 valgrind appstream"

wanted=
for set in "$@"; do
  case $set in
    build) wanted="$wanted $build" ;;
    window) wanted="$wanted $window" ;;
    test) wanted="$wanted $test" ;;
    *) echo "packages.sh: no set called $set" >&2; exit 2 ;;
  esac
done

missing=
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "These Debian packages are missing:$missing" >&2
if [ -t 0 ] && [ -t 2 ]; then
  printf 'Install them now? [Y/n] ' >&2
  read -r answer
  case $answer in [nN]*) exit 1 ;; esac
fi

root=
[ "$(id -u)" = 0 ] || root=sudo
export DEBIAN_FRONTEND=noninteractive
$root apt-get update >&2
# shellcheck disable=SC2086
$root apt-get install -y --no-install-recommends $missing >&2
