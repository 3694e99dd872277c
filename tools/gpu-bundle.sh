#!/bin/sh
# gpu-bundle.sh — one archive to carry to a machine with a GPU, which needs no packages, compiler or network.
# usage: gpu-bundle.sh [FOLDER]    default: build-bundle in the tree
#
# It is the tarball of packaging/build-tarball.sh, which hscope targets install takes too, with goldens, tools/gpu.sh,
# gpu-check, which calls cuDNN directly, and gpu-all.sh, which does there all that needs a GPU and leaves one archive to send back. NVIDIA's libraries are not in it.
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

cp "$root/tools/gpu-all.sh" .
cp "$folder/build/tools/gpu-check/gpu-check" bin/
mkdir tools
cp -r "$root/tools/gpu.sh" "$root/tools/gpu" tools/
mkdir -p tests/data
cp -r "$root/tests/data/goldens" tests/data/
cat >README.txt <<'END'
Hybridscope for a machine with an NVIDIA GPU. Nothing needs to be installed but the NVIDIA driver and libraries of CUDA 12 or 13.

  ./gpu-all.sh results      does everything that needs a GPU and leaves results.tar.gz, which is to be sent back
  bin/hscope devices        says which GPUs there are, what is missing, and how to get it
  bin/gpu-check --help      lists direct calls of cuDNN and CUPTI, which gpu-all.sh makes, too
  tools/gpu.sh              fetches NVIDIA's libraries (needs Python's pip and a network)

Nobody has run this on a GPU yet.
END
chmod 755 gpu-all.sh tools/gpu.sh

cd "$folder"
tar -c --owner=0 --group=0 --sort=name "$name" | xz -T0 >"$name.tar.xz"
ls -l "$name.tar.xz"
