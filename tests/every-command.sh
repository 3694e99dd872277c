#!/bin/sh
# every-command.sh — runs every command of hscope once, in several ways, on small models; for sanitizers and valgrind.
# usage: every-command.sh BUILD THREADS [PROGRAM ARGUMENT…]
#
# What is given behind THREADS comes before each command (valgrind, env …). A command fails the check if its exit status is
# not the one expected here. Needs the gallery's modules of BUILD. "hscope --sandbox" is not here: it starts itself again,
# which valgrind does not allow; app/test-sandbox has it.
# SPDX-License-Identifier: LGPL-2.1-or-later
build=$(cd "$1" && pwd) || exit 2
threads=$2
shift 2
tests=$(cd "$(dirname "$0")" && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
cd "$work" || exit 2
HYB_GALLERY=$build/resources/gallery
export HYB_GALLERY
# A target that is this machine; no list of targets of the user is read.
XDG_CONFIG_HOME=$work/config
export XDG_CONFIG_HOME
mkdir -p "$XDG_CONFIG_HOME/hybridscope" || exit 2
printf '[here]\nlauncher = env\nprogram = %s\nfolder = %s\n' "$build/app/hscope" "$work" >"$XDG_CONFIG_HOME/hybridscope/targets.ini"
count=0
failed=0

# expect STATUS ARGUMENT…: runs hscope with the arguments.
expect () {
  wanted=$1; shift
  count=$((count + 1))
  eval "$before" '"$build/app/hscope" "$@"' >"$work/stdout" 2>"$work/stderr" </dev/null
  status=$?
  if [ "$status" -ne "$wanted" ]; then
    failed=$((failed + 1))
    echo "not ok $count hscope $* — status $status, not $wanted"
    tail -40 "$work/stderr" | sed 's/^/# /'
  else
    echo "ok $count hscope $*"
  fi
}

# The words before a command, quoted for eval.
before=
for word in "$@"; do
  before="$before '$word'"
done

lm='gallery:lstm-unrolled?hidden=8&vocabulary=16&embedding=8&length=4&batch=2'
loop='gallery:foreach-rnn?inputs=4&hidden=8&length=4&batch=2'
shapes='--shape data0=4,2,4 --shape data1=2,8 --shape data2=2,8'     # of what loop becomes when it is written
expect 0 --help
expect 0 new --list
expect 0 new "$lm" --output lm
expect 0 new "$loop" --output loop
expect 0 trace "$build/tests/engine/block/two-models.so:good" --output traced
expect 0 info lm-symbol.json
expect 0 info loop-symbol.json --find op:foreach --json
expect 0 info lm-0000.params
expect 0 info --operators --json
expect 0 info --passes
expect 0 check lm-symbol.json lm-0000.params --repair repaired
for model in "$lm" "$loop" 'gallery:early-stop?inputs=4&hidden=4&steps=3&batch=2' 'gallery:cond?inputs=4&hidden=4&batch=2' \
             'gallery:lenet?channels=4&batch=2' 'gallery:transformer'; do
  expect 0 run "$model" --init uniform --threads "$threads" --output out.npz
  expect 0 run "$model" --init uniform --threads "$threads" --backward --gradients gradients.npz --mode hybrid
done
# shellcheck disable=SC2086
expect 0 run loop-symbol.json loop-0000.params $shapes --init uniform --threads "$threads" --values --mode imperative
expect 0 weights lm-0000.params --to lm.npz
expect 0 weights lm-0000.params lm.npz
expect 0 render lm-symbol.json --output lm.svg
expect 0 render loop-symbol.json --output loop.png --layout dot
expect 0 render lm-symbol.json --output lm.pdf --layout grid --fold none
expect 0 profile "$loop" --init uniform --threads "$threads" --repeat 2 --warmup 1 --traced 2 --capture a.hscope --trace a.json --csv a.csv
expect 0 profile "$lm" --init uniform --threads "$threads" --backward --repeat 2 --warmup 1 --traced 2 --capture b.hscope
expect 0 render "$lm" --output heat.svg --overlay b.hscope --heat inclusive
expect 0 report a.hscope
expect 0 report a.hscope b.hscope --html --output both.html
expect 0 report a.hscope --svg --output a.svg
expect 0 import a.json --symbol "$loop" --capture imported.hscope
expect 0 bench --list
expect 0 bench --case rnn-infer-h16-t4-b2-foreach --repeat 1 --runs 1 --threads "$threads"
expect 0 bench --case rnn-train-h16-t4-b2-fused --repeat 1 --runs 1 --threads "$threads"
expect 0 compare "$loop" --variants as-is,unrolled,fused --init uniform --repeat 2 --time-limit 20 --threads "$threads" --report compare.html --captures c
expect 0 convert "$loop" --to unrolled --output unrolled
expect 0 convert "$loop" --to fused --output fused
expect 0 run "$loop" --init uniform --backward --gradients loop.npz
expect 0 prove "$loop" fused-symbol.json --input loop.npz --threads "$threads"
expect 1 diff loop-symbol.json unrolled-symbol.json
expect 0 diff loop-symbol.json loop-symbol.json
expect 0 train 'gallery:lstm-lm?hidden=8&vocabulary=16&embedding=8&length=4&batch=2' --epochs 1 --sample 10 --threads "$threads" --output trained --log log.jsonl
expect 0 train 'gallery:lstm-lm?hidden=8&vocabulary=16&embedding=8&length=4&batch=2' --epochs 2 --resume --sample -1 --threads "$threads" --output trained
expect 0 sweep --models "$loop" --variants as-is,fused --samples 2 --time-limit 20 --threads "$threads" --output swept
expect 0 sweep --output swept --resume
expect 0 report swept
expect 0 report swept --html --output swept.html
expect 0 sweep --models "$loop" --variants unrolled,fused --task prove --jobs 2 --output proved
expect 0 targets
expect 0 targets check here --json
expect 0 run "$loop" --init uniform --threads "$threads" --target here
expect 0 convert "$loop" --weights int8 --tolerance 1 --output narrow
expect 0 devices
expect 0 devices --json
expect 4 selftest --quick --device gpu:99
expect 0 help sweep
expect 3 info absent-symbol.json
expect 2 run
[ "$failed" -eq 0 ]
status=$?
echo "1..$count"
exit $status
