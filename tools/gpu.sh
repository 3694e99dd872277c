#!/bin/sh
# gpu.sh — fetches NVIDIA's libraries that --device gpu needs beside the driver.
# usage: gpu.sh [--yes | --dry-run | --offer]
#
# cuBLAS, NVRTC, cuDNN and CUPTI go to ~/.local/share/hybridscope/cuda-13, or cuda-12 for an older driver, where the program
# looks for them; nothing else is changed.  Versions and checksums are in tools/gpu.  --offer asks once, on a terminal, and is
# silent where there is no driver.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
here=$(cd "$(dirname "$0")" && pwd)
driver_file=${HYB_NVIDIA_VERSION_FILE:-/proc/driver/nvidia/version}
data=${XDG_DATA_HOME:-$HOME/.local/share}/hybridscope
python=${PYTHON:-python3}
how=${1:-ask}

case $how in
  ask | --yes | --dry-run | --offer) ;;
  *) echo "usage: gpu.sh [--yes | --dry-run | --offer]" >&2; exit 2 ;;
esac

# The first number of the driver's version, as in "Kernel Module  580.65.06  …".
driver_major () {
  sed -n '1s/.*Module  *\([0-9][0-9]*\)\..*/\1/p;1s/.*x86_64  *\([0-9][0-9]*\)\..*/\1/p' "$driver_file" 2>/dev/null | head -n 1
}

driver=$(driver_major)
if [ -z "$driver" ]; then
  [ "$how" = --offer ] && exit 0
  echo "gpu.sh: there is no NVIDIA driver here ($driver_file), so nothing is fetched." >&2
  exit 1
fi
if [ "$driver" -lt 525 ]; then
  [ "$how" = --offer ] && exit 0
  echo "gpu.sh: driver $driver is too old; CUDA 12 needs 525 or newer, CUDA 13 needs 580." >&2
  exit 1
fi
major=13
[ "$driver" -ge 580 ] || major=12

list=$here/gpu/cuda-$major.txt
target=$data/cuda-$major
megabytes=$(sed -n '1s/.* \([0-9]*\) MB$/\1/p' "$list")

if cmp -s "$list" "$target/versions.txt"; then
  [ "$how" = --offer ] || echo "These libraries are in $target already."
  exit 0
fi

describe () {
  echo "Driver $driver works with these libraries of CUDA $major, about $megabytes MB to fetch and twice that on disk:"
  sed -n 's/^\([a-z][^ ]*\) .*/  \1/p' "$list"
  echo "They are NVIDIA's, under NVIDIA's own licence, which comes with them. They go to $target."
}

if [ "$how" = --dry-run ]; then
  describe
  exit 0
fi
if [ "$how" != --yes ] && ! { [ -t 0 ] && [ -t 2 ]; }; then
  echo "To use the GPU, fetch NVIDIA's libraries (about $megabytes MB): tools/gpu.sh --yes" >&2
  [ "$how" = --offer ] && exit 0
  exit 1
fi
if [ "$how" = --offer ]; then
  [ -e "$data/gpu-offered" ] && exit 0
  mkdir -p "$data"
  : > "$data/gpu-offered"
fi
describe >&2
if [ "$how" != --yes ]; then
  printf 'Fetch them now? [y/N] ' >&2
  read -r answer
  case $answer in
    [yY]*) ;;
    *) echo "Not fetched. Later: tools/gpu.sh" >&2; [ "$how" = --offer ] && exit 0; exit 1 ;;
  esac
fi
if ! "$python" -m pip --version >/dev/null 2>&1; then
  echo "gpu.sh: Python's pip is needed for fetching: apt-get install python3-pip" >&2
  exit 1
fi

# Everything is prepared beside the target; what was fetched stays there if this is interrupted, and is checked again.
part=$target.part
mkdir -p "$part/wheels"
rm -rf "$part/unpacked" "$part/new"
mkdir "$part/unpacked" "$part/new"
"$python" -m pip download --quiet --no-deps --only-binary :all: --require-hashes --python-version 3.11 \
  --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_12_x86_64 \
  --requirement "$list" --dest "$part/wheels"
for wheel in "$part"/wheels/*.whl; do
  "$python" -m zipfile -e "$wheel" "$part/unpacked"
done
find "$part/unpacked" -name 'lib*.so*' -type f -exec mv {} "$part/new/" \;
find "$part/unpacked" -ipath '*dist-info*' -iname '*licen*' -type f | while read -r file; do
  package=$(basename "${file%%.dist-info*}")
  mv "$file" "$part/new/$package-licence.txt"
done
for library in cublas cublasLt nvrtc; do
  if [ ! -e "$part/new/lib$library.so.$major" ]; then
    echo "gpu.sh: lib$library.so.$major is missing in what was fetched; nothing was changed." >&2
    exit 1
  fi
done
cp "$list" "$part/new/versions.txt"
if [ -e "$target" ]; then
  mv "$target" "$part/old"
fi
mv "$part/new" "$target"
rm -rf "$part"
echo "The libraries are in $target. Try: hscope run gallery:mlp --init uniform --device gpu"
