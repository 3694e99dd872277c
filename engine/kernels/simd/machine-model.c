/* machine-model.c — answers the questions of kernels from one struct of thresholds; see machine-model.h.
 *
 * The thresholds are derived once, and again at every call of hyb_machine_use().  Start at derive().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/kernels/simd/machine-model.h"

#include "engine/kernels/simd/processor.h"

/* A measured size confirms the reported one if it is at most this many times smaller or larger: sets of a cache fill
 * unevenly, and sizes are tried in steps.  Then the reported size, for which the thresholds were found, serves. */
#define SAME_SIZE 2.1
/* Other processes share the last-level cache: while they were busy, 11.6 of 32 MiB were measured, and prefetching 8 MB as if they
 * came from memory makes products of 1 to 4 rows take 1.3 to 1.6 times as long. */
#define SAME_SHARED_SIZE 4.5
/* By how much prefetching must be faster to be used: less is within the noise of measuring. */
#define WORTH 1.05
/* Vectors are loaded in halves below this many full loads a cycle: other processors load two. */
#define FULL_LOADS 1.4

/* One way of a first-level cache is a page, so that the processor finds a set before it has translated the address. */
#define WAY_BYTES 4096
/* Ways that are left for weights and results. */
#define OTHER_WAYS 2

#define AHEAD_OF_CACHE  8192
#define AHEAD_OF_MEMORY 16384

/* Bytes between what is multiplied and what is prefetched. */
typedef struct
{
  gint64 cache, memory;
} Ahead;

/* The thresholds that the answers are derived from. */
typedef struct
{
  gint64 near, far, cached; /* the largest sizes: in own caches, not far, in the last-level cache */
  Ahead  ahead[HYB_ROW_CLASSES];
  gboolean halves_vectors;
} Thresholds;

/* The maximum number of rows of each class, and its description. */
static const struct
{
  gint64      max_rows;
  const char *words;
} classes[HYB_ROW_CLASSES] = { { 1, "1 row" }, { 4, "2 to 4 rows" }, { G_MAXINT64, "more rows" } };

static HybMachine facts;
static Thresholds thresholds;
static gsize      is_derived;

static gint64
choose_size (double measured, gint64 reported, double same)
{
  gboolean is_same = measured * same >= (double) reported && measured <= (double) reported * same;

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
  gint64              second = choose_size (facts.second_cache, processor->second_cache, SAME_SIZE);
  gint64              last =
      MAX (choose_size (facts.last_cache, processor->last_cache, SAME_SHARED_SIZE), second);

  thresholds = (Thresholds){
    .near = second,
    .far = 2 * second,
    .cached = last / 2,
    .halves_vectors = facts.loads > 0 ? facts.loads < FULL_LOADS : processor->halves_vectors,
  };
  for (guint i = 0; i < HYB_ROW_CLASSES; i++)
    thresholds.ahead[i] = choose_ahead (&facts.last[i], &facts.memory[i]);
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
  const Ahead *ahead = get_thresholds ()->ahead;
  guint        i = 0;

  while (rows > classes[i].max_rows)
    i++;
  if (hyb_machine_is_in_memory (bytes))
    return ahead[i].memory;
  return hyb_machine_is_near (bytes) ? 0 : ahead[i].cache;
}

gboolean
hyb_machine_halves_vectors (void)
{
  return get_thresholds ()->halves_vectors;
}

gboolean
hyb_machine_shares_loads (gsize bytes)
{
  return hyb_machine_halves_vectors () || hyb_machine_is_near (bytes);
}

gint64
hyb_machine_rows_together (gsize bytes)
{
  gint64 n_ways = hyb_processor ()->first_cache / WAY_BYTES;

  return bytes % WAY_BYTES == 0 ? MAX (n_ways - OTHER_WAYS, 1) : G_MAXINT64;
}

/* For which products weights are prefetched.  (transfer full) */
static char *
describe_ahead (gboolean is_memory)
{
  const Ahead *ahead = get_thresholds ()->ahead;
  GString     *text = g_string_new (NULL);
  guint        n = 0;

  for (guint i = 0; i < HYB_ROW_CLASSES; i++)
    if ((is_memory ? ahead[i].memory : ahead[i].cache) > 0)
      g_string_append_printf (text, "%s%s", n++ > 0 ? " and " : "prefetched for ",
                              classes[i].words);
  if (n == 0 || n == HYB_ROW_CLASSES)
    g_string_assign (text, n == 0 ? "not prefetched" : "prefetched");
  return g_string_free (text, FALSE);
}

char *
hyb_machine_describe (void)
{
  const Thresholds *by = get_thresholds ();
  g_autofree char  *last = describe_ahead (FALSE), *memory = describe_ahead (TRUE);

  return g_strdup_printf ("weights are near up to %" G_GINT64_FORMAT
                          " KiB, far beyond %" G_GINT64_FORMAT
                          " KiB, in memory beyond %" G_GINT64_FORMAT
                          " KiB; those of the last-level cache are %s, those in memory %s%s",
                          by->near >> 10, by->far >> 10, by->cached >> 10, last, memory,
                          by->halves_vectors ? "; vectors are loaded in halves" : "");
}
