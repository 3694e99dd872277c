#!/bin/sh
# try-release.sh — checks the checksums of a release, and starts its packages and its tarball in empty systems.
# usage: try-release.sh FOLDER [SUITE…]    FOLDER: where build-release.sh left them; default: bookworm trixie
#
# Of each suite of Debian an empty system is made by mmdebstrap, or taken from EMPTY/SUITE.tar if EMPTY is a folder. Needs what
# try-deb.sh and try-tarball.sh need. The results of each suite are in FOLDER/SUITE.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm trixie
systems=$EMPTY
(cd "$folder" && sha256sum --check --quiet SHA256SUMS)
echo "the checksums of $(wc -l <"$folder/SHA256SUMS") files are right"
for suite in "$@"; do
  echo "== $suite"
  rm -rf "${folder:?}/$suite"
  mkdir "$folder/$suite"
  cp "$folder"/*.deb "$folder/$suite/"
  ln "$folder"/hybridscope-*-"$(uname -m)".tar.xz "$folder/$suite/"
  export SUITE="$suite" EMPTY="${systems:+$systems/$suite.tar}"
  "$here/try-tarball.sh" "$folder/$suite/"hybridscope-*.tar.xz
  "$here/try-deb.sh" "$folder/$suite"
  rm -f "$folder/$suite"/*.deb "$folder/$suite"/*.tar.xz
done
