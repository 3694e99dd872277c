#!/bin/sh
# gpu-all.sh — what only a machine with a GPU can tell, in one archive to send back.
# usage: gpu-all.sh HSCOPE FOLDER [OPTION…]    HSCOPE: the program; OPTION: of hscope selftest, such as --quick
#
# Shows the devices, compares the GPU with the processor, and measures one LSTM as a graph and operator by operator, for SECONDS_EACH
# (20) each; MEASURED names another model. What each step printed and how it ended is in FOLDER, and all of it in FOLDER.tar.gz. Ends with
# 1 if a step failed. Without a GPU it says so and ends with 4. Nobody has run this on a GPU yet.
# SPDX-License-Identifier: LGPL-2.1-or-later
[ $# -ge 2 ] || { echo "usage: gpu-all.sh HSCOPE FOLDER [OPTION…]" >&2; exit 2; }
hscope=$1 folder=$2
shift 2
mkdir -p "$folder" || exit 2
failed=0

# step NAME COMMAND…: what COMMAND prints is in NAME.txt, its exit status in NAME.status.
step () {
  name=$1; shift
  printf '%-28s ' "$name"
  "$@" >"$folder/$name.txt" 2>&1
  status=$?
  echo $status >"$folder/$name.status"
  if [ $status = 0 ]; then
    echo "done"
  else
    echo "failed with $status, see $folder/$name.txt"
    failed=1
  fi
}

if ! "$hscope" selftest --device gpu --model mlp >"$folder/first.txt" 2>&1 && ! grep -q FAILED "$folder/first.txt"; then
  cat "$folder/first.txt" >&2
  exit 4
fi
"$hscope" --version --verbose >"$folder/version.txt" 2>&1
step devices "$hscope" devices
[ ! -r /proc/driver/nvidia/version ] || cp /proc/driver/nvidia/version "$folder/driver.txt"
step selftest "$hscope" selftest --device gpu "$@"
for device in cpu gpu; do
  for mode in static imperative; do
    step "profile-$device-$mode" "$hscope" profile "${MEASURED:-gallery:lstm-unrolled?batch=1}" --init uniform --device $device --mode $mode \
      --time-limit "${SECONDS_EACH:-20}" --capture "$folder/run-$device-$mode.hscope"
  done
done
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck initcheck; do
    step "$tool" compute-sanitizer --tool $tool --error-exitcode 9 "$hscope" selftest --device gpu --quick
  done
fi
tar -czf "$folder.tar.gz" -C "$(dirname "$folder")" "$(basename "$folder")" || exit 3
echo "$folder.tar.gz"
exit $failed
