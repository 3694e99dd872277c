#!/bin/sh
# check-gpu-all.sh — tools/gpu-all.sh leaves everything in one archive, and says what failed.
# usage: check-gpu-all.sh HSCOPE SCRIPT, with the pretend GPU in the environment
# SPDX-License-Identifier: LGPL-2.1-or-later
hscope=$1 script=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export SECONDS_EACH=1 MEASURED="gallery:mlp?batch=1"
number=0

# report STATUS NAME: one test.
report () {
  number=$((number + 1))
  if [ "$1" = 0 ]; then echo "ok $number $2"; else echo "not ok $number $2"; sed 's/^/# /' "$work/out"; fi
}

if "$hscope" devices | grep -q libnvrtc; then
  if ! "$hscope" devices | grep -q gpu:0; then
    echo "1..0 # SKIP libnvrtc.so.13 is not installed"
    exit 0
  fi
fi
echo 1..4
"$script" "$hscope" "$work/right" --model mlp >"$work/out" 2>&1
report $? a-right-GPU-passes
tar -tzf "$work/right.tar.gz" >"$work/list"
missing=0
for name in devices.txt selftest.txt selftest.status version.txt run-gpu-static.hscope run-cpu-imperative.hscope; do
  grep -qx "right/$name" "$work/list" || { echo "# $name is not in the archive"; missing=1; }
done
report $missing the-archive-holds-what-the-steps-wrote
HYB_PRETEND=wrong=products "$script" "$hscope" "$work/wrong" --model mlp >"$work/out" 2>&1
[ $? = 1 ] && grep -q '^selftest *failed with 1' "$work/out" && [ -s "$work/wrong.tar.gz" ]
report $? a-wrong-GPU-is-reported
HYB_PRETEND=device=none "$script" "$hscope" "$work/none" >"$work/out" 2>&1
[ $? = 4 ] && grep -q 'sees no GPU' "$work/out" && [ ! -e "$work/none.tar.gz" ]
report $? without-a-GPU-it-says-so
