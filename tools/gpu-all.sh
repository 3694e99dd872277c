#!/bin/sh
# gpu-all.sh — what only a machine with a GPU can tell, in one archive to send back.
# usage: gpu-all.sh FOLDER [OPTION…]    OPTION: of hscope selftest, such as --quick
#
# Compares the GPU with the processor, measures LSTMs in several forms, and answers the questions of engine/cuda/README.md that
# nobody could answer without a GPU. What each step printed and how it ended is in FOLDER, the answers are in
# FOLDER/answers.txt, and all of it is in FOLDER.tar.gz, also where there is no GPU or steps fail. Ends with 1 if a step failed, and
# with 4 without a GPU; answers about times decide nothing. Nobody has run this on a GPU yet.
#
# HSCOPE is the program (bin/hscope beside this script, else hscope); GOLDENS a folder of models (tests/data/goldens/models
# beside this script); SECONDS_EACH how long each measurement takes (20); LENGTH the steps of the LSTMs (100);
# GPU_CHECK the program that calls cuDNN and CUPTI directly (bin/gpu-check beside this script, else build/tools/gpu-check/gpu-check
# of the tree); SIZES the sequences and units of LSTMs that are compared with it (1x256 1x512 32x256 32x512).
# SPDX-License-Identifier: LGPL-2.1-or-later
[ $# -ge 1 ] || { echo "usage: gpu-all.sh FOLDER [OPTION…]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
if [ -z "$HSCOPE" ]; then
  HSCOPE=hscope
  [ ! -x "$here/bin/hscope" ] || HSCOPE=$here/bin/hscope
fi
GOLDENS=${GOLDENS:-$here/tests/data/goldens/models}
SECONDS_EACH=${SECONDS_EACH:-20}
LENGTH=${LENGTH:-100}
SIZES=${SIZES:-1x256 1x512 32x256 32x512}
if [ -z "$GPU_CHECK" ]; then
  GPU_CHECK=$here/../build/tools/gpu-check/gpu-check
  [ ! -x "$here/bin/gpu-check" ] || GPU_CHECK=$here/bin/gpu-check
fi
failed=0
: >"$folder/answers.txt"

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
  return $status
}

# answer QUESTION TEXT: TEXT begins with yes, no, see, or “not answered”.
answer () { echo "$1: $2." >>"$folder/answers.txt"; }

# has_passed NAME: the step was done and did not fail.
has_passed () { [ "$(cat "$folder/$1.status" 2>/dev/null)" = 0 ]; }

# answer_step QUESTION NAME YES: the answer is whether the step passed.
answer_step () {
  if has_passed "$2"; then
    answer "$1" "yes, $3"
  elif [ -e "$folder/$2.status" ]; then
    answer "$1" "no, see $2.txt"
  else
    answer "$1" "not answered, the step $2 was not done"
  fi
}

# number NAME KEY: the first number of this name in the report of a measurement; nothing if there is none.
number () {
  grep -o "\"$2\": [-0-9.e+]*" "$folder/$1.json" 2>/dev/null | head -n 1 | sed 's/.*: //'
}

# judge QUESTION CONDITION TEXT NUMBER…: CONDITION of awk on the numbers a, b, c; TEXT is its format for printf.
judge () {
  question=$1 condition=$2 text=$3
  shift 3
  for given in "$@"; do
    if [ -z "$given" ]; then
      answer "$question" "not answered, a number is missing"
      return
    fi
  done
  answer "$question" "$(awk -v a="$1" -v b="${2:-0}" -v c="${3:-0}" "BEGIN { printf \"%s, \", ($condition) ? \"yes\" : \"no\"; printf $text }")"
}

finish () {
  tar -czf "$folder.tar.gz" -C "$(dirname "$folder")" "$(basename "$folder")" || exit 3
  cat "$folder/answers.txt"
  echo "$folder.tar.gz"
  exit "$1"
}

# --- The machine ---

if ! "$HSCOPE" --version --verbose >"$folder/version.txt" 2>&1; then
  cat "$folder/version.txt" >&2
  echo "$HSCOPE does not start; see the message above" >&2
  answer "the program" "no, it does not start, see version.txt"
  finish 1
fi
{
  uname -srm
  ldd --version 2>&1 | head -n 1
  cat /etc/os-release 2>/dev/null
  ldconfig -p 2>/dev/null | grep -E 'libcuda\.so|libcudnn|libcublas|libnvrtc|libcupti'
  cat /proc/driver/nvidia/version 2>/dev/null || echo "There is no /proc/driver/nvidia/version."
  nvidia-smi 2>/dev/null || echo "There is no nvidia-smi."
} >"$folder/machine.txt" 2>&1
step devices "$HSCOPE" devices
if ! grep -q '^gpu:0 ' "$folder/devices.txt" || grep -q '^gpu:0 *cannot be opened' "$folder/devices.txt"; then
  why=$(sed -n 's/^gpu[:0-9]*  *//p' "$folder/devices.txt" | head -n 1 | sed 's/^none: //; s/\.$//')
  echo "There is no GPU to be used, so only the machine was looked at: $why." >&2
  answer "everything that needs a GPU" "not answered, $why"
  finish 4
fi

# --- The self-test ---

step selftest "$HSCOPE" selftest --device gpu "$@"
answer_step "the self-test passes" selftest "all comparisons agree"
if [ -d "$GOLDENS" ]; then
  step goldens "$HSCOPE" selftest --device gpu --goldens "$GOLDENS"
fi
answer_step "the goldens' models and gradients" goldens "as on the processor"
step selftest-rnn "$HSCOPE" selftest --device gpu --operator RNN
answer_step "gpucheck 1, MXNet's weights as cuDNN's" selftest-rnn "forward as on the processor"
answer_step "gpucheck 2, sequences of different lengths" selftest-rnn "the samples with lengths agree"
answer_step "gpucheck 5, weight gradients" selftest-rnn "as on the processor"
answer_step "gpucheck 6, recorded and replayed" selftest-rnn "replays give what launches give"
# Fast products may differ by more than the self-test tolerates, which is an answer and no failure.
"$HSCOPE" selftest --device gpu --math fast --operator RNN --operator FullyConnected --operator dot >"$folder/math-fast.txt" 2>&1
answer "gpucheck 7, errors of precise and fast products" "see selftest.txt and math-fast.txt"

# --- Measurements ---

model="gallery:lstm-unrolled?batch=1&length=$LENGTH"
# convert FORM: the model in another form is in FORM-symbol.json.
convert () { step "convert-$1" "$HSCOPE" convert "$model" --to "$1" --output "$folder/$1"; }
convert foreach
convert fused
# measure NAME MODEL OPTION…: a measurement with its report.
measure () {
  measured=$1 what=$2
  shift 2
  step "profile-$measured" "$HSCOPE" profile "$what" --init uniform --time-limit "$SECONDS_EACH" \
    --capture "$folder/run-$measured.hscope" "$@"
  "$HSCOPE" report "$folder/run-$measured.hscope" --json >"$folder/$measured.json" 2>/dev/null
}
measure cpu-static "$model" --device cpu --mode static
measure cpu-imperative "$model" --device cpu --mode imperative
measure gpu-static "$model" --device gpu --mode static
measure gpu-imperative "$model" --device gpu --mode imperative
# These forms take any number of steps, so it is said again.
measure gpu-foreach "$folder/foreach-symbol.json" --device gpu --mode static --shape "data0=$LENGTH,1"
measure gpu-fused "$folder/fused-symbol.json" --device gpu --mode static --shape "data0=$LENGTH,1"
for form in static imperative foreach fused; do
  judge "check 9, kernels under their operators, $form" "a > 0 && b <= 0.01 * a" \
    '"%.2f %% of the time of kernels", 100 * (1 - b / a)' "$(number gpu-$form gpu_busy_seconds)" "$(number gpu-$form gpu_no_operator_seconds)"
done
judge "check 10, events and kernels" "a <= 1.05 * (b + c) && a >= 0.95 * (b + c)" \
  '"a clean run took %.4g s by events, kernels and gaps of traced runs %.4g s", a, b + c' \
  "$(number gpu-static gpu_median)" "$(number gpu-static gpu_busy_seconds)" "$(number gpu-static between_seconds)"
judge "check 11, traced runs take less than twice as long" "a < 2" '"%.2f times as long", a' "$(number gpu-static traced_over_clean)"
step replays "$HSCOPE" selftest --device gpu --model "${model#gallery:}"
answer_step "check 12, replays and launches give the same outputs" replays "the same bytes in all runs of static mode"
step ladder "$HSCOPE" compare "$model" --init uniform --device gpu --modes imperative,static --time-limit "$SECONDS_EACH" \
  --report "$folder/ladder.html" --json
# ladder_number KEY: a number of the ladder's bucket for launches.
ladder_number () {
  sed -n '/"ladder_explanation": {/,$p' "$folder/ladder.txt" | grep -o '"host and dispatch".*' | head -n 1 |
    grep -o "\"$1\": [-0-9.e+]*" | head -n 1 | sed 's/.*: //'
}
judge "check 12, the share of launches is what the ladder saves" "(a - b) * (a - b) <= 0.04 * b * b" \
  '"host and dispatch %.4g s, its rungs saved %.4g s, more in ladder.html", a, b' "$(ladder_number seconds)" "$(ladder_number rung_seconds)"
judge "static mode is twice as fast as imperative mode" "b >= 2 * a" '"%.2f times", b / a' \
  "$(number gpu-static median)" "$(number gpu-imperative median)"

# --- cuDNN and CUPTI called directly ---

# ask COMMAND QUESTION…: gpu-check prints the answers, each of which begins with its question.
ask () {
  asked=$1
  shift
  step "direct-$asked" "$GPU_CHECK" "$asked"
  for question in "$@"; do
    grep "^$question: " "$folder/direct-$asked.txt" >>"$folder/answers.txt" ||
      answer "$question" "not answered, the step ended with $status, see direct-$asked.txt"
  done
}
# compare_direct BATCH UNITS: an LSTM and nothing else, by hscope and by cuDNN called directly.
compare_direct () {
  size=$1x$2
  cat >"$folder/lstm-$2-symbol.json" <<END
{"nodes": [
  {"op": "null", "name": "data", "inputs": []},
  {"op": "null", "name": "parameters", "inputs": []},
  {"op": "null", "name": "state", "inputs": []},
  {"op": "null", "name": "cell", "inputs": []},
  {"op": "RNN", "name": "lstm", "attrs": {"mode": "lstm", "num_layers": "1", "state_size": "$2"},
   "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]}],
 "arg_nodes": [0, 1, 2, 3], "heads": [[4, 0, 0]]}
END
  step "direct-$size" "$GPU_CHECK" times --steps "$LENGTH" --batch "$1" --units "$2" --json "$folder/direct-$size.json"
  measure "lstm-$size" "$folder/lstm-$2-symbol.json" --device gpu --mode static --shape "data=$LENGTH,$1,$2" \
    --shape "state=1,$1,$2" --shape "cell=1,$1,$2"
  judge "the fused LSTM of $2 units, batch $1, takes at most 5 % longer than cuDNN called directly" "a <= 1.05 * b" \
    '"by events a run takes %.4g s, cuDNN with the same copies %.4g s, without copies %.4g s", a, b, c' \
    "$(number "lstm-$size" gpu_median)" "$(number "direct-$size" with_copies_median)" "$(number "direct-$size" forward_median)"
}
ask questions "gpucheck 3, devSeqLengths may be NULL, equal lengths" "gpucheck 3, devSeqLengths may be NULL, different lengths" \
  "gpucheck 4, cuDNN refuses WGRAD_MODE_SET"
ask counters "check 13, counters of the GPU may be read"
for size in $SIZES; do
  compare_direct "${size%x*}" "${size#*x}"
done

# --- NVIDIA's checker ---

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck initcheck; do
    step "$tool" compute-sanitizer --tool $tool --error-exitcode 9 "$HSCOPE" selftest --device gpu --quick
    answer_step "compute-sanitizer, $tool" "$tool" "nothing was found"
  done
else
  answer "compute-sanitizer" "not answered, it is not installed (nvidia-cuda-sanitizer-api on PyPI)"
fi
finish $failed
