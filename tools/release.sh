#!/bin/sh
# release.sh — makes a release of the last commit: a tarball of the source, then a tag.
# usage: release.sh VERSION [FOLDER]    FOLDER: where the tarball goes, default: build-release
#
# Refuses unless the tree is clean, meson.build has the version, CHANGELOG.md begins with its heading and a date,
# software centres are told of it, and there is no such tag. Run ./test before. Nothing is pushed.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
refuse () { echo "release.sh: $*" >&2; exit 1; }

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: release.sh VERSION [FOLDER]" >&2
  exit 2
fi
version=$1
cd "$(dirname "$0")/.."
mkdir -p "${2:-build-release}"
folder=$(cd "${2:-build-release}" && pwd)

printf '%s\n' "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' ||
  refuse "$version is no version: it needs three numbers, for example 1.2.3"
[ -z "$(git status --porcelain)" ] ||
  refuse "the tree has changes that are not committed: commit or remove them"
git rev-parse -q --verify "refs/tags/v$version" >/dev/null &&
  refuse "there is a tag v$version already: choose a new version"
found=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build | head -1)
[ "$found" = "$version" ] || refuse "meson.build says $found, not $version: change it there"
heading=$(grep -m1 '^## ' CHANGELOG.md)
printf '%s\n' "$heading" | grep -qxE "## $version, [0-9]{4}-[0-9]{2}-[0-9]{2}" ||
  refuse "CHANGELOG.md begins with '$heading', not with '## $version, YEAR-MONTH-DAY': write what changed"
grep -q "<release version=\"$version\"" resources/data/org.hybridscope.Hybridscope.metainfo.xml.in ||
  refuse "the metainfo file has no release $version: add it to <releases>"

tests=$PWD/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
# Only the build's configuration is needed for a tarball; the tests have been run before.
meson setup "$work/build" -Dgtk=disabled -Dtests=false >"$work/log" 2>&1 ||
  { tail -20 "$work/log" >&2; refuse "meson setup failed"; }
meson dist -C "$work/build" --no-tests --formats xztar >"$work/log" 2>&1 ||
  { tail -20 "$work/log" >&2; refuse "meson dist failed"; }
cp "$work/build/meson-dist/hybridscope-$version.tar.xz"* "$folder"
git tag -a "v$version" -m "Hybridscope $version"
echo "$folder/hybridscope-$version.tar.xz"
echo "tagged v$version"
