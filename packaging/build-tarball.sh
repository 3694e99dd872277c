#!/bin/sh
# build-tarball.sh — makes a tarball of programs that run from any folder, without being installed.
# usage: build-tarball.sh [--tree] [FOLDER]    default: build-tarball in the tree; --tree: not packed, and its path is printed
#
# Libraries that a bare system lacks are copied into it. hscope takes all of them from there except the C library; the
# window takes GTK and what GTK uses from the distribution, since themes, icons and drivers belong together. Needs
# patchelf. The machine that runs it must have the C library of this one, or a newer one.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
is_tree=
[ "$1" != --tree ] || { is_tree=1; shift; }
mkdir -p "${1:-$root/build-tarball}"
folder=$(cd "${1:-$root/build-tarball}" && pwd)
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$root/meson.build" | head -1)
name=hybridscope-$version-$(uname -m)

# --- Build ---

[ -f "$folder/build/build.ninja" ] ||
  meson setup "$folder/build" "$root" --buildtype=release --prefix=/usr/local --libdir=lib -Dtests=false >&2
ninja -C "$folder/build" >&2
rm -rf "$folder/staged" "${folder:?}/$name"
DESTDIR=$folder/staged meson install -C "$folder/build" --no-rebuild --quiet
mv "$folder/staged/usr/local" "$folder/$name"
cd "$folder/$name"

# --- Libraries ---

# libraries PROGRAM: the paths of its libraries, except the C library's.
libraries () {
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|mvec))\.so' | sort -u
}

# Libraries that are opened when a product, a drawing or a database needs them, so no program names them.
opened=
for name in libopenblas.so.0 libpangocairo-1.0.so.0 libsqlite3.so.0; do
  path=$(ldconfig -p | awk -v name="$name" '$1 == name { print $NF; exit }')
  [ -n "$path" ] || { echo "build-tarball.sh: $name is not installed" >&2; exit 1; }
  opened="$opened $path"
done

private=lib/hybridscope/libraries
mkdir -p "$private/own" "$private/base"
if [ -x bin/hybridscope ]; then
  libadwaita=$(ldd bin/hybridscope | awk '$1 ~ /^libadwaita-1/ { print $3 }')
  libraries "$libadwaita" >"$folder/of-gtk.list"
else
  : >"$folder/of-gtk.list"
fi
# shellcheck disable=SC2086
{
  printf '%s\n' $opened
  for program in bin/hscope libexec/hybridscope/layout-helper $opened; do
    libraries "$program"
  done
} | sort -u | while read -r library; do
  if grep -qxF "$library" "$folder/of-gtk.list"; then
    cp -L "$library" "$private/base/"
  else
    cp -L "$library" "$private/own/"
  fi
done

# A search path of the old kind (DT_RPATH) also holds for the libraries of libraries.
# shellcheck disable=SC2016
{
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib/hybridscope/libraries/own:$ORIGIN/../lib/hybridscope/libraries/base:$ORIGIN/../lib' bin/hscope
  patchelf --force-rpath --set-rpath '$ORIGIN/../../lib/hybridscope/libraries/own:$ORIGIN/../../lib/hybridscope/libraries/base' libexec/hybridscope/layout-helper
  # Programs of users are linked with the library, which finds its own there.
  patchelf --force-rpath --set-rpath '$ORIGIN/hybridscope/libraries/own:$ORIGIN/hybridscope/libraries/base' "$(readlink -f lib/libhybridscope-engine.so)"
  [ ! -x bin/hybridscope ] || patchelf --force-rpath --set-rpath '$ORIGIN/../lib/hybridscope/libraries/own:$ORIGIN/../lib' bin/hybridscope
}

# --- Licences ---

# Each copied library comes with the licence that its package has.
mkdir -p share/doc/hybridscope/licences
cp "$root/LICENSE" share/doc/hybridscope/
for library in "$private"/own/* "$private"/base/*; do
  file=$(ldconfig -p | awk -v name="$(basename "$library")" '$1 == name { print $NF; exit }')
  package=$(dpkg-query -S "$(readlink -f "$file")" 2>/dev/null | cut -d: -f1 | head -1)
  [ -z "$package" ] || cp -L "/usr/share/doc/$package/copyright" "share/doc/hybridscope/licences/$package" 2>/dev/null || true
done

cd "$folder"
[ -z "$is_tree" ] || { echo "$folder/$name"; exit 0; }
tar -c --owner=0 --group=0 --sort=name "$name" | xz -T0 >"$name.tar.xz"
ls -l "$name.tar.xz"
