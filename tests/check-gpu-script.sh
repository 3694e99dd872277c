#!/bin/sh
# check-gpu-script.sh — tools/gpu.sh fetches what fits the driver, whole or not at all.
# usage: check-gpu-script.sh
#
# A program in place of Python makes small wheels, so nothing is fetched.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
root=$(cd "$(dirname "$0")/.." && pwd)
tests=$root/tests
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
# shellcheck source=tests/report.sh
. "$(dirname "$0")/report.sh"
export XDG_DATA_HOME="$work/data" PYTHON="$work/python" HYB_NVIDIA_VERSION_FILE="$work/version"
python3 -c '' || { echo "1..0 # SKIP python3 is not installed"; exit 0; }

# Stands for python3: `-m pip download` makes wheels, unless a file "fail" says that it fails.
cat >"$PYTHON" <<'END'
#!/bin/sh
here=$(dirname "$0")
[ "$2" = zipfile ] && exec python3 "$@"
[ "$3" = --version ] && exit 0
[ -e "$here/fail" ] && exit 1
echo "$*" >"$here/arguments"
while [ "$1" != --dest ]; do shift; done
major=$(cat "$here/major")
cd "$(mktemp -d -p "$here")" || exit 1
mkdir -p nvidia/lib nvidia_cublas-1.dist-info
touch "nvidia/lib/libcublas.so.$major" "nvidia/lib/libcublasLt.so.$major" nvidia/readme.txt
[ -e "$here/incomplete" ] || touch "nvidia/lib/libnvrtc.so.$major"
echo terms >nvidia_cublas-1.dist-info/License.txt
python3 -m zipfile -c "$2/nvidia_cublas-1-py3-none-any.whl" nvidia nvidia_cublas-1.dist-info
END
chmod +x "$PYTHON"

# driver VERSION MAJOR: what the driver's file says, and the libraries that pip would fetch.
driver () {
  echo "NVRM version: NVIDIA UNIX x86_64 Kernel Module  $1  Tue Jan 6 00:00:00 UTC 2026" >"$HYB_NVIDIA_VERSION_FILE"
  echo "$2" >"$work/major"
}

# call ARGUMENT…: runs the script, without a terminal.
call () {
  "$root/tools/gpu.sh" "$@" >"$work/out" 2>&1 </dev/null
}

libraries=$XDG_DATA_HOME/hybridscope

! call --yes && grep -q "no NVIDIA driver" "$work/out"
report $? without-a-driver-nothing-is-fetched
call --offer && [ ! -s "$work/out" ]
report $? without-a-driver-nothing-is-offered
driver 470.256.02 12
! call --yes && grep -q "driver 470 is too old" "$work/out"
report $? an-old-driver-is-refused
driver 580.65.06 13
! call && grep -q "tools/gpu.sh --yes" "$work/out" && [ ! -e "$libraries" ]
report $? without-a-terminal-the-command-is-named
call --dry-run && grep -q "licence" "$work/out" && grep -q " MB" "$work/out" && [ ! -e "$libraries" ]
report $? a-dry-run-says-how-much-and-whose-licence
touch "$work/fail"
! call --yes && [ ! -e "$libraries/cuda-13" ]
report $? what-cannot-be-fetched-leaves-nothing
rm "$work/fail"
touch "$work/incomplete"
! call --yes && grep -q "libnvrtc.so.13 is missing" "$work/out" && [ ! -e "$libraries/cuda-13" ]
report $? what-is-incomplete-leaves-nothing
rm "$work/incomplete"
call --yes && [ -e "$libraries/cuda-13/libcublas.so.13" ] && [ -e "$libraries/cuda-13/libnvrtc.so.13" ] &&
  grep -q terms "$libraries/cuda-13/nvidia_cublas-1-licence.txt" && [ ! -e "$libraries/cuda-13.part" ] &&
  grep -q -e --require-hashes "$work/arguments"
report $? libraries-and-licence-are-kept
call --yes && grep -q "already" "$work/out"
report $? the-second-call-fetches-nothing
echo older >"$libraries/cuda-13/versions.txt"
touch "$libraries/cuda-13/libold.so"
call --yes && [ ! -e "$libraries/cuda-13/libold.so" ] && [ -e "$libraries/cuda-13/libcublas.so.13" ]
report $? other-versions-are-replaced
driver 535.261.03 12
call --yes && [ -e "$libraries/cuda-12/libcublas.so.12" ] && [ -e "$libraries/cuda-13/libcublas.so.13" ]
report $? a-driver-of-cuda-12-gets-cuda-12
echo "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build" >"$HYB_NVIDIA_VERSION_FILE"
call --yes && grep -q "cuda-13 already" "$work/out"
report $? the-open-kernel-module-is-understood
! call --wrong && grep -q "^usage:" "$work/out"
report $? wrong-usage-is-refused
grep -hv '^#' "$root"/tools/gpu/cuda-1?.txt | grep -qvE '^[a-z0-9-]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}$' && wrong=1
report "${wrong:-0}" every-version-has-a-checksum

finish_tests
