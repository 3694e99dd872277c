/* memory-peak.h — the largest resident memory of this process.
 *
 * The kernel keeps it; some kernels allow to begin again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The peak of resident memory in bytes; 0 if it is not known. */
gsize prof_memory_peak_read (void);
/* Resets the peak, so that it does not include earlier work.  Not all kernels allow that. */
void prof_memory_peak_reset (void);
