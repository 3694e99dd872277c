#!/bin/sh
# all-chips.sh — compiles the kernels of every model of the gallery, forward and backward, for every chip that NVRTC
# knows from sm_75 on: among them those of chains that passes have fused.  Needs NVRTC and no GPU, and takes minutes.
# usage: all-chips.sh BUILD [MODEL...]
# SPDX-License-Identifier: LGPL-2.1-or-later
build=$(cd "$1" && pwd) || exit 2
shift
tests=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
stubs=$build/tests/engine/cuda/stubs/chips
pretend=$build/tests/engine/cuda/pretend
hscope=$build/app/hscope

HYB_VENDOR_NVRTC=${HYB_VENDOR_NVRTC:-/usr/local/cuda/lib64/libnvrtc.so.13}
HYB_CHIPS=$work/chips
XDG_CACHE_HOME=$work/cache
HYB_GPU_MODULE=$build/engine/cuda/hybridscope-cuda.so
HYB_GPU_PATH=$stubs:$pretend
HYB_SELFTEST=off
LD_LIBRARY_PATH=$pretend
export HYB_VENDOR_NVRTC HYB_CHIPS XDG_CACHE_HOME HYB_GPU_MODULE HYB_GPU_PATH HYB_SELFTEST LD_LIBRARY_PATH
if [ ! -f "$HYB_VENDOR_NVRTC" ]; then
  echo "NVRTC is not at $HYB_VENDOR_NVRTC"
  exit 2
fi

ninja -C "$build" "${stubs#"$build"/}/libnvrtc.so.13" >"$work/log" || { tail -n 3 "$work/log"; exit 2; }

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $("$hscope" new --list | sed -n 's/^\([a-z0-9-]*\) .*/\1/p')
status=0
for model; do
  case $model in
  lenet) options='?channels=4&batch=2' ;;
  resnet18) options='?channels=4&classes=5&size=32&batch=2' ;;
  lstm-unrolled | lstm-foreach | lstm-hybrid) options='?hidden=16&length=5&batch=3' ;;
  lstm-lm) options='?hidden=16&layers=2&length=5&batch=3' ;;
  ctc-reader) options='?width=32&letters=2&hidden=8&batch=2' ;;
  bucket-lm) options='?hidden=16&length=6&shorter=4&batch=3' ;;
  *) options= ;;
  esac
  "$hscope" run "gallery:$model$options" --device gpu --backward --gradients "$work/gradients.npz" >"$work/log" 2>&1 ||
    { echo "$model: $(tail -n 1 "$work/log")"; status=1; }
done

if [ ! -s "$HYB_CHIPS" ]; then
  echo "no kernel was compiled"
  exit 1
fi
sort "$HYB_CHIPS" | awk '{ n[$1 " " $2]++ } END { for (key in n) print key, n[key] }' | sort
grep -v ' ok ' "$HYB_CHIPS" && status=1
exit $status
