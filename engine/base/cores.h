/* cores.h — how many cores this process may compute on.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Returns the number of cores behind the processors that this process may use.  Processors that share a core (SMT)
 * share its multipliers, so a second thread there does not speed up a product and halves its first-level cache.  If
 * the system does not report the cores, every processor counts. */
guint hyb_cores_count (void);
/* The same for `n` processors, by their numbers, of a folder that is laid out as /sys/devices/system/cpu. */
guint hyb_cores_count_in (const char *folder, const guint *processors, guint n);
