/* machine-model.c — answers the questions of kernels from one struct of thresholds; see machine-model.h.
 *
 * The thresholds are derived once, and again when other facts are handed down.  Start at derive().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/machine-model.h"

#include "engine/kernels/simd/processor.h"

/* A measured size confirms the reported one if it is at most this many times smaller or larger: sets of a cache fill
 * unevenly, and sizes are tried in steps.  Then the reported size, for which the thresholds were found, serves. */
#define SAME_SIZE 1.6
/* By how much prefetching must be faster to be used: less is within the noise of measuring. */
#define WORTH 1.02
/* Vectors are loaded in halves below this many full loads a cycle: other processors load two. */
#define FULL_LOADS 1.5

#define AHEAD_OF_CACHE  8192
#define AHEAD_OF_MEMORY 16384

/* What the answers are compared with. */
typedef struct
{
  gint64 near, far, cached; /* the largest sizes: in own caches, not far, in the last-level cache */
  gint64 ahead_of_cache, ahead_of_memory; /* bytes */
  gboolean halves_vectors;
} Thresholds;

static HybMachine facts;
static Thresholds thresholds;
static gsize      is_derived;

static gint64
choose_size (double measured, gint64 reported)
{
  gboolean is_same =
      measured * SAME_SIZE >= (double) reported && measured <= (double) reported * SAME_SIZE;

  return measured > 0 && !is_same ? (gint64) measured : reported;
}

/* Whether instructions that prefetch gain something, by rates without and with them; otherwise: if they were not
 * measured. */
static gboolean
gains (double without, double with, gboolean otherwise)
{
  return without > 0 && with > 0 ? with > without * WORTH : otherwise;
}

static void
derive (void)
{
  const HybProcessor *processor = hyb_processor ();
  gint64              second = choose_size (facts.second_cache, processor->second_cache);
  gint64              last = MAX (choose_size (facts.last_cache, processor->last_cache), second);

  thresholds = (Thresholds){
    .near = second,
    .far = 2 * second,
    .cached = last / 2,
    .halves_vectors = facts.loads > 0 ? facts.loads < FULL_LOADS : processor->halves_vectors,
  };
  if (gains (facts.last_weights, facts.last_weights_ahead, !processor->prefetches_well))
    thresholds.ahead_of_cache = AHEAD_OF_CACHE;
  if (gains (facts.memory_weights, facts.memory_weights_ahead, TRUE))
    thresholds.ahead_of_memory = AHEAD_OF_MEMORY;
}

static const Thresholds *
get_thresholds (void)
{
  if (g_once_init_enter (&is_derived))
    {
      derive ();
      g_once_init_leave (&is_derived, 1);
    }
  return &thresholds;
}

void
hyb_machine_use (const HybMachine *measured)
{
  get_thresholds ();
  facts = measured ? *measured : (HybMachine){ 0 };
  derive ();
}

const HybMachine *
hyb_machine_get (void)
{
  return &facts;
}

gboolean
hyb_machine_is_near (gsize bytes)
{
  return bytes <= (gsize) get_thresholds ()->near;
}

gboolean
hyb_machine_is_far (gsize bytes)
{
  return bytes > (gsize) get_thresholds ()->far;
}

gboolean
hyb_machine_is_in_memory (gsize bytes)
{
  return bytes > (gsize) get_thresholds ()->cached;
}

gint64
hyb_machine_prefetch_bytes (gsize bytes)
{
  if (hyb_machine_is_in_memory (bytes))
    return get_thresholds ()->ahead_of_memory;
  return hyb_machine_is_near (bytes) ? 0 : get_thresholds ()->ahead_of_cache;
}

gboolean
hyb_machine_shares_loads (gsize bytes)
{
  return get_thresholds ()->halves_vectors || hyb_machine_is_near (bytes);
}

char *
hyb_machine_describe (void)
{
  const Thresholds *by = get_thresholds ();

  return g_strdup_printf ("weights are near up to %" G_GINT64_FORMAT
                          " KiB, far beyond %" G_GINT64_FORMAT
                          " KiB, in memory beyond %" G_GINT64_FORMAT
                          " KiB; those of the last-level cache are %s, those in memory %s%s",
                          by->near >> 10, by->far >> 10, by->cached >> 10,
                          by->ahead_of_cache > 0 ? "prefetched" : "not prefetched",
                          by->ahead_of_memory > 0 ? "prefetched" : "not prefetched",
                          by->halves_vectors ? "; vectors are loaded in halves" : "");
}
