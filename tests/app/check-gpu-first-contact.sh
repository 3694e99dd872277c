#!/bin/sh
# check-gpu-first-contact.sh — tools/gpu-first-contact.sh ends in time and leaves a whole archive, whatever breaks.
# usage: check-gpu-first-contact.sh short | breaks SCRIPT
#        check-gpu-first-contact.sh pretend SCRIPT HSCOPE GPU-CHECK, with the pretend GPU in the environment
#
# short and breaks: gpu-stand-in.sh stands for the programs. breaks prints a table of every step and what happens in it.
# SPDX-License-Identifier: LGPL-2.1-or-later
kind=$1 script=$2
here=$(cd "$(dirname "$0")" && pwd)
answers=$(dirname "$script")/gpu-answers.py
tests=$(cd "$(dirname "$0")/.." && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
# shellcheck source=tests/report.sh
. "$here/../report.sh"
export HSCOPE="${3:-$here/gpu-stand-in.sh}" GPU_CHECK="${4:-$here/gpu-stand-in.sh}"
export LENGTH=2 UNITS=8 BATCHES='1 2' NETWORKS=softmax-1000x1000 SHARDS=2 REPEAT=2 RUNS=20 PRODUCT=64 SECONDS_EACH=5
export GALLERY_MODELS='mlp?hidden=4&batch=2' OPERATORS='dot relu RNN' GOLDENS="$work/goldens" TMPDIR="$work/tmp"
mkdir "$GOLDENS" "$TMPDIR"
cp -r "$(dirname "$script")/../tests/data/goldens/models/mlp-softmax-output" "$GOLDENS/" || exit 2

# For short and breaks, stand-ins for NVIDIA's tools, which start the program that they are given, and for a Python with PyTorch.
# shellcheck disable=SC2016
if [ "$kind" != pretend ]; then
  mkdir "$work/bin"
  for tool in ncu compute-sanitizer; do
    printf '#!/bin/sh\nwhile [ "$1" != "$HSCOPE" ]; do shift; done\n"$@" && echo "ERROR SUMMARY: 0 errors"\n' >"$work/bin/$tool"
  done
  printf '#!/bin/sh\ncase $* in\n  *find_spec*) exit 0 ;;\n  *torch-times*) exec "$GPU_CHECK" torch ;;\n  *) exec python3 "$@" ;;\nesac\n' >"$work/bin/torch"
  chmod +x "$work/bin"/*
  export PATH="$work/bin:$PATH" PYTHON="$work/bin/torch"
fi

# contact NAME ARGUMENT…: runs the script; its folder is $work/NAME.
contact () {
  name=$1
  shift
  begin=$(date +%s)
  "$script" "$@" "$work/$name" >"$work/log" 2>&1
  status=$?
  took=$(($(date +%s) - begin))
}

# is_whole NAME: the archive can be read to its end and answered, there are few files, and nothing is left in the folder for temporary ones.
is_whole () {
  tar -tzf "$work/$1/results.tar.gz" >"$work/list" 2>/dev/null && grep -qx results/steps.tsv "$work/list" &&
    [ -s "$work/$1/answers.txt" ] && [ "$(find "$work/$1" -type f | wc -l)" -le 8 ] && [ -z "$(ls -A "$TMPDIR")" ] &&
    { ! command -v python3 >/dev/null || python3 "$answers" "$work/$1/results.tar.gz" >"$work/page" 2>&1; }
}

# Whether no process of the script is left; they have its caches. What a checker started outlives the checker.
nothing_is_left () { ! grep -qasF "XDG_CACHE_HOME=$TMPDIR/gpu-first-contact-" /proc/[0-9]*/environ; }

# reached NAME STEP: a command of the step was done, or there was no time for it, as on a machine that others use.
reached () { tar -xzOf "$work/$1/results.tar.gz" results/steps.tsv | awk -F '\t' -v step="$2" '$1 == step && ($3 == 0 || $3 == "none") { n++ } END { exit !n }'; }

# done_in NAME STEP: how many commands of a step ended with 0.
done_in () { tar -xzOf "$work/$1/results.tar.gz" results/steps.tsv | awk -F '\t' -v step="$2" '$1 == step && $3 == 0 { n++ } END { print n + 0 }'; }

steps=$("$script" --steps | awk '{ print $1 }')

if [ "$kind" = breaks ]; then
  printf '# %-10s %-8s %6s %7s %5s %s\n' step what status seconds files archive
  for step in $steps; do
    for how in crash hang memory flood; do
      wrong=0
      BREAK_STEP=$step BREAK_HOW=$how contact "$step-$how" --seconds 108
      is_whole "$step-$how" || wrong=1
      # All other steps had their turn.
      for other in $steps; do
        if [ "$other" != "$step" ] && ! reached "$step-$how" "$other"; then
          echo "# nothing of $other was tried"
          wrong=1
        fi
      done
      printf '# %-10s %-8s %6s %7s %5s %s\n' "$step" "$how" "$status" "$took" "$(find "$work/$step-$how" -type f | wc -l)" \
        "$(wc -c <"$work/$step-$how/results.tar.gz") bytes"
      report $wrong "$how-in-$step"
    done
  done
  # What would take for ever ends all the same.
  BREAK_STEP=all BREAK_HOW=hang contact all --seconds 54
  printf '# %-10s %-8s %6s %7s\n' all hang "$status" "$took"
  is_whole all && [ "$status" = 1 ] && nothing_is_left
  report $? hang-in-all-steps
  finish_tests
fi

if [ "$kind" = pretend ]; then
  contact whole --seconds 300
  is_whole whole
  report $? everything-runs-on-the-pretend-GPU
  missing=0
  while read -r line; do
    grep -q -e "$line" "$work/page" || { echo "# not on the page: $line"; missing=1; }
  done <<'END'
^3 operators were tested, 3 agree; [0-9]* samples
^| gallery | static | 1 | 1 |
^| goldens | imperative | 1 | 1 |
^| gpucheck 1, .* | yes, the samples agree |
^| gpucheck 3, .*, equal lengths | yes,
^| gpucheck 3, .*, different lengths | yes,
^| gpucheck 4, .* | yes,
^| gpucheck 7, .* | at most [0-9]
^| check 9, .*, static | yes, 100.00 %
^| check 9, .*, imperative | yes, 100.00 %
^| check 9, .*, foreach | yes, 100.00 %
^| check 9, .*, fused | yes, 100.00 %
^| check 11, .* times as long |
^| check 12, replays .* | yes,
^| check 13, .* | yes,
^| static mode is twice as fast as imperative mode | .* times |
^| the fused LSTM, batch × units 1x8, .*by events a run takes
^| lstm-infer-h8-t2-b1-fused | [0-9.]* ms | [0-9.]* ms | [0-9.]* ([0-9.]* to [0-9.]*) | not measured |
^| float32 product, TF32 |
END
  report $missing the-page-has-the-answers
  # As if the machine had gone after each step, and in the middle of a copy.
  wrong=0
  mkdir "$work/cut"
  tar -xzf "$work/whole/results.tar.gz" -C "$work/cut"
  for step in $(echo "$steps" | tac); do
    awk -F '\t' -v step="$step" '$1 == step { print $2 }' "$work/cut/results/steps.tsv" | while read -r name; do
      rm -f "$work/cut/results/$name.txt" "$work/cut/results/${name#profile-}.json" "$work/cut/results/$name.json"
    done
    awk -F '\t' -v step="$step" '$1 != step' "$work/cut/results/steps.tsv" >"$work/cut/part" && mv "$work/cut/part" "$work/cut/results/steps.tsv"
    tar -czf "$work/cut.tar.gz" -C "$work/cut" results
    if ! python3 "$answers" "$work/cut.tar.gz" >"$work/page" 2>&1 || ! grep -q 'not measured' "$work/page"; then
      echo "# no page without $step"
      wrong=1
    fi
  done
  size=$(wc -c <"$work/whole/results.tar.gz")
  for percent in 0 10 20 30 40 50 60 70 80 90 99; do
    head -c $((size * percent / 100)) "$work/whole/results.tar.gz" >"$work/cut.tar.gz"
    python3 "$answers" "$work/cut.tar.gz" >"$work/page" 2>&1 || { echo "# no page of $percent % of the archive"; wrong=1; }
  done
  report $wrong cut-archives-have-a-page-too
  HYB_PRETEND=wrong=products contact wrong --seconds 120 --only selftest
  is_whole wrong && [ "$status" = 1 ] && grep -q '^| dot | .*the self-test found a difference' "$work/page"
  report $? a-wrong-GPU-is-reported
  HYB_PRETEND=fail=cuLaunchKernel:1:700 contact spoiled --seconds 120 --only selftest
  is_whole spoiled && grep -q '^3 operators were tested' "$work/page" && grep -q '^| relu | relu: .*ILLEGAL_ADDRESS' "$work/page"
  report $? an-error-that-spoils-the-GPU-costs-one-operator-each
  HYB_PRETEND=memory=1M contact memory --seconds 120
  is_whole memory && [ "$status" = 1 ]
  report $? a-GPU-without-memory-leaves-an-archive
  finish_tests
fi

contact whole --seconds 108
is_whole whole
report $? the-archive-is-whole
wrong=0
for step in $steps; do
  [ "$(done_in whole "$step")" -gt 0 ] || { echo "# nothing of $step was done"; wrong=1; }
done
report $wrong every-step-is-done
# The last run's page: ratios, PyTorch among them, and NVIDIA's checker.
grep -q '^| lstm-infer-h8-t2-b1-fused | 1.1 ms | 0.5 ms | 2.20 (1.67 to 3.00) | 2 ms | 0.55 ([0-9.]* to [0-9.]*) |' "$work/page" &&
  grep -q '^| racecheck-topk | nothing was found | ERROR SUMMARY: 0 errors |' "$work/page"
report $? the-page-has-ratios-and-NVIDIAs-checker
BREAK_STEP=machine BREAK_HOW=hang contact hang --seconds 54 --only machine --only rest
is_whole hang && [ "$(done_in hang rest)" -gt 0 ] && grep -q 'version: ended by its time limit' "$work/page"
report $? a-step-that-hangs-is-ended
BREAK_STEP=sanitizer BREAK_HOW=hang contact checked --seconds 27 --only sanitizer
is_whole checked && nothing_is_left
report $? what-a-checker-started-is-ended
STAND_IN_GPU='cannot be opened: there is no libcudnn.so.9' contact unusable --only machine --seconds 27
is_whole unusable
report $? a-GPU-that-hscope-cannot-open-is-tried-all-the-same
# The machine is taken away: who is asked to end leaves what is done.
TAKE=bench "$script" --seconds 540 "$work/taken" >"$work/log" 2>&1 &
taken=$!
for _ in $(seq 100); do
  [ ! -s "$work/taken/results.tar.gz" ] || break
  sleep 0.1
done
kill "$taken" && { wait "$taken"; [ $? = 143 ]; } && is_whole taken && [ "$(done_in taken machine)" -gt 0 ]
report $? whoever-ends-it-gets-what-is-done
contact one --only ceilings --seconds 54
is_whole one && [ "$(tar -xzOf "$work/one/results.tar.gz" results/steps.tsv | cut -f 1 | sort -u)" = ceilings ]
report $? one-step-alone
# What another machine sent may be anything.
mkdir "$work/strange"
printf 'a\tb\tc\td\te\n\t\n' >"$work/strange/steps.tsv"
cat >"$work/strange/selftest-1.txt" <<'END'
{"operator": [], "operators": 5, "samples": "x", "passed": false}
{"operator": "<script>", "operators": [7, {"failure": "|\u0007|", "error": "y"}], "passed": false}
[[[
END
echo '{"gpu_median": 1e999, "median": true}' >"$work/strange/gpu-static.json"
python3 "$answers" "$work/strange" >"$work/page" 2>&1 && grep -q '^## NVIDIA' "$work/page" && ! grep -q '<script>' "$work/page"
report $? a-strange-archive-has-a-page
contact refused --only none && contact refused --seconds x
[ "$status" = 2 ]
report $? wrong-usage-is-refused
printf '#!/bin/sh\necho "gpu      none: no NVIDIA driver is installed."\n' >"$work/no-gpu"
chmod +x "$work/no-gpu"
HSCOPE=$work/no-gpu contact none
[ "$status" = 4 ] && is_whole none && grep -q 'no NVIDIA driver is installed' "$work/log"
report $? without-a-GPU-it-says-so
finish_tests
