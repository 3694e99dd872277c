#!/bin/sh
# check-gpu-check.sh — gpu-check answers on the pretend GPU, finds planted differences, and reports every call that fails.
# usage: check-gpu-check.sh GPU-CHECK, with the pretend GPU in the environment
# SPDX-License-Identifier: LGPL-2.1-or-later
check=$1
tests=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
# shellcheck source=tests/report.sh
. "$(dirname "$0")/../../report.sh"

# call SETTINGS ARGUMENT…: what it prints is in out and err; $?: its status.
call () {
  settings=$1; shift
  HYB_PRETEND=$settings "$check" "$@" >"$work/out" 2>"$work/err"
}

# says TEXT: what the last call printed has this line.
says () { grep -qx -e "$1" "$work/out"; }

call '' questions
if [ $? = 4 ] && grep -q libnvrtc "$work/err"; then
  echo "1..0 # SKIP libnvrtc.so.13 is not installed"
  exit 0
fi

equal='gpucheck 3, devSeqLengths may be NULL, equal lengths:'
different='gpucheck 3, devSeqLengths may be NULL, different lengths:'
set='gpucheck 4, cuDNN refuses WGRAD_MODE_SET:'
same='yes, outputs and states differ by at most 0 from those with a device copy\.'

call leaks=fail questions && says "$equal $same" && says "$different $same" &&
  says "$set yes, it gives CUDNN_STATUS_NOT_SUPPORTED (3000)\."
report $? questions-are-answered
call 'leaks=fail lengths=copy' questions && says "$equal $same" &&
  says "$different no, outputs and states differ by at most 0\.[0-9]* from those with a device copy\."
report $? lengths-that-are-ignored-are-found
call 'leaks=fail fail=cudnnRNNForward:1:2000' questions &&
  says "$equal no, NULL gives CUDNN_STATUS_BAD_PARAM (2000), a device copy CUDNN_STATUS_SUCCESS (0)\."
report $? a-refused-NULL-is-an-answer
call 'leaks=fail gradients=set' questions &&
  says "$set no, it gives CUDNN_STATUS_SUCCESS (0), and gradients that differ by at most 0 from those of WGRAD_MODE_ADD\."
report $? gradients-that-are-set-are-compared
call 'leaks=fail fail=cudnnRNNBackwardWeights_v8:2:5000' questions && says "$set .*, and WGRAD_MODE_ADD CUDNN_STATUS_EXECUTION_FAILED (5000)\."
report $? a-failed-addition-is-told
call leaks=fail counters && says 'check 13, .*: yes, cuptiRangeProfilerEnable gives 0, but hscope reads none\.'
report $? counters-are-allowed
call 'leaks=fail fail=cuptiRangeProfilerEnable:1:35' counters && says 'check 13, .*: no, cuptiRangeProfilerEnable gives 35: .*NVreg_RestrictProfilingToAdminUsers=0\.'
report $? counters-are-not-allowed
call 'leaks=fail fail=cuptiProfilerInitialize:1:999' counters && says 'check 13, .*: no, cuptiProfilerInitialize gives 999: .*\.'
report $? counters-cannot-be-asked-for
call 'leaks=fail fail=cuptiRangeProfilerDisable:1:1' counters
[ $? = 1 ] && grep -qx 'gpu-check: cuptiRangeProfilerDisable gives 1\.' "$work/err"
report $? counters-that-stay-are-a-failure
HYB_CUPTI=$work/none.so HYB_PRETEND=leaks=fail "$check" counters >"$work/out" 2>"$work/err"
[ $? = 4 ] && grep -q '^gpu-check: CUPTI is not installed .*\.$' "$work/err"
report $? without-CUPTI-it-says-so

small='times --steps 3 --batch 2 --units 8 --runs 20'
# shellcheck disable=SC2086
call leaks=fail $small --json "$work/times.json" && says 'LSTM .*: 3 steps of 2 sequences of 8 numbers, 8 units; 20 runs each, by events' &&
  says 'cudnnRNNForward  *[0-9.]* µs, 95 % interval [0-9.]* to [0-9.]*' &&
  says 'with copies of input and output  *[0-9.]* µs, 95 % interval [0-9.]* to [0-9.]*'
report $? times-are-printed
cp "$work/times.json" "$work/out"
# number NAME: of the file.
number () { sed -n "s/.*\"$1\": \([-0-9.e+]*\).*/\1/p" "$work/times.json"; }
[ "$(number steps) $(number batch) $(number inputs) $(number units) $(number runs)" = '3 2 8 8 20' ] &&
  awk -v a="$(number forward_low)" -v b="$(number forward_median)" -v c="$(number forward_high)" -v d="$(number with_copies_low)" \
    -v e="$(number with_copies_median)" -v f="$(number with_copies_high)" \
    'BEGIN { exit !(0 < a && a <= b && b <= c && c < d && d <= e && e <= f) }'
report $? times-are-written

call leaks=fail sweep --sizes '8 16' --batches '1 2' --steps 3 --runs 20 && [ "$(wc -l <"$work/out")" = 64 ] && [ "$(grep -c '"algorithm": "standard".*"median": [0-9.e-]*, "low"' "$work/out")" = 64 ]
report $? every-combination-of-a-sweep-is-timed
call leaks=fail sweep --algorithm persist-dynamic --sizes 8 --batches 1 --steps 3 --runs 20 && [ "$(grep -c '"algorithm": "persist-dynamic".*"failure": "[^"]*CUDNN_STATUS_NOT_SUPPORTED (3000)"}$' "$work/out")" = 16 ]
report $? a-refused-algorithm-is-an-answer
call 'leaks=fail fail=cudnnRNNForward:2:5000' sweep --sizes 8 --batches 1 --steps 3 --runs 20 && [ "$(grep -c '"failure"' "$work/out")" = 1 ] && [ "$(grep -c '"median"' "$work/out")" = 15 ]
report $? a-failed-combination-costs-one-line
call leaks=fail ceilings --product 16 --runs 20 && [ "$(grep -c '^{"what": .*"median": [0-9.e-]*, "low": ' "$work/out")" = 8 ]
report $? ceilings-are-measured
call leaks=fail sweep --sizes x
[ $? = 1 ] && grep -q 'there is no size in “x”' "$work/err"
report $? sizes-that-are-none-are-reported

call 'leaks=fail device=none' questions
[ $? = 4 ] && grep -qx 'gpu-check: the NVIDIA driver sees no GPU\.' "$work/err"
report $? without-a-GPU-it-says-so
HYB_GPU_PATH=$HYB_GPU_PATH/../stubs/driver "$check" questions >"$work/out" 2>"$work/err"
[ $? = 4 ] && grep -q '^gpu-check: the NVIDIA driver is too old: .*\.$' "$work/err"
report $? without-a-driver-it-says-so
call 'leaks=fail cudnn=12000' questions
[ $? = 4 ] && grep -q '^gpu-check: libcudnn\.so\.9 is made for CUDA 12, .*\.$' "$work/err"
report $? without-a-cuDNN-that-fits-it-says-so
wrong=0
for arguments in '' both questions\ counters 'times --runs 3' 'times --units 0' 'times --batch 65536' 'times --steps x' 'times --nothing' 'sweep --algorithm fast' \
  'ceilings --product 0' 'ceilings --product 32769'; do
  # shellcheck disable=SC2086
  call '' $arguments
  if [ $? != 2 ] || ! grep -q '^gpu-check: .*\.$' "$work/err" || ! grep -q '^usage: ' "$work/err"; then
    echo "# not refused: $arguments"
    wrong=1
  fi
done
report $wrong wrong-usage-is-refused

# Every call, when it fails, ends the program with a sentence, unless its failure is an answer.
silent=0
for function in cuInit cuDriverGetVersion cuDeviceGetCount cuDeviceGet cuDevicePrimaryCtxRetain cuDeviceGetAttribute \
  cuStreamCreate cuMemHostAlloc cuMemAlloc_v2 cuMemcpyAsync cuMemsetD8Async cuStreamSynchronize cuEventCreate cuEventRecord \
  cuEventElapsedTime cudnnCreate cudnnSetStream cudnnCreateTensorDescriptor cudnnSetTensorNdDescriptor \
  cudnnCreateDropoutDescriptor cudnnSetDropoutDescriptor cudnnCreateRNNDescriptor cudnnSetRNNDescriptor_v8 \
  cudnnCreateRNNDataDescriptor cudnnSetRNNDataDescriptor cudnnGetRNNWeightSpaceSize cudnnGetRNNWeightParams \
  cudnnGetRNNTempSpaceSizes cudnnRNNForward cudnnRNNBackwardData_v8; do
  case $function in
    cudnn*) code=3000 ;;
    *) code=1 ;;
  esac
  failures=0
  for count in 1 2 5; do
    for command in questions "$small"; do
      # shellcheck disable=SC2086
      call "leaks=fail fail=$function:$count:$code" $command
      status=$?
      [ $status != 0 ] || continue
      failures=$((failures + 1))
      if [ $status != 1 ] || ! grep -q '^gpu-check: .*\.$' "$work/err" || grep -q '^#' "$work/err"; then
        echo "# $function, call $count of $command: status $status"
        silent=1
      fi
    done
  done
  [ $failures != 0 ] || { echo "# the failure of $function is not noticed"; silent=1; }
done
report $silent calls-that-fail-end-with-a-sentence
finish_tests
