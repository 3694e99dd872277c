#!/bin/sh
# check-names.sh — the pretend libraries have the vendor's sonames, and every function that they
# export under a vendor's name is one that the vendor's library exports.
# usage: check-names.sh FOLDER    where the libraries of the build tree are
#
# The vendor's libraries are looked for in $HYB_GPU_PATH and /usr/local/cuda/lib64; prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
folder=$1
number=0
failed=0

report () { # RESULT NAME
  number=$((number + 1))
  [ "$1" = "ok" ] || failed=1
  echo "$1 $number $2"
}

names () { # FILE PATTERN
  nm -D --defined-only "$1" | awk -v pattern="$2" '$3 ~ pattern { sub (/@.*/, "", $3); print $3 }' | sort -u
}

compare () { # LIBRARY PATTERN VENDOR-FILES…
  library=$1
  pattern=$2
  shift 2
  soname=$(readelf -d "$folder/$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
  if [ "$soname" = "$library" ]; then
    report ok "$library has its soname"
  else
    report "not ok" "$library has the soname $soname"
  fi
  for vendor in "$@"; do
    [ -e "$vendor" ] || continue
    strange=$(names "$folder/$library" "$pattern" | grep -vxF "$(names "$vendor" "$pattern")")
    if [ -z "$strange" ]; then
      report ok "$library has only functions of the vendor"
    else
      report "not ok" "$library has only functions of the vendor"
      printf '%s\n' "$strange" | sed "s|^|# not in $vendor: |"
    fi
    return
  done
  number=$((number + 1))
  echo "ok $number $library has only functions of the vendor # SKIP the vendor's library is not here"
}

echo "1..10"
compare libcuda.so.1 '^cu[A-Z]' /usr/local/cuda/lib64/stubs/libcuda.so /usr/lib/x86_64-linux-gnu/libcuda.so.1
compare libcublas.so.13 '^cublas[A-Z]' "${HYB_GPU_PATH%%:*}/libcublas.so.13" /usr/local/cuda/lib64/libcublas.so.13
compare libcublasLt.so.13 '^cublasLt[A-Z]' "${HYB_GPU_PATH%%:*}/libcublasLt.so.13" /usr/local/cuda/lib64/libcublasLt.so.13
compare libcudnn.so.9 '^cudnn[A-Z]' "${HYB_GPU_PATH%%:*}/libcudnn.so.9" /usr/local/cuda/lib64/libcudnn.so.9
compare libcupti.so.13 '^cupti[A-Z]' "${HYB_GPU_PATH%%:*}/libcupti.so.13" /usr/local/cuda/lib64/libcupti.so.13
exit $failed
