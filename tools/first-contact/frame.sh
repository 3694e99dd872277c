#!/bin/sh
# shellcheck disable=SC2154
# frame.sh — part of gpu-first-contact.sh: steps with a budget, commands with a time limit, and the archive.
#
# Set by the caller: begin, seconds, only, out, here. What a command prints is in results/NAME.txt; a row of results/steps.tsv says
# how it ended: step, name, status, seconds, limit. The status is that of timeout: 124 or 137 if the limit passed.
# SPDX-License-Identifier: LGPL-2.1-or-later

work=$(mktemp -d "${TMPDIR:-/tmp}/gpu-first-contact-XXXXXX") || give_up "no folder can be made in ${TMPDIR:-/tmp}"
results=$work/results
mkdir "$results" "$work/home"
: >"$results/steps.tsv"
current_step='' step_end=0 planned=0 failed=0 is_absent='' running=''

# Caches are of this run alone; what is in the user's home is neither used nor changed.
export XDG_CACHE_HOME="$work/cache" XDG_CONFIG_HOME="$work/config" TRITON_CACHE_DIR="$work/triton" TORCHINDUCTOR_CACHE_DIR="$work/inductor"
export CUDA_CACHE_PATH="$work/nvidia" PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
export HYB_SELFTEST=off # the first run would test each time
export LC_ALL=C
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"

elapsed () { echo $(($(date +%s) - begin)); }

# Kills what a command left behind: timeout leads the process group of what it starts.
end_group () { kill -KILL "-$1" 2>/dev/null; } # dash knows no "--" here

# --- The archive ---

# The list of what was done, for machines without Python.
plain_answers () {
  echo "Seconds since the start: $(elapsed) of $seconds. A status of 124 or 137 says that the time limit passed."
  while IFS='	' read -r step name status took limit; do
    case $status in
      0) said='done' ;;
      none) said="not done, there was no time" ;;
      *) said="ended with status $status" ;;
    esac
    echo "$step, $name: $said, $took s of $limit s."
  done <"$results/steps.tsv"
  cat "$results"/questions.txt "$results"/counters.txt 2>/dev/null
}

# At most ten, and never more than are left.
seconds_of_page () {
  left=$((seconds - $(elapsed) - 1))
  echo $((left < 1 ? 1 : left > 10 ? 10 : left))
}

# Replaces the archive and the answers. A file that is not whole never has their names.
pack () {
  plain_answers >"$results/plain.txt"
  cp "$results/plain.txt" "$work/answers.txt"
  if [ -n "$PYTHON" ]; then
    timeout -k 1 "$(seconds_of_page)" "$PYTHON" "$here/gpu-answers.py" "$results" >"$work/page.md" 2>"$results/answers-error.txt" </dev/null &&
      cp "$work/page.md" "$work/answers.txt"
  fi
  if tar -czf "$work/results.tar.gz" -C "$work" results 2>/dev/null || tar_by_python; then
    cp "$work/results.tar.gz" "$out/.results.part" && mv "$out/.results.part" "$out/results.tar.gz"
  fi
  cp "$work/answers.txt" "$out/.answers.part" && mv "$out/.answers.part" "$out/answers.txt"
}

tar_by_python () {
  [ -n "$PYTHON" ] && "$PYTHON" -c 'import sys, tarfile
with tarfile.open(sys.argv[1], "w:gz") as archive: archive.add(sys.argv[2], "results")' "$work/results.tar.gz" "$results"
}

clean_up () {
  for group in $running; do end_group "$group"; done
  rm -rf "$work"
}

# Whoever ends the script early gets what is done.
interrupt () {
  trap '' TERM INT HUP
  for group in $running; do end_group "$group"; done
  pack
  exit 143
}
trap clean_up EXIT
trap interrupt TERM INT HUP

finish () {
  pack
  cat "$out/answers.txt"
  [ -z "$is_absent" ] || exit 4
  exit $failed
}

# --- Steps and commands ---

# scaled SECONDS: as a part of what all steps together may take.
scaled () { echo $((($1 * seconds + 539) / 540)); }

# step NAME SECONDS FUNCTION: runs a function of steps.sh. It has its seconds, and what earlier steps left of theirs; the last seconds of
# all are for the archive.
step () {
  case " $only " in
    "  " | *" $1 "*) ;;
    *) return 0 ;;
  esac
  planned=$((planned + $2))
  latest=$((seconds - seconds / 36 - 1))
  step_end=$(($(elapsed) + $(scaled "$2")))
  [ "$step_end" -ge $((planned * latest / 540)) ] || step_end=$((planned * latest / 540))
  [ "$step_end" -le "$latest" ] || step_end=$latest
  [ -z "$is_absent" ] || return 0
  current_step=$1
  export FIRST_CONTACT_STEP="$1"
  echo "$1: second $(elapsed), until $step_end"
  "$3"
  pack
}

# row NAME STATUS SECONDS LIMIT
row () { printf '%s\t%s\t%s\t%s\t%s\n' "$current_step" "$1" "$2" "$3" "$4" >>"$results/steps.tsv"; }

# has_passed NAME: the command was done and ended with 0.
has_passed () { grep -q "^[^	]*	$1	0	" "$results/steps.tsv"; }

# Files stay small: the beginning and the end of what is too long.
shrink () {
  [ "$(wc -c <"$1")" -gt 1000000 ] || return 0
  { head -c 200000 "$1"; echo; echo "[…]"; tail -c 700000 "$1"; } >"$1.part" && mv "$1.part" "$1"
}

# start NAME SECONDS COMMAND…: begins a command, which await() waits for. Where memory is short the kernel ends it first, not this script.
start () {
  name=$1 limit=$(scaled "$2")
  shift 2
  left=$((step_end - $(elapsed)))
  [ "$limit" -le "$left" ] || limit=$left
  if [ "$limit" -lt 1 ]; then
    row "$name" none 0 0
    failed=1
    return 1
  fi
  # shellcheck disable=SC2016
  timeout -k 1 "$limit" sh -c 'echo 800 2>/dev/null >/proc/self/oom_score_adj; exec "$@"' sh "$@" >"$results/$name.txt" 2>&1 </dev/null &
  running="$running $!"
  pending="$pending $!:$name:$limit:$(elapsed)"
}

# Waits for all commands that were started; 1 if one failed.
await () {
  worst=0
  for one in $pending; do
    group=${one%%:*} rest=${one#*:}
    name=${rest%%:*} rest=${rest#*:}
    limit=${rest%%:*} started=${rest#*:}
    wait "$group"
    status=$?
    end_group "$group"
    row "$name" "$status" $(($(elapsed) - started)) "$limit"
    shrink "$results/$name.txt"
    if [ "$status" != 0 ]; then
      worst=1 failed=1
    fi
  done
  pending='' running=''
  return $worst
}

# try NAME SECONDS COMMAND…: starts a command and waits for it. Returns its success.
try () { start "$@" && await; }
