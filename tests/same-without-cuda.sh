#!/bin/sh
# same-without-cuda.sh — two programs print the same bytes, write the same files and end with the same
# exit status, unless a GPU is asked for.
# usage: same-without-cuda.sh HSCOPE OTHER
#
# OTHER is the hscope of a build with -Dcuda=disabled, which tools/without-cuda.sh makes; the test of the
# suite compares a program with itself where its module cannot be found.  If OTHER is "no-module", it is
# HSCOPE with HYB_GPU_MODULE=/absent.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
hscope=$1
other=$2
tests=$(cd "$(dirname "$0")" && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
unset HYB_GPU_PATH HYB_GPU_MODULE HYB_PRETEND
export LC_ALL=C.UTF-8 XDG_CACHE_HOME="$work/cache" XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data"

# Times differ from run to run.
without_times () {
  sed -E 's/[0-9]+([.][0-9]+)? ?(ns|µs|us|ms|s|seconds)\b/TIME/g'
}

# run_all SIDE PROGRAM: each command in the same order, in a folder of its own.
run_all () {
  mkdir -p "$work/$1/work" && cd "$work/$1/work" || exit 2
  n=0
  while read -r kind line; do
    n=$((n + 1))
    # shellcheck disable=SC2086 # words of the line are arguments
    "$2" $line >"../$n.out" 2>"../$n.err" </dev/null
    echo $? >"../$n.code"
    if [ "$kind" = gpu ]; then # the reason why there is no GPU differs
      : >"../$n.err"
      : >"../$n.out"
    fi
    for file in "../$n.out" "../$n.err"; do
      without_times <"$file" >"$file.same" && mv "$file.same" "$file"
    done
  done <"$work/lines"
  # shellcheck disable=SC2094 # the list is not in this folder
  find . -type f -exec sha256sum {} + | sort -k 2 >../files
}

cat >"$work/lines" <<'LINES'
all --version
all --help
all run --help
all new lstm-unrolled --output net
all new foreach-rnn --output loop
all new mlp --output mlp
all info net-symbol.json
all info --json net-symbol.json
all info --passes net-symbol.json
all info --passes loop-symbol.json
all check net-symbol.json
all check absent-symbol.json
all run net-symbol.json --init uniform --random-values --seed 3 --output out.npz
all run loop-symbol.json --init uniform --random-values --seed 3 --backward --gradients gradients.npz
all run mlp-symbol.json --init uniform --random-values --seed 3 --values
all run mlp-symbol.json
all run mlp-symbol.json --device cpu --init uniform --random-values --seed 4 --output cpu.npz
all run mlp-symbol.json --device gpux --init uniform
all run mlp-symbol.json --no-such-option
all render net-symbol.json --output net.svg
all convert net-symbol.json --to fused --output fused
all prove net-symbol.json fused-symbol.json
gpu run mlp-symbol.json --device gpu --init uniform --random-values --seed 3 --output gpu.npz
gpu devices
gpu devices --json
LINES

run_all one "$hscope"
if [ "$other" = no-module ]; then
  export HYB_GPU_MODULE=/absent
  other=$hscope
fi
run_all two "$other"

failed=0
n=0
echo "1..$(($(wc -l <"$work/lines") + 1))"
while read -r _ line; do
  n=$((n + 1))
  wrong=
  for part in out err code; do
    cmp -s "$work/one/$n.$part" "$work/two/$n.$part" || wrong="$wrong $part"
  done
  if [ -z "$wrong" ]; then
    echo "ok $n hscope $line ($(cat "$work/one/$n.code"))"
  else
    echo "not ok $n hscope $line: these differ:$wrong"
    for part in $wrong; do
      diff "$work/one/$n.$part" "$work/two/$n.$part" | sed 's/^/# /' | head -20
    done
    failed=1
  fi
done <"$work/lines"
n=$((n + 1))
if [ -s "$work/one/files" ] && cmp -s "$work/one/files" "$work/two/files"; then
  echo "ok $n the same $(wc -l <"$work/one/files") files are written"
else
  echo "not ok $n the same files are written"
  diff "$work/one/files" "$work/two/files" | sed 's/^/# /'
  failed=1
fi
exit $failed
