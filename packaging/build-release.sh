#!/bin/sh
# build-release.sh — makes everything that a release offers from the last commit: packages, tarballs, and their checksums.
# usage: build-release.sh [FOLDER]    default: build-release in the tree
#
# FOLDER then holds the Debian packages, the tarball of programs, that of the source, and SHA256SUMS. What build-deb.sh and
# build-tarball.sh need is needed here; both are built from a copy of the commit, so changes that are not committed are left out.
# try-release.sh tries what was made.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-$root/build-release}"
folder=$(cd "${1:-$root/build-release}" && pwd)
cd "$root"
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build | head -1)
rm -f "$folder"/*.deb "$folder"/*.tar.xz "$folder"/SHA256SUMS
rm -rf "$folder/source"
git archive --prefix=source/ HEAD | tar -x -C "$folder"

DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-nocheck noautodbgsym}" DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES:-nocheck}" packaging/build-deb.sh "$folder/deb"
"$folder/source/packaging/build-tarball.sh" "$folder/tarball"
cp "$folder"/deb/*.deb "$folder/tarball/hybridscope-$version-$(uname -m).tar.xz" "$folder/"
cp "$folder/deb/hybridscope_$version.orig.tar.xz" "$folder/hybridscope-$version.tar.xz"
rm -rf "$folder/source"

cd "$folder"
sha256sum -- *.deb *.tar.xz >SHA256SUMS
sha256sum --check --quiet SHA256SUMS
ls -l -- *.deb *.tar.xz SHA256SUMS
