#!/bin/sh
# check-skips.sh — run-all.sh fails in CI for a skip without a reason, and only then.
# usage: check-skips.sh
#
# Runs run-all.sh on a made-up build folder with a meson that only prints.  Prints TAP.
# SPDX-License-Identifier: LGPL-2.1-or-later
here=$(cd "$(dirname "$0")" && pwd) || exit 2
tests=$here
# shellcheck source=tests/temporary-folder.sh
. "$tests/temporary-folder.sh"
mkdir -p "$work/bin" "$work/build/meson-logs" "$work/shared/goldens"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/meson"
chmod +x "$work/bin/meson"
: >"$work/build/build.ninja"
number=0
failed=0

# expect LINE NAME CI REASON: the last line of run-all.sh after a test that skips with REASON.
expect () {
  number=$((number + 1))
  printf 'ok 1 /a/b\nok 2 /a/c # SKIP %s\n' "$4" >"$work/build/meson-logs/testlog.txt"
  got=$(CI=$3 HYB_SHARED=$work/shared PATH=$work/bin:$PATH "$here/run-all.sh" "$work/build" 2>/dev/null | tail -1)
  if [ "$got" = "$1" ]; then
    echo "ok $number $2"
  else
    echo "not ok $number $2"
    echo "# $got"
    failed=1
  fi
}

echo "1..4"
expect "1 passed, 0 failed, 1 skipped" "a listed skip passes in CI" true "shapes show only while running"
expect "1 passed, 1 failed, 1 skipped" "a skip without a reason fails in CI" true "no display"
expect "1 passed, 0 failed, 1 skipped" "outside CI it passes" "" "no display"
expect "1 passed, 1 failed, 1 skipped" "missing goldens fail where they should be" true "goldens/text is not here"
exit $failed
