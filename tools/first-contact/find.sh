#!/bin/sh
# shellcheck disable=SC2154
# find.sh — part of gpu-first-contact.sh: where NVIDIA's libraries, its tools and a Python with PyTorch are.
#
# Sets PYTHON (any python3, preferably the one with PyTorch), TORCH_PYTHON (empty without PyTorch), HYB_GPU_PATH and HYB_CUPTI, and adds to PATH and LD_LIBRARY_PATH.
# SPDX-License-Identifier: LGPL-2.1-or-later

# The Python programs of this machine, one a line.
list_pythons () {
  echo "$PYTHON"
  [ -z "$VIRTUAL_ENV" ] || echo "$VIRTUAL_ENV/bin/python3"
  [ -z "$CONDA_PREFIX" ] || echo "$CONDA_PREFIX/bin/python3"
  echo "$PATH" | tr : '\n' | sed 's|$|/python3|'
  for folder in /opt/*/.venv /opt/*/venv /opt/* /opt/*/envs/* /venv /.venv "$HOME"/.venv "$HOME"/venv "$HOME"/*conda* "$HOME"/*conda*/envs/* \
    "$HOME"/*forge* "$HOME"/*forge*/envs/* /workspace/.venv /workspace/venv /usr/local /usr; do
    echo "$folder/bin/python3"
  done
}

# find_module PYTHON MODULE: succeeds if it has the module, without importing it.
find_module () {
  timeout -k 1 5 "$1" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' "$2" >/dev/null 2>&1 </dev/null
}

find_python () {
  TORCH_PYTHON='' first=''
  for python in $(list_pythons | awk 'NF && !seen[$0]++'); do
    [ -x "$python" ] || continue
    [ "$(elapsed)" -le $((seconds / 30)) ] || break # slow disks
    if [ -z "$first" ] && find_module "$python" sys; then first=$python; fi
    if find_module "$python" torch; then
      TORCH_PYTHON=$python
      break
    fi
  done
  PYTHON=${TORCH_PYTHON:-$first}
}

# Folders with libraries of CUDA that ld.so need not know, one a line.
list_library_folders () {
  for python in "$PYTHON" python3; do
    timeout -k 1 5 "$python" -c 'import glob, site, sysconfig
places = {sysconfig.get_paths()[name] for name in ("purelib", "platlib")} | set(site.getsitepackages() + [site.getusersitepackages()])
for place in sorted(places):
    print("\n".join(sorted(glob.glob(place + "/nvidia/*/lib"))))' 2>/dev/null </dev/null
  done
  for folder in /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64 /usr/local/cuda-*/lib64 /usr/local/cuda-*/extras/CUPTI/lib64 \
    /usr/local/cuda*/targets/x86_64-linux/lib /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/x86_64-linux-gnu/nvidia/current \
    "$CONDA_PREFIX"/lib /opt/conda/lib; do
    echo "$folder"
  done
}

# Those that exist, after what the environment says, separated by colons.
find_libraries () {
  found=$HYB_GPU_PATH
  # A libcupti in the folders that were named is found by itself.
  for folder in $(echo "$HYB_GPU_PATH" | tr : ' '); do
    for file in "$folder"/libcupti.so.1*; do [ ! -e "$file" ] || is_named=yes; done
  done
  for folder in $(list_library_folders | awk 'NF && !seen[$0]++'); do
    for file in "$folder"/libcuda.so.1 "$folder"/libcublas.so.1[23] "$folder"/libcudnn.so.9 "$folder"/libnvrtc.so.1[23]; do
      if [ -e "$file" ]; then
        found="$found${found:+:}$folder"
        break
      fi
    done
    for file in "$folder"/libcupti.so.13 "$folder"/libcupti.so.12; do
      [ -n "$HYB_CUPTI$is_named" ] || [ ! -e "$file" ] || HYB_CUPTI=$file
    done
  done
  [ -z "$found" ] || export HYB_GPU_PATH="$found"
  [ -z "$HYB_CUPTI" ] || export HYB_CUPTI
}

# NVRTC and cuDNN need the library of C++, which a bare system may lack and a conda environment has.
find_libstdcxx () {
  for folder in "" /usr/lib /usr/lib64 /usr/lib/x86_64-linux-gnu /lib64 /lib/x86_64-linux-gnu; do
    [ ! -e "$folder/libstdc++.so.6" ] || return 0
  done
  for folder in "$CONDA_PREFIX"/lib /opt/conda/lib "${PYTHON%/bin/*}"/lib "$HOME"/*conda*/lib /opt/*/lib; do
    if [ -e "$folder/libstdc++.so.6" ]; then
      export LD_LIBRARY_PATH="$LD_LIBRARY_PATH${LD_LIBRARY_PATH:+:}$folder"
      return 0
    fi
  done
  echo "There is no libstdc++.so.6, which NVIDIA's libraries need." >&2
}

find_tools () {
  for folder in /usr/local/cuda/bin /usr/local/cuda-*/bin /usr/local/cuda*/compute-sanitizer /opt/nvidia/nsight-compute/* /opt/*/bin; do
    if [ -x "$folder/ncu" ] || [ -x "$folder/compute-sanitizer" ] || [ -x "$folder/nvidia-smi" ]; then PATH=$PATH:$folder; fi
  done
  export PATH
}

find_python
find_libraries
find_libstdcxx
find_tools
