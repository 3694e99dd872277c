/* machine-model.c — answers the questions of kernels from one struct of thresholds; see machine-model.h.
 *
 * The thresholds are derived once, and again when other facts are handed down.  Start at derive().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/machine-model.h"

#include "engine/kernels/simd/processor.h"

/* A measured size confirms the reported one if it is at most this many times smaller or larger: sets of a cache fill
 * unevenly, others use the last-level cache, too, and sizes are tried in steps.  Then the reported size, for which the
 * thresholds were found, serves. */
#define SAME_SIZE 2.1
/* By how much prefetching must be faster to be used: less is within the noise of measuring. */
#define WORTH 1.02
/* Vectors are loaded in halves below this many full loads a cycle: other processors load two. */
#define FULL_LOADS 1.4

#define AHEAD_OF_CACHE  8192
#define AHEAD_OF_MEMORY 16384

/* Bytes between what is multiplied and what is prefetched. */
typedef struct
{
  gint64 cache, memory;
} Ahead;

/* What the answers are compared with. */
typedef struct
{
  gint64 near, far, cached; /* the largest sizes: in own caches, not far, in the last-level cache */
  Ahead  few, more;         /* rows */
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

/* Whether instructions that prefetch gain something; otherwise: if that was not measured. */
static gboolean
gains (const HybWeightRates *rates, gboolean otherwise)
{
  return rates->without > 0 && rates->ahead > 0 ? rates->ahead > rates->without * WORTH : otherwise;
}

static Ahead
choose_ahead (const HybWeightRates *last, const HybWeightRates *memory)
{
  return (Ahead){ .cache = gains (last, !hyb_processor ()->prefetches_well) ? AHEAD_OF_CACHE : 0,
                  .memory = gains (memory, TRUE) ? AHEAD_OF_MEMORY : 0 };
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
    .few = choose_ahead (&facts.last_few, &facts.memory_few),
    .more = choose_ahead (&facts.last_more, &facts.memory_more),
    .halves_vectors = facts.loads > 0 ? facts.loads < FULL_LOADS : processor->halves_vectors,
  };
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
hyb_machine_prefetch_bytes (gsize bytes, gint64 rows)
{
  const Thresholds *by = get_thresholds ();
  const Ahead      *ahead = rows <= HYB_MACHINE_FEW_ROWS ? &by->few : &by->more;

  if (hyb_machine_is_in_memory (bytes))
    return ahead->memory;
  return hyb_machine_is_near (bytes) ? 0 : ahead->cache;
}

gboolean
hyb_machine_shares_loads (gsize bytes)
{
  return get_thresholds ()->halves_vectors || hyb_machine_is_near (bytes);
}

/* For which products something is prefetched. */
static const char *
describe_ahead (gint64 few, gint64 more)
{
  if (few > 0)
    return more > 0 ? "prefetched" : "prefetched for few rows";
  return more > 0 ? "prefetched for more than a few rows" : "not prefetched";
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
                          describe_ahead (by->few.cache, by->more.cache),
                          describe_ahead (by->few.memory, by->more.memory),
                          by->halves_vectors ? "; vectors are loaded in halves" : "");
}
