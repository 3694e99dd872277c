#!/bin/sh
# gpu-bundle.sh — one archive to carry to a machine with a GPU, which needs no packages, compiler or network.
# usage: gpu-bundle.sh [FOLDER]    default: build-bundle in the tree
#
# It is the tarball of packaging/build-tarball.sh, which hscope targets install takes too, without the window and its files, with goldens, tools/gpu.sh,
# gpu-check, which calls cuDNN directly, and gpu-first-contact.sh, which does there all that needs a GPU and leaves one archive to send back. NVIDIA's
# libraries are not in it. Fails if the archive is larger than 20 MB. gpu-first-contact.sh is beside the archive, too, and unpacks it.
# KERNELS names a folder of kernels that were compiled for the chip of that machine (engine/cuda/README.md); there they are used instead of compiling.
# TARBALL names another script that builds the tree. packaging/try-tarball.sh tries the result in an empty Debian.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-$root/build-bundle}"
folder=$(cd "${1:-$root/build-bundle}" && pwd)
tree=$("${TARBALL:-$root/packaging/build-tarball.sh}" --tree "$folder")
if [ ! -e "$tree/lib/hybridscope/hybridscope-cuda.so" ]; then
  echo "gpu-bundle.sh: the module for GPUs was not built in $folder/build (-Dcuda=disabled)" >&2
  exit 1
fi
name=$(basename "$tree" | sed 's/^hybridscope/hybridscope-gpu/')
rm -rf "${folder:?}/$name"
mv "$tree" "$folder/$name"
cd "$folder/$name"

cp -r "$root/tools/gpu-first-contact.sh" "$root/tools/gpu-answers.py" "$root/tools/first-contact" .
cp "$folder/build/tools/gpu-check/gpu-check" bin/
mkdir tools
cp -r "$root/tools/gpu.sh" "$root/tools/gpu" tools/
mkdir -p tests/data
cp -r "$root/tests/data/goldens" tests/data/
if [ -n "$KERNELS" ]; then
  mkdir -m 700 kernels
  cp "$KERNELS"/*.kernel kernels/
  chmod 600 kernels/*
fi
cat >README.txt <<'END'
Hybridscope for a machine with an NVIDIA GPU. Nothing needs to be installed but glibc 2.36 or newer, the NVIDIA driver, libraries of CUDA
12 or 13, which may be those of a Python environment, and the library of C++ that these need.

  ./gpu-first-contact.sh results   does everything that needs a GPU, in at most nine minutes, and leaves results/results.tar.gz,
                                   which is to be sent back, and results/answers.txt
  bin/hscope devices        says which GPUs there are, what is missing, and how to get it
  bin/gpu-check --help      lists direct calls of cuDNN and CUPTI, which gpu-first-contact.sh makes, too
  tools/gpu.sh              fetches NVIDIA's libraries (needs Python's pip and a network)

Nobody has run this on a GPU yet.
END
chmod 755 gpu-first-contact.sh gpu-answers.py tools/gpu.sh

# --- What nobody needs who has a GPU and no display ---

rm -rf bin/hybridscope share/applications share/icons share/metainfo share/locale share/man share/bash-completion share/fish share/zsh \
  share/mime share/dbus-1 share/hybridscope/guide

# --- What it takes from the system ---

# The programs and libraries of the bundle, and the sonames of libraries that are none of them.
list_programs () { find bin lib libexec -type f \( -perm -100 -o -name '*.so*' \) 2>/dev/null; }
needs () {
  list_programs | xargs readelf -d 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u | while read -r soname; do
    [ -n "$(find lib -name "$soname" -print -quit)" ] || printf '%s ' "$soname"
  done
}
versions () { list_programs | xargs readelf -V 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1; }

cd "$folder"
tar -c --owner=0 --group=0 --sort=name "$name" | xz -T0 >"$name.tar.xz"
cp "$root/tools/gpu-first-contact.sh" .
size=$(wc -c <"$name.tar.xz")
cd "$name"
echo "$folder/$name.tar.xz: $size bytes, $(find . -type f | wc -l) files, $(du -sk . | cut -f 1) KiB unpacked"
! command -v readelf >/dev/null || echo "from the system: $(needs)with at most $(versions)"
[ "$size" -le 20000000 ] || { echo "gpu-bundle.sh: the archive is larger than 20 MB" >&2; exit 1; }
