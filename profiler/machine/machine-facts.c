/* machine-facts.c — finds the facts in the rates that were measured; see machine-facts.h.
 *
 * The size of a cache is where the rate of reading a set again and again drops.  It is searched around the reported
 * size, and behind the cache before.  Start at the table at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/machine/machine-facts.h"

#include "engine/kernels/simd/processor.h"

#include <math.h>

/* The measured size is at most this many times smaller or larger than the reported one: virtual machines report other
 * sizes than the processor has, and share the last-level cache. */
#define MAX_SHRINK 16
#define MAX_GROWTH 4
/* Smaller drops count as noise. */
#define DROP 1.15
/* Sizes between the two ends of a drop: some sets of a cache are full before others. */
#define DROP_STEPS 2

/* --- Sizes --- */

static double
reported_first (void)
{
  return (double) hyb_processor ()->first_cache;
}

static double
reported_second (void)
{
  return (double) hyb_processor ()->second_cache;
}

static double
reported_last (void)
{
  return (double) hyb_processor ()->last_cache;
}

/* The largest size before the largest drop of the rate between two sizes; 0 if there is no drop. */
static double
find_drop (const ProfMachineView *view, double from, double to)
{
  double largest = DROP;
  guint  at = view->n_sizes;

  for (guint i = 0; i + DROP_STEPS < view->n_sizes; i++)
    if ((double) view->sizes[i] >= from && (double) view->sizes[i] <= to &&
        view->reads[i] > largest * view->reads[i + DROP_STEPS] && view->reads[i + DROP_STEPS] > 0)
      {
        largest = view->reads[i] / view->reads[i + DROP_STEPS];
        at = i;
      }
  if (at == view->n_sizes)
    return 0;
  /* The one in the middle belongs to the end that its rate is nearer to. */
  if (view->reads[at + 1] > sqrt (view->reads[at] * view->reads[at + DROP_STEPS]))
    at++;
  return (double) view->sizes[at];
}

/* Where a cache ends that lies behind another one. */
static double
find_cache (const ProfMachineView *view, double before, double reported)
{
  return find_drop (view, MAX (2 * before, reported / MAX_SHRINK), reported * MAX_GROWTH);
}

static double
known (double measured, double reported)
{
  return measured > 0 ? measured : reported;
}

static double
find_first (const ProfMachineView *view, const HybMachine *machine G_GNUC_UNUSED)
{
  return find_cache (view, 0, reported_first ());
}

static double
find_second (const ProfMachineView *view, const HybMachine *machine)
{
  return find_cache (view, known (machine->first_cache, reported_first ()), reported_second ());
}

static double
find_last (const ProfMachineView *view, const HybMachine *machine)
{
  return reported_last () > reported_second ()
             ? find_cache (view, known (machine->second_cache, reported_second ()),
                           reported_last ())
             : 0;
}

/* --- Rates --- */

/* The rate of the largest set of at most that many bytes; 0 if it is not larger than `least`. */
static double
rate_at (const ProfMachineView *view, double least, double bytes)
{
  guint i = view->n_sizes;

  while (i > 0 && (double) view->sizes[i - 1] > bytes)
    i--;
  return i > 0 && (double) view->sizes[i - 1] > least ? view->reads[i - 1] : 0;
}

static double
find_first_rate (const ProfMachineView *view, const HybMachine *machine)
{
  return rate_at (view, 0, known (machine->first_cache, reported_first ()) / 2);
}

static double
find_second_rate (const ProfMachineView *view, const HybMachine *machine)
{
  return rate_at (view, known (machine->first_cache, reported_first ()),
                  known (machine->second_cache, reported_second ()) / 2);
}

static double
find_last_rate (const ProfMachineView *view, const HybMachine *machine)
{
  return rate_at (view, known (machine->second_cache, reported_second ()),
                  known (machine->last_cache, reported_last ()) / 2);
}

static double
find_memory_rate (const ProfMachineView *view, const HybMachine *machine)
{
  double last = known (machine->last_cache, reported_last ());

  return rate_at (view, 1.9 * MAX (last, known (machine->second_cache, reported_second ())),
                  INFINITY);
}

static double
find_loads (const ProfMachineView *view, const HybMachine *machine)
{
  return machine->clock > 0 ? view->rates[PROF_RATE_LOADS] / machine->clock : 0;
}

/* Defines a function that returns one of the rates. */
#define FIND(name, rate)                                                                    \
  static double name (const ProfMachineView *view, const HybMachine *machine G_GNUC_UNUSED) \
  {                                                                                         \
    return view->rates[rate];                                                               \
  }

FIND (find_clock, PROF_RATE_CLOCK)
FIND (find_plain, PROF_RATE_PLAIN)
FIND (find_avx2, PROF_RATE_AVX2)
FIND (find_avx512, PROF_RATE_AVX512)
FIND (find_last_1, PROF_RATE_WEIGHTS + 0)
FIND (find_last_1_ahead, PROF_RATE_WEIGHTS + 1)
FIND (find_memory_1, PROF_RATE_WEIGHTS + 2)
FIND (find_memory_1_ahead, PROF_RATE_WEIGHTS + 3)
FIND (find_last_2, PROF_RATE_WEIGHTS + 4)
FIND (find_last_2_ahead, PROF_RATE_WEIGHTS + 5)
FIND (find_memory_2, PROF_RATE_WEIGHTS + 6)
FIND (find_memory_2_ahead, PROF_RATE_WEIGHTS + 7)
FIND (find_last_8, PROF_RATE_WEIGHTS + 8)
FIND (find_last_8_ahead, PROF_RATE_WEIGHTS + 9)
FIND (find_memory_8, PROF_RATE_WEIGHTS + 10)
FIND (find_memory_8_ahead, PROF_RATE_WEIGHTS + 11)

/* --- The table --- */

static double
reported_loads (void)
{
  return hyb_processor ()->halves_vectors ? 1 : 0;
}

#define FACT(member, low, high) \
  {                             \
#member, low, high, TRUE    \
  }
#define AT(member) G_STRUCT_OFFSET (HybMachine, member)

#define SIZES    1.5 /* one step */
#define RATES    1.2
#define PRODUCTS 1.1

/* Bounds: a slow processor of a telephone, and some times more than any processor has. */
const ProfMachineFact prof_machine_facts[PROF_N_MACHINE_FACTS] = {
  { FACT (clock, 3e8, 2e10), "additions, one after the other", PROF_UNIT_RATE, AT (clock), RATES,
    find_clock },
  { FACT (first_cache, 4e3, 4e6), "first-level cache", PROF_UNIT_BYTES, AT (first_cache), SIZES,
    find_first, reported_first },
  { FACT (second_cache, 3e4, 1e9), "second-level cache", PROF_UNIT_BYTES, AT (second_cache), SIZES,
    find_second, reported_second },
  { FACT (last_cache, 1e5, 1e11), "last-level cache", PROF_UNIT_BYTES, AT (last_cache), SIZES,
    find_last, reported_last },
  { FACT (first_rate, 1e9, 1e14), "reading the first-level cache", PROF_UNIT_BYTE_RATE,
    AT (first_rate), RATES, find_first_rate },
  { FACT (second_rate, 1e9, 1e14), "reading the second-level cache", PROF_UNIT_BYTE_RATE,
    AT (second_rate), RATES, find_second_rate },
  { FACT (last_rate, 1e8, 1e14), "reading the last-level cache", PROF_UNIT_BYTE_RATE,
    AT (last_rate), RATES, find_last_rate },
  { FACT (memory_rate, 1e8, 1e13), "reading memory", PROF_UNIT_BYTE_RATE, AT (memory_rate), RATES,
    find_memory_rate },
  { FACT (loads, 0.3, 10), "full vectors loaded", PROF_UNIT_PER_CYCLE, AT (loads), RATES,
    find_loads, reported_loads },
  { FACT (plain_products, 1e8, 1e13), "multiply-adds without AVX2", PROF_UNIT_RATE,
    AT (plain_products), RATES, find_plain },
  { FACT (avx2_products, 1e8, 1e13), "multiply-adds with AVX2", PROF_UNIT_RATE, AT (avx2_products),
    RATES, find_avx2 },
  { FACT (avx512_products, 1e8, 1e13), "multiply-adds with AVX-512", PROF_UNIT_RATE,
    AT (avx512_products), RATES, find_avx512 },
  { { "last_1", 1e7, 1e13, TRUE },
    "weights in the last-level cache, 1 row",
    PROF_UNIT_BYTE_RATE,
    AT (last[0].without),
    PRODUCTS,
    find_last_1 },
  { { "last_1_ahead", 1e7, 1e13, TRUE },
    "weights in the last-level cache, 1 row, prefetched",
    PROF_UNIT_BYTE_RATE,
    AT (last[0].ahead),
    PRODUCTS,
    find_last_1_ahead },
  { { "memory_1", 1e7, 1e13, TRUE },
    "weights in memory, 1 row",
    PROF_UNIT_BYTE_RATE,
    AT (memory[0].without),
    PRODUCTS,
    find_memory_1 },
  { { "memory_1_ahead", 1e7, 1e13, TRUE },
    "weights in memory, 1 row, prefetched",
    PROF_UNIT_BYTE_RATE,
    AT (memory[0].ahead),
    PRODUCTS,
    find_memory_1_ahead },
  { { "last_2", 1e7, 1e13, TRUE },
    "weights in the last-level cache, 2 rows",
    PROF_UNIT_BYTE_RATE,
    AT (last[1].without),
    PRODUCTS,
    find_last_2 },
  { { "last_2_ahead", 1e7, 1e13, TRUE },
    "weights in the last-level cache, 2 rows, prefetched",
    PROF_UNIT_BYTE_RATE,
    AT (last[1].ahead),
    PRODUCTS,
    find_last_2_ahead },
  { { "memory_2", 1e7, 1e13, TRUE },
    "weights in memory, 2 rows",
    PROF_UNIT_BYTE_RATE,
    AT (memory[1].without),
    PRODUCTS,
    find_memory_2 },
  { { "memory_2_ahead", 1e7, 1e13, TRUE },
    "weights in memory, 2 rows, prefetched",
    PROF_UNIT_BYTE_RATE,
    AT (memory[1].ahead),
    PRODUCTS,
    find_memory_2_ahead },
  { { "last_8", 1e7, 1e13, TRUE },
    "weights in the last-level cache, 8 rows",
    PROF_UNIT_BYTE_RATE,
    AT (last[2].without),
    PRODUCTS,
    find_last_8 },
  { { "last_8_ahead", 1e7, 1e13, TRUE },
    "weights in the last-level cache, 8 rows, prefetched",
    PROF_UNIT_BYTE_RATE,
    AT (last[2].ahead),
    PRODUCTS,
    find_last_8_ahead },
  { { "memory_8", 1e7, 1e13, TRUE },
    "weights in memory, 8 rows",
    PROF_UNIT_BYTE_RATE,
    AT (memory[2].without),
    PRODUCTS,
    find_memory_8 },
  { { "memory_8_ahead", 1e7, 1e13, TRUE },
    "weights in memory, 8 rows, prefetched",
    PROF_UNIT_BYTE_RATE,
    AT (memory[2].ahead),
    PRODUCTS,
    find_memory_8_ahead },
};

void
prof_machine_fact_set (const ProfMachineFact *fact, HybMachine *machine, double value)
{
  *(double *) (gpointer) ((char *) machine + fact->offset) = value;
}

double
prof_machine_fact_get (const ProfMachineFact *fact, const HybMachine *machine)
{
  return *(const double *) (gconstpointer) ((const char *) machine + fact->offset);
}

static void
find_facts (const ProfMachineSamples *samples, guint which, HybMachine *machine)
{
  ProfMachineView view;

  prof_machine_samples_view (samples, which, &view);
  *machine = (HybMachine){ 0 };
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    prof_machine_fact_set (&prof_machine_facts[i], machine,
                           prof_machine_facts[i].get (&view, machine));
}

gboolean
prof_machine_facts_find (const ProfMachineSamples *samples, HybMachine *machine)
{
  HybMachine even, odd;
  gboolean   agrees = TRUE;

  find_facts (samples, 0, &even);
  find_facts (samples, 1, &odd);
  find_facts (samples, 2, machine);
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    {
      const ProfMachineFact *fact = &prof_machine_facts[i];
      double a = prof_machine_fact_get (fact, &even), b = prof_machine_fact_get (fact, &odd);

      if (MAX (a, b) <= fact->agreement * MIN (a, b))
        continue;
      prof_machine_fact_set (fact, machine, 0);
      agrees = FALSE;
    }
  return agrees;
}

gboolean
prof_machine_facts_are_possible (const HybMachine *machine)
{
  for (guint i = 0; i < PROF_N_MACHINE_FACTS; i++)
    {
      const ProfStoredNumber *bounds = &prof_machine_facts[i].stored;
      double                  value = prof_machine_fact_get (&prof_machine_facts[i], machine);

      if (value != 0 && !(value >= bounds->low && value <= bounds->high))
        return FALSE;
    }
  return TRUE;
}
