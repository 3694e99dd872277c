/* panel-reading.h — how far ahead and in which order products read weights in panels, chosen by the machine
 * (machine-model.h).  No byte of a result depends on it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Returns how many floats ahead a product of that many rows prefetches weights of that size; 0: it does not. */
gint64 hyb_panel_ahead (gsize bytes, gint64 rows);

/* Whether to multiply with the last panel first: TRUE on every second of several calls in a row with the same panels,
 * whose end the second-level cache then still holds.  A part of larger weights, too: AMD Zen 5, 1 MiB, one row, AVX-512:
 * 2.4 MB 0.86 of the time, 4 MB 0.92, 16 MB 0.95; with 8 rows and more the time is the same. */
gboolean hyb_panel_reads_backwards (const float *panels);
