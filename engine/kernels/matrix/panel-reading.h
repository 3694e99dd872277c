/* panel-reading.h — from where and in which order products read weights in panels, chosen by the caches of this
 * processor (processor.h).  No byte of a result depends on it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Floats of a panel between what is multiplied and what is prefetched.  What the hardware does not prefetch well comes
 * from the last-level cache, or from memory, from where it takes longer (AVX2 on AMD Zen 5, 8 rows with 64 MB of
 * weights: 0.77 of the peak with 16 KiB, 0.47 with none, 0.67 with 32 KiB). */
#define HYB_PANEL_AHEAD_OF_CACHE  2048
#define HYB_PANEL_AHEAD_OF_MEMORY 4096

/* Returns how many floats ahead weights of that size are prefetched: HYB_PANEL_AHEAD_OF_CACHE,
 * HYB_PANEL_AHEAD_OF_MEMORY, or 0 where the hardware prefetches them. */
gint64 hyb_panel_ahead (gsize bytes);

/* Whether weights of that size are so far away that many rows wait for each new block of them: beyond two second-level
 * caches (AVX-512 on AMD Zen 5, 64 rows with 16 MB of weights: 240 GFLOP/s if they are prefetched, else 150). */
gboolean hyb_panel_is_far (gsize bytes);

/* Whether to multiply with the last panel first: TRUE on every second of several calls in a row with the same panels,
 * whose end the second-level cache then still holds. */
gboolean hyb_panel_reads_backwards (const float *panels, gsize bytes);
