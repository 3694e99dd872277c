#!/bin/sh
# check-release.sh — tools/release.sh refuses what is not ready, and tags what is.
# usage: check-release.sh
#
# Works in a small repository of its own that has the files that the script reads.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
root=$(cd "$(dirname "$0")/.." && pwd)
tests=$root/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org
repository=$work/repository
metainfo=resources/data/org.hybridscope.Hybridscope.metainfo.xml.in
number=0
failed=0
command -v git >/dev/null || { echo "1..0 # SKIP git is not installed"; exit 0; }

# start: a repository that is ready for the release 1.2.3.
start () {
  rm -rf "$repository"
  mkdir -p "$repository/tools" "$repository/tests" "$repository/resources/data"
  cp "$root/tools/release.sh" "$repository/tools"
  cp "$root/tests/temporary-folder.sh" "$root/tests/remove-afterwards.sh" "$repository/tests"
  cd "$repository" || exit 2
  printf "project('hybridscope', 'c',\n  version: '1.2.3',\n  license: 'LGPL-2.1-or-later')\n" >meson.build
  printf "option('gtk', type: 'feature', value: 'auto')\noption('tests', type: 'boolean', value: true)\n" >meson_options.txt
  printf '# Changelog\n\n## 1.2.3, 2026-01-31\n\n## 1.2.2, 2026-01-01\n' >CHANGELOG.md
  printf '<releases><release version="1.2.3" date="2026-01-31"/></releases>\n' >"$metainfo"
  printf '/build*/\n' >.gitignore
  git init -q
  commit
}
commit () { git add -A && git commit -q -m "A commit"; }

# expect STATUS TEXT NAME: what release.sh 1.2.3 says, and that only a success makes a tag.
expect () {
  number=$((number + 1))
  said=$(tools/release.sh "${version:-1.2.3}" "$work/out" 2>&1)
  status=$?
  tags=$(git tag -l v1.2.3 | wc -l)
  if [ "$status" = "$1" ] && printf '%s' "$said" | grep -qF "$2" && { [ "$1" = 0 ] || [ "$tags" = "${has_tag:-0}" ]; }; then
    echo "ok $number $3"
  else
    echo "not ok $number $3"
    printf '%s\n' "status $status, $tags tags: $said" | sed 's/^/# /'
    failed=1
  fi
}

echo "1..11"
start; echo changed >>CHANGELOG.md; expect 1 "not committed" "a changed file is refused"
start; touch new.c; expect 1 "not committed" "a file that git does not know is refused"
start; version=1.2 expect 1 "three numbers" "two numbers are no version"
start; sed -i 's/1\.2\.3/1.2.4/' meson.build; commit; expect 1 "meson.build says 1.2.4" "another version in meson.build is refused"
start; sed -i 's/^## 1\.2\.3.*/## Unreleased/' CHANGELOG.md; commit; expect 1 "'## Unreleased'" "a changelog without the version is refused"
start; sed -i 's/^## 1\.2\.3.*/## 1.2.3/' CHANGELOG.md; commit; expect 1 "YEAR-MONTH-DAY" "a changelog without a date is refused"
start; echo '<releases/>' >"$metainfo"; commit; expect 1 "<releases>" "a metainfo file without the release is refused"
start; git tag v1.2.3; has_tag=1 expect 1 "a tag v1.2.3 already" "a version that has a tag is refused"
start; echo "error('no')" >>meson.build; commit; expect 1 "meson setup failed" "a tree that cannot be configured is not tagged"
start; expect 0 "tagged v1.2.3" "what is ready gets a tag"
number=$((number + 1))
if tar -tJf "$work/out/hybridscope-1.2.3.tar.xz" | grep -qx hybridscope-1.2.3/CHANGELOG.md && [ "$(git tag)" = v1.2.3 ]; then
  echo "ok $number and a tarball"
else
  echo "not ok $number and a tarball"
  failed=1
fi
exit $failed
