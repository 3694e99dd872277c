/* machine-id.h — the name under which facts about this machine are stored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Returns a line of printable characters without brackets: the processor, its microcode where the system says it, the
 * caches that it reports, the processors that this process may use, and the level of vector instructions.  Facts that
 * were measured under another name are of another machine.  (transfer full) */
char *prof_machine_id_dup (void);
/* The processors' time that the limits of a control group allow, by the text of its file cpu.max or of its files
 * cpu.cfs_quota_us and cpu.cfs_period_us, one after the other; 0: all of it, or the text has no limit. */
double prof_machine_quota (const char *text);
