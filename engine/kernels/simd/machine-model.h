/* machine-model.h — thresholds of this machine, by which kernels choose how they read weights.
 *
 * The answers come from what was measured of this machine (HybMachine), where it was measured, and else from what the
 * processor reports (processor.h).  No byte of a result depends on them: all choices compute the same.  The engine
 * measures nothing and opens no file: the program calls hyb_machine_use() before it plans a graph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Bytes of weights per second that a product reads, without and with instructions that prefetch them; 0: not measured. */
typedef struct
{
  double without, ahead;
} HybWeightRates;

/* Products of 1 row, of 2 to 4 and of more: the fewer rows, the less room their loads leave for instructions that
 * prefetch. */
#define HYB_ROW_CLASSES 3

/* Measurements of one core of this machine at hyb_simd_level(); 0: not measured, or not found. */
typedef struct
{
  double first_cache, second_cache,
      last_cache; /* bytes that stay in the cache while they are read again */
  double clock;   /* dependent additions per second, one a cycle */
  double first_rate, second_rate, last_rate, memory_rate; /* bytes read per second */
  double loads; /* full vectors loaded per cycle, from the first-level cache */
  double plain_products, avx2_products,
      avx512_products; /* multiply-adds per second, of floats, at each level */
  HybWeightRates last[HYB_ROW_CLASSES],
      memory[HYB_ROW_CLASSES]; /* weights in the last-level cache and in memory */
} HybMachine;

/* Makes kernels choose by these facts, which are copied; NULL restores the facts that the processor reports.  Must not
 * be called while kernels run. */
void hyb_machine_use (const HybMachine *measured);
/* Returns the facts in use; all 0 if nothing was measured. */
const HybMachine *hyb_machine_get (void);

/* Whether weights of that size stay in a core's own caches. */
gboolean hyb_machine_is_near (gsize bytes);
/* Whether weights of that size are so far away that little of them is left in a core's own caches when they are read
 * again: beyond two second-level caches.  From four times that size on many rows wait for each new block of them
 * (AVX-512 on AMD Zen 5, 64 rows with 16 MB of weights: 240 GFLOP/s if they are prefetched, else 150). */
gboolean hyb_machine_is_far (gsize bytes);
/* Whether weights of that size come from memory: more than half of the last-level cache. */
gboolean hyb_machine_is_in_memory (gsize bytes);
/* Returns how many bytes ahead a product of that many rows prefetches weights of that size; 0 where the hardware
 * prefetches them as well, or where instructions for it take more time than they save (AMD Zen 5, AVX-512, 1 row with
 * 134 MB of weights: 19 GFLOP/s without them and 14 with them; AVX2, 2 rows: 35 and 38).  It takes longer from memory (AVX2,
 * 8 rows with 64 MB: 0.77 of the peak with 16 KiB, 0.47 with none, 0.67 with 32 KiB). */
gint64 hyb_machine_prefetch_bytes (gsize bytes, gint64 rows);
/* Whether the product of a matrix of that size with one vector reads several rows at once, so that they share the
 * loads of the vector.  It does where loads take longer than the matrix takes to come: from a core's own caches (AMD
 * Zen 5, AVX2, 384 × 96: 71 bytes a cycle instead of 51), or where vectors are loaded in halves.  A single stream is
 * faster from farther caches (49 instead of 46). */
gboolean hyb_machine_shares_loads (gsize bytes);
/* Whether vectors are loaded in halves. */
gboolean hyb_machine_halves_vectors (void);
/* Returns how many rows that begin `bytes` apart can be read together and stay in the first-level cache.  Rows that are
 * whole pages apart share its sets: if they fill all ways, the weights that pass evict them (AMD Zen 5, twelve ways,
 * AVX-512, 16 MB: twelve rows of 1024 floats together 163 to 188 GFLOP/s, six and six 219 to 226). */
gint64 hyb_machine_rows_together (gsize bytes);
/* Returns the choices for people; the caller frees the text. */
char *hyb_machine_describe (void);
