/* processor.h — what this processor reports beside its vector instructions (simd.h): its name, the sizes of its
 * caches, and what is known of how its kind reads memory.
 *
 * Kernels use machine-model.h, which prefers measured facts to these.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  gint64 first_cache;  /* bytes of the first-level cache for data */
  gint64 second_cache; /* bytes of the second-level cache of a core */
  gint64 last_cache;   /* bytes of the last-level cache */
  /* Whether vectors of hyb_simd_level() are loaded in two halves, as AVX2's are on the first AMD Zen.
   * Then loads limit the speed of a product with one vector sooner than the caches. */
  gboolean halves_vectors;
  /* Whether the hardware prefetches from the last-level cache as fast as it delivers, so that
   * instructions for it only take time: on AMD Zen 5, products of 4 rows with 4 MB of weights reach
   * 0.83 of the peak without them and 0.80 with them (AVX2), 1.54 and 1.31 of AVX2's peak (AVX-512).
   * On an Intel Xeon they gain up to a fifth. */
  gboolean prefetches_well;
} HybProcessor;

/* Returns the facts of this processor, which are found at the first call. */
const HybProcessor *hyb_processor (void);
/* Returns the name of the processor, its family, model and stepping, and the caches that it reports, in one line; the
 * caller frees it. */
char *hyb_processor_dup_name (void);
/* Returns the sizes of the caches for people; the caller frees the text. */
char *hyb_processor_describe (void);
