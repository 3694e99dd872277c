#!/bin/sh
# run-all.sh — runs the tests of the given build folders and counts what their
# TAP says.  A program that dies or stops early counts as one more failure.
# SPDX-License-Identifier: LGPL-2.1-or-later
export LC_ALL=C.UTF-8 G_SLICE=always-malloc
export ASAN_OPTIONS="allocator_may_return_null=1:verify_asan_link_order=0:detect_stack_use_after_return=0:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
LSAN_OPTIONS="suppressions=$(cd "$(dirname "$0")" && pwd)/leaks.txt:print_suppressions=0"
export LSAN_OPTIONS

passed=0 failed=0 skipped=0
for folder in "$@"; do
  meson test -C "$folder" --no-rebuild --print-errorlogs >"$folder/test-output.txt" 2>&1
  status=$?
  grep -E '^ *[0-9]+/[0-9]+ .*(FAIL|ERROR|TIMEOUT)' "$folder/test-output.txt" | sort -u

  log=$folder/meson-logs/testlog.txt
  now_passed=$(grep -E '^ok [0-9]+' "$log" | grep -vc '# SKIP')
  now_skipped=$(grep -cE '^ok [0-9]+.*# SKIP' "$log")
  now_failed=$(grep -cE '^not ok [0-9]+' "$log")
  grep -E '^not ok [0-9]+' "$log" | head -50

  # Scripts answer by exit status alone.
  scripts=$(grep -cE '^ *[0-9]+/[0-9]+ tree/.* OK ' "$folder/test-output.txt")
  # The summary repeats the lines of those that failed.
  dead=$(grep -E '^ *[0-9]+/[0-9]+ .*(ERROR|TIMEOUT|tree/.*FAIL)' "$folder/test-output.txt" | sort -u | wc -l)
  [ "$status" -ne 0 ] && [ "$now_failed" -eq 0 ] && [ "$dead" -eq 0 ] && dead=1
  echo "$folder: $((now_passed + scripts)) passed, $((now_failed + dead)) failed, $now_skipped skipped" >&2

  passed=$((passed + now_passed + scripts))
  failed=$((failed + now_failed + dead))
  skipped=$((skipped + now_skipped))
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
