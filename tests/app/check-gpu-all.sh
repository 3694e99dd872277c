#!/bin/sh
# check-gpu-all.sh — tools/gpu-all.sh leaves everything in one archive, and says what failed.
# usage: check-gpu-all.sh HSCOPE SCRIPT GPU-CHECK, with the pretend GPU in the environment
# SPDX-License-Identifier: LGPL-2.1-or-later
hscope=$1 script=$2 gpu_check=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/report.sh
. "$(dirname "$0")/../report.sh"
export HSCOPE="$hscope" GPU_CHECK="$gpu_check" SECONDS_EACH=1 LENGTH=2 SIZES="1x8 2x8"
export GOLDENS="$work/goldens"
mkdir "$GOLDENS"
cp -r "$(dirname "$script")/../tests/data/goldens/models/mlp-softmax-output" "$GOLDENS/" || exit 2

# Stands for gpu-check: one answer, a crash, and times of cuDNN that are far from those of hscope.
cat >"$work/planted" <<'END'
#!/bin/sh
case $1 in
  questions) echo "gpucheck 4, cuDNN refuses WGRAD_MODE_SET: yes, planted."; exit 1 ;;
  counters) kill -SEGV $$ ;;
esac
while [ $# -gt 1 ]; do
  [ "$1" != --batch ] || batch=$2
  [ "$1" != --json ] || json=$2
  shift
done
[ "$batch" = 1 ] && median=1e-9 || median=10
echo "{\"forward_median\": $median, \"with_copies_median\": $median}" >"$json"
END
chmod +x "$work/planted"

if "$hscope" devices | grep -q libnvrtc; then
  if ! "$hscope" devices | grep -q gpu:0; then
    echo "1..0 # SKIP libnvrtc.so.13 is not installed"
    exit 0
  fi
fi
"$script" "$work/right" --model mlp >"$work/out" 2>&1
report $? a-right-GPU-passes
tar -tzf "$work/right.tar.gz" >"$work/list"
missing=0
for name in devices.txt selftest.txt selftest.status version.txt machine.txt answers.txt run-gpu-static.hscope \
  run-gpu-foreach.hscope run-gpu-fused.hscope run-cpu-imperative.hscope run-lstm-1x8.hscope direct-1x8.json direct-questions.txt ladder.html; do
  grep -qx "right/$name" "$work/list" || { echo "# $name is not in the archive"; missing=1; }
done
report $missing the-archive-holds-what-the-steps-wrote
# Answers that do not depend on times.
unanswered=0
while read -r line; do
  grep -q "^$line" "$work/right/answers.txt" || { echo "# not in answers.txt: $line"; unanswered=1; }
done <<'END'
the self-test passes: yes,
the goldens' models and gradients: yes,
gpucheck 1, .*: yes,
gpucheck 5, .*: yes,
check 9, .*, static: yes, 100.00 % of the time of kernels\.
check 9, .*, imperative: yes, 100.00 % of the time of kernels\.
check 9, .*, foreach: yes, 100.00 % of the time of kernels\.
check 9, .*, fused: yes, 100.00 % of the time of kernels\.
check 11, .*: .* times as long\.
check 12, replays .*: yes,
check 12, the share of launches is what the ladder saves: .*, 
gpucheck 3, devSeqLengths may be NULL, equal lengths: yes, .* differ by at most 0 from
gpucheck 3, devSeqLengths may be NULL, different lengths: yes, .* differ by at most 0 from
gpucheck 4, cuDNN refuses WGRAD_MODE_SET: yes, it gives CUDNN_STATUS_NOT_SUPPORTED (3000)\.
check 13, counters of the GPU may be read: yes,
the fused LSTM of 8 units, batch 1, .*: .*, by events a run takes [0-9.e-]* s, cuDNN with the same copies [0-9.e-]* s,
the fused LSTM of 8 units, batch 2, .*: .*, by events a run takes [0-9.e-]* s, cuDNN with the same copies [0-9.e-]* s,
static mode is twice as fast as imperative mode: .* times\.
END
report $unanswered questions-are-answered
grep -q '"inputs": "float32 (2, 1, [0-9]*)' "$work/right/gpu-fused.json" 2>"$work/out"
report $? the-fused-form-has-the-same-length
HYB_PRETEND=wrong=products GPU_CHECK="$work/planted" "$script" "$work/wrong" --model mlp >"$work/out" 2>&1
[ $? = 1 ] && grep -q '^selftest *failed with 1' "$work/out" && [ -s "$work/wrong.tar.gz" ]
report $? a-wrong-GPU-is-reported
# answered PATTERN: an answer of the last archive.
answered () { grep -q "^$1" "$work/wrong/answers.txt"; }
answered 'the fused LSTM of 8 units, batch 1, .*: no, ' && answered 'the fused LSTM of 8 units, batch 2, .*: yes, '
report $? a-fast-cuDNN-and-a-slow-one-are-told-apart
answered 'gpucheck 4, .*: yes, planted\.' && answered 'gpucheck 3, .* different lengths: not answered, the step ended with 1, see direct-questions.txt\.' &&
  answered 'check 13, .*: not answered, the step ended with 139, see direct-counters.txt\.' && grep -q '^direct-counters *failed with 139' "$work/out"
report $? failures-of-direct-calls-are-reported
HYB_PRETEND=device=none "$script" "$work/none" >"$work/out" 2>&1
[ $? = 4 ] && grep -q 'There is no GPU to be used, .*: the NVIDIA driver sees no GPU\.' "$work/out"
report $? without-a-GPU-it-says-so
tar -tzf "$work/none.tar.gz" >"$work/list" && grep -qx none/answers.txt "$work/list" && grep -qx none/machine.txt "$work/list"
report $? without-a-GPU-there-is-an-archive-too
finish_tests
