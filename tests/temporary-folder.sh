#!/bin/sh
# temporary-folder.sh — makes $work, a folder for the temporary files of a script that sources this file; $tests is the folder
# of this file.
#
# TMPDIR names it, too, for what the script starts.  It is removed with all that is in it when the script and what it started
# have ended, also when they were killed.
# SPDX-License-Identifier: LGPL-2.1-or-later
work=$(mktemp -d "${TMPDIR:-/tmp}/script-XXXXXX") && mkfifo "$work/end" || exit 2
# Opened for reading and writing at first: to open one end alone waits for the other, for ever if this script is killed then.
exec 9<>"$work/end"
exec 8<"$work/end"
rm "$work/end"
# In a session of its own: who ends a script that takes too long ends its group of processes.
(setsid "${tests:?}/remove-afterwards.sh" "$work" "$(stat -c %d:%i "$work")" <&8 8<&- 9>&- >/dev/null 2>&1 &)
exec 8<&-
export TMPDIR="$work"
