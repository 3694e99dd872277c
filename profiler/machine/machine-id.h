/* machine-id.h — the name under which facts about this machine are stored.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Returns a line of text: the processor, its microcode where the system says it, the
 * caches that it reports, the processors that this process may use, and the level of vector instructions.  Facts that
 * were measured under another name are of another machine.  (transfer full) */
char *prof_machine_id_dup (void);
