#!/bin/sh
# build-deb.sh — builds the Debian packages of the last commit, and asks lintian about them.
# usage: build-deb.sh [FOLDER]    default: build-deb in the tree
#
# Needs dpkg-dev, debhelper and the packages that packaging/debian/control.in names; dpkg-buildpackage lists those
# that are missing. DEB_BUILD_OPTIONS="nocheck noautodbgsym" builds without tests and without debug packages.
# The maintainer is $DEBFULLNAME <$DEBEMAIL>, by default the author of the last commit.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-$root/build-deb}"
folder=$(cd "${1:-$root/build-deb}" && pwd)
cd "$root"
[ -z "$(git status --porcelain)" ] || echo "build-deb.sh: changes that are not committed are left out" >&2
# Before minutes of packing.
case " $DEB_BUILD_PROFILES " in *" nocheck "*) profiles=-Pnocheck ;; *) profiles= ;; esac
dpkg-checkbuilddeps $profiles packaging/debian/control.in

version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build | head -1)
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
# Sorts before a package that Debian makes of the same version.
revision=$version-0upstream1
source=$folder/hybridscope-$version
rm -rf "$source"
git archive --prefix="hybridscope-$version/" HEAD | tar -x -C "$folder"
tar -c -C "$folder" --owner=0 --group=0 --sort=name --mtime="@$(git log -1 --format=%ct)" "hybridscope-$version" |
  xz -T0 >"$folder/hybridscope_$version.orig.tar.xz"

cp -r "$source/packaging/debian" "$source/debian"
sed "s/@MAINTAINER@/$maintainer/" "$source/debian/control.in" >"$source/debian/control"
rm "$source/debian/control.in"
cat >"$source/debian/changelog" <<END
hybridscope ($revision) unstable; urgency=medium

  * Version $version; see CHANGELOG.md.

 -- $maintainer  $(git log -1 --format=%cD)
END

cd "$source"
dpkg-buildpackage -us -uc
cd "$folder"
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning --display-info --tag-display-limit 0 --allow-root \
    "hybridscope_${revision}_$(dpkg --print-architecture).changes"
fi
ls "$folder"/*.deb
