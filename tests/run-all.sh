#!/bin/sh
# run-all.sh — runs the tests of the given build folders and counts the results.
# usage: run-all.sh [--all] BUILD…
#
# Without --all it leaves out the suite "thorough", and of a build with sanitizers it runs the suite "memory" only.
# Programs answer in TAP; a program that dies or stops early counts as one more failure.
# Scripts of the suite "tree" answer by their exit status.  Under CI (the variable CI is set)
# a skip fails unless tests/skips.txt gives a reason for it.
# SPDX-License-Identifier: LGPL-2.1-or-later
export LC_ALL=C.UTF-8 G_SLICE=always-malloc
export ASAN_OPTIONS="allocator_may_return_null=1:verify_asan_link_order=0:detect_stack_use_after_return=0:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
tests=$(cd "$(dirname "$0")" && pwd)
LSAN_OPTIONS="suppressions=$tests/leaks.txt:print_suppressions=0"
export LSAN_OPTIONS

# A python3 that is a script of pyenv takes twice as long to start as the Python that it chooses.
case $(command -v python3) in
  */shims/python3)
    python=$(python3 -c 'import sys; print(sys.executable)') && PATH=${python%/*}:$PATH ;;
esac

# unlisted BUILD: prints the skips of its last run that skips.txt does not allow there.
unlisted () {
  conditions=always
  is_sanitized "$1" && conditions="$conditions sanitize"
  [ -d "${HYB_SHARED:-$tests/../../shared}/goldens" ] || conditions="$conditions no-shared"
  {
    grep -E '^ok [0-9]+.*# SKIP' "$1/meson-logs/testlog.txt"
    grep -E '^1\.\.0 # SKIP' "$1/meson-logs/testlog.txt"
    grep -E '^ *[0-9]+/[0-9]+ .*tree/.* SKIP ' "$1/test-output.txt"
  } | awk -v conditions=" $conditions " -v list="$tests/skips.txt" '
    BEGIN { FS = "\t"
            while ((getline line < list) > 0) { split (line, field, "\t")
              if (line !~ /^#/ && index (conditions, " " field[1] " ")) allowed[++n] = field[2] } }
    { for (i = 1; i <= n; i++) if ($0 ~ allowed[i]) next
      print "not in tests/skips.txt: " $0 }'
}

# reasons FILE: what failed tests wrote about it, as meson prints it between rules.
reasons () {
  grep -E -A 12 'ERROR:|ERROR \*\*|runtime error:|SUMMARY: |Bail out!|CRITICAL' "$1" | cut -c 1-200
}

# crashed BUILD: names of tests that had passed when LeakSanitizer itself crashed, which it does now and
# then while it stops the other threads of a program.
crashed () {
  awk '/^test: /{ sub (/^test: +[^\/]* \/ /, ""); name = $0; bad = 0 }
       /^not ok |AddressSanitizer|runtime error|detected memory leaks/{ bad = 1 }
       /LeakSanitizer has encountered a fatal error/ && !bad { print name }' "$1/meson-logs/testlog.txt"
}

# again BUILD: runs those once more; prints the names of those that pass.
again () {
  crashed "$1" | while read -r name; do
    meson test -C "$1" --no-rebuild --logbase again "$name" >"$1/again-output.txt" 2>&1 </dev/null && echo "$name"
  done
}

is_sanitized () { grep -q -- '-fsanitize=' "$1/build.ninja"; }

# --all also builds what only its tests need.
all='' build=--no-rebuild
[ "$1" = --all ] && { all=yes build=''; shift; }

# suites BUILD: which suites are run there, as options of meson.
suites () {
  [ -n "$all" ] && return
  if is_sanitized "$1"; then echo --suite memory; else echo --no-suite thorough; fi
}

# Some tests wait: one more than there are processors.
processes=$(($(nproc) + 1))

passed=0 failed=0 skipped=0
for folder in "$@"; do
  # shellcheck disable=SC2046,SC2086
  meson test -C "$folder" $build --print-errorlogs --num-processes $processes $(suites "$folder") >"$folder/test-output.txt" 2>&1
  status=$?
  grep -E '^ *[0-9]+/[0-9]+ .*(FAIL|ERROR|TIMEOUT)' "$folder/test-output.txt" | sort -u
  reasons "$folder/test-output.txt" | head -80

  log=$folder/meson-logs/testlog.txt
  # Where a program was not built no test runs at all.
  [ -f "$log" ] || { tail -n 2 "$folder/test-output.txt"; failed=$((failed + 1)); continue; }
  now_passed=$(grep -E '^ok [0-9]+' "$log" | grep -vc '# SKIP')
  now_skipped=$(grep -cE '^ok [0-9]+.*# SKIP' "$log")
  now_failed=$(grep -cE '^not ok [0-9]+' "$log")
  grep -E '^not ok [0-9]+' "$log" | head -50

  # Scripts answer by exit status alone.
  scripts=$(grep -cE '^ *[0-9]+/[0-9]+ .*tree/.* OK ' "$folder/test-output.txt")
  # The summary repeats the lines of those that failed.
  dead=$(grep -E '^ *[0-9]+/[0-9]+ .*(ERROR|TIMEOUT|tree/.*FAIL)' "$folder/test-output.txt" | sort -u | wc -l)
  [ "$status" -ne 0 ] && [ "$now_failed" -eq 0 ] && [ "$dead" -eq 0 ] && dead=1

  again "$folder" >"$folder/passed-again.txt"
  sed 's/$/ passed when it was run again: LeakSanitizer had crashed/' "$folder/passed-again.txt"
  dead=$((dead - $(wc -l <"$folder/passed-again.txt")))

  if [ -n "$CI" ]; then
    unlisted "$folder" >"$folder/unlisted-skips.txt"
    cat "$folder/unlisted-skips.txt"
    dead=$((dead + $(wc -l <"$folder/unlisted-skips.txt")))
  fi
  echo "$folder: $((now_passed + scripts)) passed, $((now_failed + dead)) failed, $now_skipped skipped" >&2

  passed=$((passed + now_passed + scripts))
  failed=$((failed + now_failed + dead))
  skipped=$((skipped + now_skipped))
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
