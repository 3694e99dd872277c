#!/bin/sh
# gpu-first-contact.sh — everything that only a machine with a GPU can tell, in at most nine minutes.
# usage: gpu-first-contact.sh [--only STEP]… [--seconds N] [--bundle FILE] OUT    --steps lists the steps and their seconds
#
# It runs the steps of first-contact/steps.sh in the order of their worth. Each command has a time limit of its own, and all
# together end N seconds (540) after the start, whatever crashes, hangs or uses up the memory. After every step
# OUT/results.tar.gz and OUT/answers.txt are replaced, so that the machine may go away at any time. It needs no network, no
# root and no display, and writes to OUT and to a folder of its own below TMPDIR alone. Nobody has run it on a GPU yet.
#
# The programs are those of the bundle of tools/gpu-bundle.sh: beside this script, or in the archive FILE (default: the one
# beside this script), which is unpacked. HSCOPE and GPU_CHECK name others. first-contact/steps.sh lists what else the environment can set.
# Ends with 0 if all steps were done, 1 if some failed or had no time, 4 without a GPU.
# SPDX-License-Identifier: LGPL-2.1-or-later
here=$(cd "$(dirname "$0")" && pwd)
begin=${FIRST_CONTACT_BEGIN:-$(date +%s)}
export FIRST_CONTACT_BEGIN="$begin"

refuse () {
  echo "gpu-first-contact.sh: $1." >&2
  echo "usage: gpu-first-contact.sh [--only STEP]… [--seconds N] [--bundle FILE] OUT" >&2
  exit 2
}

list_steps () { sed -n 's/^step \([a-z]*\) \([0-9]*\) .*/\1 \2/p' "$here/first-contact/steps.sh" 2>/dev/null; }

only='' seconds=540 bundle=''
while [ $# -gt 0 ]; do
  case $1 in
    --only) only="$only ${2:?}"; shift 2 ;;
    --seconds) seconds=${2:?}; shift 2 ;;
    --bundle) bundle=${2:?}; shift 2 ;;
    --steps) list_steps; exit 0 ;;
    -*) refuse "there is no option $1" ;;
    *) break ;;
  esac
done
[ $# = 1 ] || refuse "one folder for the results is needed"
case $seconds in
  *[!0-9]* | '') refuse "--seconds takes a whole number" ;;
esac
for name in $only; do
  [ ! -e "$here/first-contact/steps.sh" ] || list_steps | grep -q "^$name " || refuse "there is no step $name; --steps lists them"
done
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)

# --- The programs ---

# A message that is all there is to send back.
give_up () {
  echo "$1." >&2
  echo "the first contact: not answered, $1." >"$out/answers.txt"
  exit 1
}

# unpack ARCHIVE FOLDER: with xz, else with Python, which reads xz by itself.
unpack () {
  if command -v xz >/dev/null && tar -xJf "$1" -C "$2" 2>/dev/null; then
    return 0
  fi
  for python in python3 /opt/*/bin/python3 /opt/*/.venv/bin/python3 /usr/local/bin/python3 /usr/bin/python3; do
    if "$python" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$1" "$2" 2>/dev/null; then
      return 0
    fi
  done
  return 1
}

if [ -z "$HSCOPE" ] && [ ! -x "$here/bin/hscope" ]; then
  if [ -z "$bundle" ]; then
    for bundle in "$here"/hybridscope-gpu-*.tar.xz; do :; done
  fi
  [ -f "$bundle" ] || give_up "there is neither $here/bin/hscope nor an archive of tools/gpu-bundle.sh; --bundle names one"
  unpacked=$(mktemp -d "${TMPDIR:-/tmp}/hybridscope-XXXXXX") || give_up "no folder can be made in ${TMPDIR:-/tmp}"
  trap 'rm -rf "$unpacked"' EXIT
  unpack "$bundle" "$unpacked" || give_up "$bundle cannot be unpacked: there is no xz and no python3, or it is damaged"
  # Signals reach this shell only when the inner script has ended: it gets them, too.
  trap 'kill -TERM $inner 2>/dev/null' TERM INT HUP
  set -- "$out"
  for name in $only; do set -- --only "$name" "$@"; done
  for script in "$unpacked"/*/gpu-first-contact.sh; do :; done
  sh "$script" --seconds "$seconds" "$@" &
  inner=$!
  wait $inner
  status=$?
  wait $inner 2>/dev/null
  exit $status
fi
bin=$here/bin
[ -x "$bin/hscope" ] || bin=$here/../build/tools/gpu-check
HSCOPE=${HSCOPE:-$bin/hscope}
GPU_CHECK=${GPU_CHECK:-$bin/gpu-check}

# Kernels that came with the bundle are not compiled again.
if [ -d "$here/kernels" ]; then export HYB_GPU_KERNELS="${HYB_GPU_KERNELS:-$here/kernels}"; fi

# --- The steps ---

# shellcheck source=tools/first-contact/frame.sh
. "$here/first-contact/frame.sh"
# shellcheck source=tools/first-contact/find.sh
. "$here/first-contact/find.sh"
# shellcheck source=tools/first-contact/steps.sh
. "$here/first-contact/steps.sh"
finish
