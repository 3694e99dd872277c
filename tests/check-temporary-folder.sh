#!/bin/sh
# check-temporary-folder.sh — folders of scripts are removed however the script ends, and no other folder is.
# Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317 # functions are called by name
tests=$(cd "$(dirname "$0")" && pwd) || exit 2
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
# shellcheck source=tests/report.sh
. "$tests/report.sh"
mkdir "$work/stranger"
touch "$work/stranger/file"

# is_removed FOLDER: waits for it, for 30 s at most.
is_removed () {
  tries=150
  until [ ! -e "$1" ]; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.2
  done
}

# try NAME COMMAND…: the command makes its folder, writes its name to the file "name", and ends somehow.
try () {
  name=$1; shift
  rm -f "$work/name"
  "$@" >"$work/out" 2>&1
  [ -s "$work/name" ] && is_removed "$(cat "$work/name")" && [ -e "$work/stranger/file" ]
  report $? "/tests/temporary-folder/$name"
}

# shell END: a script that has a file and a link to a folder of others in its folder, and ends so.
shell () {
  sh -c 'tests=$0; . "$0/temporary-folder.sh"; touch "$work/file"; ln -s "$1/stranger" "$work/link"; echo "$work" >"$1/name"; eval "$2"' \
    "$tests" "$work" "$1"
}
python () {
  PYTHONPATH=$tests python3 -c '
import os, pathlib, signal, sys, tempfile, time
import temporary_folder

temporary_folder.use()
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "file").touch()
(folder / "link").symlink_to(sys.argv[1] + "/stranger")
pathlib.Path(sys.argv[1], "name").write_text(os.environ["TMPDIR"])
exec(sys.argv[2])' "$work" "$1"
}
# shellcheck disable=SC2016 # the script expands $$
{
  try a-script-ends shell 'exit 3'
  try a-script-is-terminated shell 'kill -TERM $$'
  try a-script-is-killed shell 'kill -KILL $$'
  try a-script-is-killed-and-leaves-a-process shell '(trap "" TERM; sleep 1; mkdir -p "$work/late") & kill -KILL $$'
}
try a-program-ends python 'sys.exit(3)'
try a-program-is-terminated python 'os.kill(os.getpid(), signal.SIGTERM)'
try a-program-is-killed python 'os.kill(os.getpid(), signal.SIGKILL)'

# As when something else removed the folder, and a stranger's has its name now.
mkdir "$work/replaced"
"$tests/remove-afterwards.sh" "$work/replaced" 1:1 </dev/null && [ -e "$work/replaced" ]
report $? /tests/temporary-folder/a-folder-that-got-the-name-is-kept

# Scripts and programs make their folders here and nowhere else, but for those that mount what must be unmounted before, or
# that are carried to machines with a GPU.
grep -rnE 'mktemp|mkdtemp' "$tests" "$tests/../tools" "$tests/../packaging" --include='*.sh' |
  grep -v '/\(temporary-folder\|check-temporary-folder\|check-gpu-script\|gpu-first-contact\|frame\|try-source\|try-deb\|try-tarball\)\.sh:' >"$work/out"
grep -rlE --include='*.py' 'import .*tempfile|from tempfile' "$tests" "$tests/../tools" "$tests/../packaging" | grep -v '/temporary_folder\.py$' |
  xargs python3 "$tests/uses-temporary-folder.py" >>"$work/out" || echo "uses-temporary-folder.py failed" >>"$work/out"
[ ! -s "$work/out" ]
report $? /tests/temporary-folder/all-use-it
finish_tests
